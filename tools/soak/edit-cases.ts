import type { Random } from "./random.ts";

/** An edit as a model may send it, and what is meant by it. */
export interface EditCase {
  readonly kind: string;
  readonly file: string;
  readonly search: string;
  readonly replacement: string;
  readonly allowsFuzzy: boolean;
  /** The file with the edit in the place that is meant, its line ends aside. */
  readonly expected: string;
  /** The lines that are meant, from 1. */
  readonly place: { readonly first: number; readonly last: number };
  /** Whether what was sent says beyond doubt what is meant. */
  readonly isRecoverable: boolean;
}

/** The ways in which models get a search wrong. */
export const MUTATIONS = [
  "exact",
  "line-ends",
  "trailing-space",
  "trailing-space-in-file",
  "shifted-indent",
  "tabs-for-spaces",
  "bare-first-line",
  "flattened-indent",
  "curly-quotes",
  "turned-quotes",
  "dashes-and-spaces",
  "escaped",
  "indent-and-quotes",
  "typo-beside",
  "typo-in-place",
  "line-left-out",
  "near-duplicate",
] as const;

type Mutation = (typeof MUTATIONS)[number];

const NAMES = "alpha beta gamma delta total count items price order user state value index result buffer node".split(
  " ",
);
const CALLS = "load store print check merge parse write update remove render".split(" ");

/**
 * Makes a file of functions, some of them nearly alike, an edit of it, and spoils what is sent. What is sent never
 * stands word for word at a place that is not meant: then it would say so beyond doubt.
 */
export function makeEditCase(random: Random, kind: Mutation): EditCase {
  for (;;) {
    const made = tryEditCase(random, kind);
    if (!isBesideThePoint(made)) return made;
  }
}

/** Whether a case is none: it names another place, or was not spoilt at all. */
function isBesideThePoint({ kind, file, search, place }: EditCase): boolean {
  const text = file.replaceAll("\r\n", "\n");
  const sent = kind === "escaped" ? (JSON.parse(`"${search}"`) as string) : search;
  // By the letter there is nothing to forgive, and nothing to find out about what was lost.
  const isByLetter = text.includes(sent);
  const isUnspoilt =
    kind === "escaped"
      ? !search.includes("\\")
      : isByLetter &&
        (kind.endsWith("-indent") ||
          kind === "dashes-and-spaces" ||
          (kind === "trailing-space-in-file" && search.startsWith("\n")));
  if (isUnspoilt) return true;
  const at = text.indexOf(sent);
  if (at === -1 || at !== text.lastIndexOf(sent)) return false; // nowhere, or not the only one
  const line = text.slice(0, at).split("\n").length;
  return line !== place.first;
}

function tryEditCase(random: Random, kind: Mutation): EditCase {
  const functions = Array.from({ length: random.integer(4, 10) }, () => makeFunction(random));
  const lines = plantDuplicates(random, functions, kind).flat();
  const length = kind.startsWith("typo") || kind === "line-left-out" ? random.integer(4, 7) : random.integer(1, 7);
  const first = random.integer(0, lines.length - length);
  const block = lines.slice(first, first + length);
  const changed = random.integer(0, length - 1);
  const edited = editBlock(random, block, changed);
  const sent = spoil(random, kind, { block, edited, changed });
  const whole = [...lines.slice(0, first), ...edited, ...lines.slice(first + length)];
  const spaced = kind === "trailing-space-in-file" ? lines.map((line) => line + random.pick(["", " ", "\t"])) : lines;
  const shown = (texts: readonly string[]): string => `${texts.join("\n")}\n`;
  const inFile = kind === "curly-quotes" ? curl(shown(spaced)) : shown(spaced);
  return {
    kind,
    file: kind === "line-ends" ? inFile.replaceAll("\n", "\r\n") : inFile,
    search: sent.search.join("\n"),
    replacement: sent.replacement.join("\n"),
    allowsFuzzy: kind.startsWith("typo") || kind === "line-left-out",
    expected: kind === "curly-quotes" ? curl(shown(whole)) : shown(whole),
    place: { first: first + 1, last: first + length },
    isRecoverable: sent.isRecoverable && isClear(lines, block, kind),
  };
}

