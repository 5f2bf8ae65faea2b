import { RegExpParser, type AST } from "@eslint-community/regexpp";
import { compileCounter, type CountedSearch } from "./count-steps.ts";

/** A text that a pattern takes the square of its length for, or worse: `pump` is repeated. */
export interface SlowText {
  readonly lead: string;
  readonly pump: string;
  readonly tail: string;
}

/** Each four times the one before: a linear search then takes four times the steps, a square one in the end sixteen. */
const LENGTHS = [
  { length: 64, steep: 4.5 },
  { length: 256, steep: 5.5 },
  { length: 1_024, steep: 8 },
] as const;
const SHORTEST_LENGTH = 16;
/** More than a thousand for each letter of the longest text: the cube of a length, or a search that doubles with each letter. */
const MOST_STEPS = 2_000_000;
const TAILS = ["", "\u0000", "\n!"] as const;

/**
 * Looks for a text that holds a pattern up: whatever its loops take, repeated, after what leads to them and before what
 * makes them fail. Undefined when the steps of every such text grow as its length does. Throws on what is no pattern.
 */
export function findSlowText(source: string, flags: string): SlowText | undefined {
  const { leads, pumps } = makePieces(source, flags);
  if (pumps.length === 0) return undefined;
  const search = compileCounter(source, flags);
  for (const pump of pumps)
    for (const lead of leads)
      for (const tail of TAILS) if (isSteep(search, { lead, pump, tail })) return { lead, pump, tail };
  return undefined;
}

/** Whether the steps grow faster than the text from each length to the next; stops at the first where they do not. */
function isSteep(search: CountedSearch, { lead, pump, tail }: SlowText): boolean {
  const textOf = (length: number): string => lead + pump.repeat(Math.ceil(length / pump.length)) + tail;
  let before = search(textOf(SHORTEST_LENGTH), MOST_STEPS).steps;
  if (before > MOST_STEPS) return true;
  for (const { length, steep } of LENGTHS) {
    const { steps } = search(textOf(length), MOST_STEPS);
    if (steps > MOST_STEPS) return true;
    if (steps <= before * steep) return false;
    before = steps;
  }
  return true;
}

/** What leads to each loop of a pattern, and what may be repeated there. */
function makePieces(
  source: string,
  flags: string,
): { readonly leads: readonly string[]; readonly pumps: readonly string[] } {
  const mode = { unicode: flags.includes("u"), unicodeSets: flags.includes("v") };
  const root = new RegExpParser({ ecmaVersion: 2025 }).parsePattern(source, 0, source.length, mode);
  const leads = new Set<string>(["", "\u0000"]);
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
