import { RegExpParser, type AST } from "@eslint-community/regexpp";

/** A text that holds a pattern up, and for how long. */
export interface SlowText {
  readonly lead: string;
  readonly pump: string;
  readonly tail: string;
  readonly milliseconds: number;
}

/** Attacks begin short and grow by little: one whose time doubles with each letter shows before it takes hours. */
const LENGTHS = [
  12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 36, 40, 48, 68, 96, 136, 192, 272, 400, 600, 900, 1_200,
] as const;
/** The square of the last length is some hundred thousand steps, a few milliseconds; its cube some hundred million. */
const SLOW_MS = 100;
/** On a busy machine any one try may be slow. */
const TRIES = 5;
const HOPELESS_MS = 500;
const TAILS = ["", "\u0000", "\n!"] as const;

/**
 * Looks for a short text that takes a pattern the cube of its length or worse: whatever its loops take, repeated, after
 * what leads to them and before what makes them fail. Undefined when there is none. Throws on what is no pattern.
 */
export function findSlowText(source: string, flags: string): SlowText | undefined {
  const pattern = new RegExp(source, flags);
  const { leads, pumps } = makePieces(source, flags);
  for (const pump of pumps) {
    for (const lead of leads) {
      for (const tail of TAILS) {
        for (const length of LENGTHS) {
          const text = lead + pump.repeat(Math.ceil(length / pump.length)) + tail;
          const milliseconds = leastTime(pattern, text);
          if (milliseconds >= SLOW_MS) return { lead, pump, tail, milliseconds };
        }
      }
    }
  }
  return undefined;
}

function leastTime(pattern: RegExp, text: string): number {
  let least = Infinity;
  for (let tries = 0; tries < TRIES && least >= SLOW_MS; tries += 1) {
    const milliseconds = timeOf(pattern, text);
    if (milliseconds >= HOPELESS_MS) return milliseconds;
    least = Math.min(least, milliseconds);
  }
  return least;
}

/**
 * The less of two: other processes add to the time of the clock, other threads of this one to that of the processor. A
 * pattern that is used again and again on one text is, here too.
 */
function timeOf(pattern: RegExp, text: string): number {
  const beganMs = performance.now();
  const begin = process.cpuUsage();
  if (pattern.global) text.replace(pattern, "");
  else pattern.exec(text);
  const { user, system } = process.cpuUsage(begin);
  return Math.min(performance.now() - beganMs, (user + system) / 1_000);
}

/** What leads to each loop of a pattern, and what may be repeated there. */
function makePieces(
  source: string,
  flags: string,
): { readonly leads: readonly string[]; readonly pumps: readonly string[] } {
  const mode = { unicode: flags.includes("u"), unicodeSets: flags.includes("v") };
  const root = new RegExpParser({ ecmaVersion: 2025 }).parsePattern(source, 0, source.length, mode);
  const leads = new Set<string>([""]);
  const pumps = new Set<string>();
  const letters = new Set<string>();
  const visit = (node: AST.Element | AST.Alternative, before: string): void => {
    switch (node.type) {
      case "Alternative": {
        let led = before;
        for (const element of node.elements) {
          visit(element, led);
          led += sampleOf(element);
        }
        return;
      }
      case "Quantifier": {
        if (node.max > MANY) {
          const body = sampleOf(node.element);
          if (body !== "") pumps.add(body);
          if (before !== "") {
            leads.add(before);
            pumps.add(before);
            pumps.add(before + body);
          }
          lettersOf(node.element, letters);
        }
        visit(node.element, before);
        return;
      }
      case "Group":
      case "CapturingGroup":
      case "Assertion":
        if ("alternatives" in node) for (const alternative of node.alternatives) visit(alternative, before);
        return;
      default:
        return;
    }
  };
  for (const alternative of root.alternatives) visit(alternative, "");
  if (pumps.size > 0) for (const letter of letters) pumps.add(letter);
  return { leads: [...leads].slice(0, MAX_LEADS), pumps: [...pumps].slice(0, MAX_PUMPS) };
}

/** A loop of more turns than this is one that an attacker can make long. */
const MANY = 200;
const MAX_LEADS = 8;
const MAX_PUMPS = 40;
const PROBES = Array.from(" a0_-./\"'<>=,:;@#*()[]{}|\\&A\n\té漢");

/** One text that an element matches. */
function sampleOf(node: AST.Element): string {
  switch (node.type) {
    case "Character":
      return String.fromCodePoint(node.value);
    case "CharacterSet":
    case "CharacterClass":
    case "ExpressionCharacterClass":
      return PROBES.find((probe) => isIn(node, probe)) ?? "";
    case "Quantifier":
      return sampleOf(node.element).repeat(Math.min(MANY, Math.max(node.min, Math.min(1, node.max))));
    case "Group":
    case "CapturingGroup":
      return (node.alternatives[0]?.elements ?? []).map(sampleOf).join("");
    default:
      return "";
  }
}

function lettersOf(node: AST.Element, letters: Set<string>): void {
  switch (node.type) {
    case "Character":
      letters.add(String.fromCodePoint(node.value));
      return;
    case "CharacterSet":
    case "CharacterClass":
    case "ExpressionCharacterClass":
      for (const probe of PROBES) if (isIn(node, probe)) letters.add(probe);
      return;
    case "Quantifier":
      lettersOf(node.element, letters);
      return;
    case "Group":
    case "CapturingGroup":
      for (const { elements } of node.alternatives) for (const element of elements) lettersOf(element, letters);
      return;
    default:
      return;
  }
}

const classTests = new Map<string, RegExp>();

function isIn({ raw }: AST.Element, probe: string): boolean {
  let test = classTests.get(raw);
  if (test === undefined) classTests.set(raw, (test = compileClass(raw)));
  return test.test(probe);
}

/** By the flag that it is valid under: sets of properties and differences of sets need theirs. */
function compileClass(raw: string): RegExp {
  for (const flags of ["", "u", "v"]) {
    if (flags === "" && /\\[pP]\{|--|&&/.test(raw)) continue;
    try {
      return new RegExp(`^${raw}$`, flags);
    } catch {
      continue; // the next flag may allow it
    }
  }
  return /^a$/;
}