function makeFunction(random: Random): string[] {
  const name = `${random.pick(CALLS)}${capital(random.pick(NAMES))}${random.integer(1, 999)}`;
  const body = Array.from({ length: random.integer(2, 6) }, () => makeStatement(random)).flat();
  return [`function ${name}(${random.pick(NAMES)}) {`, ...body.map((line) => `  ${line}`), "}", ""];
}

function makeStatement(random: Random): string[] {
  const [a, b] = [random.pick(NAMES), random.pick(NAMES)];
  const number = random.integer(1, 99);
  switch (random.integer(0, 4)) {
    case 0:
      return [`const ${a} = ${random.pick(CALLS)}(${b}, ${number});`];
    case 1:
      return [`${random.pick(CALLS)}("${a} is ${b} - ${number}");`];
    case 2:
      return [`if (${a} > ${number}) {`, `  ${b} = ${random.pick(CALLS)}('${a}');`, "}"];
    case 3:
      return [`for (const ${a} of ${b}) {`, `  ${random.pick(CALLS)}(${a}, "${b}");`, `  ${b} += ${number};`, "}"];
    default:
      return [`return ${a} * ${number} + ${random.pick(CALLS)}(${b});`];
  }
}

/** Some functions come twice: word for word, deeper, or with one number changed. */
function plantDuplicates(random: Random, functions: readonly string[][], kind: Mutation): string[][] {
  const planted = functions.flatMap((lines) => {
    if (!random.chance(kind === "near-duplicate" ? 0.8 : 0.2)) return [lines];
    const copy = random.pick([
      () => lines,
      () => ["if (ready) {", ...lines.slice(0, -1).map((line) => `  ${line}`), "}", ""],
      () => lines.map((line) => line.replace(/\d+/, (number) => String(Number(number) + 1))),
    ])();
    return [lines, copy];
  });
  return planted.map((lines) => [...lines]);
}

function editBlock(random: Random, block: readonly string[], changed: number): readonly string[] {
  const old = block[changed] ?? "";
  const indent = /^ */.exec(old)?.[0] ?? "";
  const made = `${indent}trace(${random.pick(NAMES)}, ${random.integer(100, 999)});`;
  const before = block.slice(0, changed);
  const after = block.slice(changed + 1);
  switch (random.integer(0, 2)) {
    case 0:
      return [...before, old, made, ...after];
    case 1:
      return old.trim() === "" ? [...before, made, ...after] : [...before, `${old} // ${random.pick(NAMES)}`, ...after];
    default:
      return [...before, made, ...after];
  }
}

interface Sent {
  readonly search: readonly string[];
  readonly replacement: readonly string[];
  readonly isRecoverable: boolean;
}

