import { diffArrays } from "diff";
import type { FoundText } from "./find-text.ts";
import { indentOf, learnIndents } from "./reindent.ts";
import { unescapeText } from "./unescape-text.ts";

/**
 * What to put in the place of a found region: the replacement, in the file's own manner.
 * Lines that the edit does not change stay as the file has them; others get the file's indentation and
 * keep its punctuation where it was the same. Undefined when the depth of a line cannot be told.
 */
export function fitReplacement(region: string, found: FoundText, replacement: string): string | undefined {
  const wanted = found.step === "escapes" ? unescapeText(replacement) : replacement;
  if (found.step === "exact" || (found.step === "escapes" && !found.isByWhitespace)) return wanted;
  const hasLineEnd = found.search.endsWith("\n");
  const searched = linesWithin(found.search, hasLineEnd);
  const inFile = linesWithin(region, hasLineEnd && region.endsWith("\n"));
  const lines = linesWithin(wanted, hasLineEnd && wanted.endsWith("\n"));
  const fitted = fitLines(inFile, searched, lines);
  if (fitted === undefined) return undefined;
  const end = hasLineEnd && wanted.endsWith("\n") && region.endsWith("\n") ? "\n" : "";
  return fitted.join("\n") + end;
}

function linesWithin(text: string, hasLineEnd: boolean): readonly string[] {
  return (hasLineEnd ? text.slice(0, -1) : text).split("\n");
}

function fitLines(
  inFile: readonly string[],
  searched: readonly string[],
  wanted: readonly string[],
): readonly string[] | undefined {
  const toFile = indentRule(inFile, searched, wanted);
  if (toFile === undefined) return undefined;
  const toPlain = learnPlainForms(inFile, searched);
  const fitted: string[] = [];
  let at = 0; // in `searched`, and with it in `inFile`: a match goes line by line
  for (const part of pairParts(searched, wanted)) {
    if (part.kind === "kept") {
      fitted.push(...inFile.slice(at, at + part.count));
      at += part.count;
      continue;
    }
    for (const [index, line] of part.added.entries()) {
      const old = part.removed[index];
      const isFirst = fitted.length === 0 && index === 0;
      const changed = fitLine(toPlain(line), {
        searched: old === undefined ? undefined : toPlain(old),
        inFile: old === undefined ? undefined : inFile[at + index],
        toFile,
        firstIndent: isFirst && toFile.isFirstLineBare ? indentOf(inFile[0] ?? "") : undefined,
      });
      if (changed === undefined) return undefined;
      fitted.push(changed);
    }
    at += part.removed.length;
  }
  return fitted;
}

interface IndentRule {
  readonly of: (indent: string) => string | undefined;
  /** A model that copies from the middle of a line loses the indentation of the first one alone. */
  readonly isFirstLineBare: boolean;
}

function indentRule(
  inFile: readonly string[],
  searched: readonly string[],
  wanted: readonly string[],
): IndentRule | undefined {
  const pairs = searched.flatMap((line, index) =>
    line.trim() === "" ? [] : [{ index, searched: indentOf(line), inFile: indentOf(inFile[index] ?? "") }],
  );
  const [first, ...rest] = pairs;
  const isFirstLineBare =
    first?.index === 0 &&
    first.searched === "" &&
    first.inFile !== "" &&
    rest.length > 0 &&
    rest.every((pair) => pair.searched === pair.inFile);
  const others = wanted.filter((line) => line.trim() !== "").map(indentOf);
  const of = learnIndents(isFirstLineBare ? rest : pairs, others);
  return of === undefined ? undefined : { of, isFirstLineBare };
}

function fitLine(
  line: string,
  of: {
    readonly searched: string | undefined;
    readonly inFile: string | undefined;
    readonly toFile: IndentRule;
    readonly firstIndent: string | undefined;
  },
): string | undefined {
  if (line.trim() === "") return line.trim() === line ? line : "";
  const given = indentOf(line);
  const indent = given === "" && of.firstIndent !== undefined ? of.firstIndent : of.toFile.of(given);
  if (indent === undefined) return undefined;
  const body = line.slice(given.length);
  const { searched, inFile } = of;
  return (
    indent + (searched === undefined || inFile === undefined ? body : keepForm(body, searched.trim(), inFile.trim()))
  );
}

/** Where a search has fine quotes, dashes or spaces and the file plain ones, new text gets plain ones too. */
function learnPlainForms(inFile: readonly string[], searched: readonly string[]): (text: string) => string {
  const plain = new Map<string, string>();
  for (const [index, line] of searched.entries()) {
    const [sent, there] = [line.trim(), (inFile[index] ?? "").trim()];
    if (sent.length !== there.length) continue;
    for (let at = 0; at < sent.length; at += 1) {
      const [from = "", to = ""] = [sent[at], there[at]];
      if (from !== to && from > "\u007F" && to <= "\u007F") plain.set(from, to);
    }
  }
  return plain.size === 0 ? (text) => text : (text) => text.replace(/[^\0-\u007F]/g, (each) => plain.get(each) ?? each);
}

/** What a change of a line leaves alone keeps the form it has in the file. */
function keepForm(wanted: string, searched: string, inFile: string): string {
  if (searched === inFile || searched.length !== inFile.length) return wanted;
  const shortest = Math.min(wanted.length, searched.length);
  let head = 0;
  while (head < shortest && wanted[head] === searched[head]) head += 1;
  let tail = 0;
  while (tail < shortest - head && wanted.at(-1 - tail) === searched.at(-1 - tail)) tail += 1;
  const middle = wanted.slice(head, wanted.length - tail);
  // Quotes of two kinds in one line could end a string early: then the line stays as it was asked for.
  if (/['"`]/.test(middle)) return wanted;
  return inFile.slice(0, head) + middle + inFile.slice(inFile.length - tail);
}

type Part =
  | { readonly kind: "kept"; readonly count: number }
  | { readonly kind: "changed"; readonly removed: readonly string[]; readonly added: readonly string[] };

/** The edit as runs of lines that stay and runs that are exchanged. */
function pairParts(searched: readonly string[], wanted: readonly string[]): readonly Part[] {
  const parts: Part[] = [];
  let removed: readonly string[] = [];
  let added: readonly string[] = [];
  const flush = (): void => {
    if (removed.length > 0 || added.length > 0) parts.push({ kind: "changed", removed, added });
    [removed, added] = [[], []];
  };
  for (const change of diffArrays([...searched], [...wanted])) {
    if (change.removed) removed = [...removed, ...change.value];
    else if (change.added) added = [...added, ...change.value];
    else {
      flush();
      parts.push({ kind: "kept", count: change.value.length });
    }
  }
  flush();
  return parts;
}