function spoil(
  random: Random,
  kind: Mutation,
  of: { readonly block: readonly string[]; readonly edited: readonly string[]; readonly changed: number },
): Sent {
  const { block, edited } = of;
  const both = (change: (line: string, index: number) => string, isRecoverable = true): Sent => ({
    search: block.map(change),
    replacement: edited.map(change),
    isRecoverable,
  });
  switch (kind) {
    case "exact":
    case "line-ends":
    case "trailing-space-in-file":
    case "near-duplicate":
    case "curly-quotes":
      return both((line) => line);
    case "trailing-space": {
      const ends = new Map([...block, ...edited].map((line) => [line, random.pick(["", " ", "  ", "\t"])]));
      return both((line) => line + (ends.get(line) ?? ""));
    }
    case "shifted-indent": {
      const least = Math.min(
        ...[...block, ...edited].filter(isFilled).map((line) => /^ */.exec(line)?.[0].length ?? 0),
      );
      const shift = random.chance(0.5) && least > 0 ? -least : random.integer(1, 6);
      return both((line) => (!isFilled(line) ? line : shift < 0 ? line.slice(-shift) : " ".repeat(shift) + line));
    }
    case "tabs-for-spaces":
      return both((line) => line.replace(/^ +/, (indent) => "\t".repeat(indent.length / 2)));
    case "bare-first-line":
      return both((line, index) => (index === 0 ? line.trimStart() : line), edited[0] === block[0]);
    case "flattened-indent":
      // How deep new lines belong is lost; only a change that touches no depth can be told.
      return both((line) => line.trimStart(), false);
    case "turned-quotes":
      return both(
        (line) => line.replace(/["']/g, (quote) => (quote === '"' ? "'" : '"')),
        !changesQuotes(block, edited),
      );
    case "dashes-and-spaces":
      return both((line) => line.replace(/(?<=\S)-(?=\s)/g, "–").replace(/(?<=\S) (?=\S)/, "\u00A0"), isSamePrefix(of));
    case "escaped":
      return {
        search: [JSON.stringify(block.join("\n")).slice(1, -1)],
        replacement: [JSON.stringify(edited.join("\n")).slice(1, -1)],
        isRecoverable: true,
      };
    case "indent-and-quotes":
      return both((line) => (isFilled(line) ? `    ${curl(line)}` : line));
    case "typo-beside":
    case "typo-in-place": {
      const isBeside = kind === "typo-beside";
      const others = block.flatMap((line, at) => (at === of.changed || !/[a-z]{4}/.test(line) ? [] : [at]));
      const at = isBeside && others.length > 0 ? random.pick(others) : of.changed;
      const wrong = (block[at] ?? "").replace(/[a-z]{4}/, (word) => `${word.slice(0, 2)}q${word.slice(3)}`);
      const put = (lines: readonly string[]): readonly string[] =>
        lines.map((line) => (line === block[at] ? wrong : line));
      // Likeness is only for texts long enough to be sure of, with both ends known.
      return { search: put(block), replacement: put(edited), isRecoverable: false };
    }
    case "line-left-out": {
      const at = block.findIndex(
        (line, index) => index > 0 && index < block.length - 1 && index !== of.changed && isFilled(line),
      );
      // The same line may stand there more than once: the one that is meant is left out, and no other.
      const before = block.slice(0, at).filter((line, index) => line === block[at] && index !== of.changed).length;
      let seen = 0;
      const inEdited = edited.findIndex((line) => line === block[at] && (seen += 1) > before);
      if (at === -1 || inEdited === -1) return { search: block, replacement: edited, isRecoverable: false };
      return { search: block.toSpliced(at, 1), replacement: edited.toSpliced(inEdited, 1), isRecoverable: false };
    }
  }
}

/** Whether the block stands once in the file, with all forgiven that the mutation spoils. */
function isClear(lines: readonly string[], block: readonly string[], kind: Mutation): boolean {
  const isByLetter = kind === "exact" || kind === "line-ends" || kind === "near-duplicate" || kind === "escaped";
  const search = isByLetter ? block.join("\n") : block.map(plain).join("\n");
  if (search.replace(/\s/g, "").length < 3) return false;
  const text = isByLetter ? lines.join("\n") : lines.map(plain).join("\n");
  return text.indexOf(search) === text.lastIndexOf(search);
}

function plain(line: string): string {
  return line
    .trim()
    .replace(/["“”']/g, "'")
    .replaceAll("–", "-")
    .replaceAll("\u00A0", " ");
}

function curl(text: string): string {
  return text.replace(/"([^"\n]*)"/g, "“$1”");
}

function changesQuotes(block: readonly string[], edited: readonly string[]): boolean {
  const quotes = (lines: readonly string[]): number => lines.join("").replace(/[^'"]/g, "").length;
  return quotes(block) !== quotes(edited);
}

/** A line that is changed where a character was exchanged may keep the exchanged one. */
function isSamePrefix(of: {
  readonly block: readonly string[];
  readonly edited: readonly string[];
  readonly changed: number;
}): boolean {
  return of.edited.includes(of.block[of.changed] ?? "") || !/[- ]/.test((of.block[of.changed] ?? "").trim());
}

function isFilled(line: string): boolean {
  return line.trim() !== "";
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
