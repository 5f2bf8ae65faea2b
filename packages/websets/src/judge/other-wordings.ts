import { hasShortForm } from "./asked-words.ts";
import { writtenStems } from "./word-match.ts";

/** Bracketed words that only give examples: a page need not say them. */
const EXAMPLES = /^(?:e\.?\s?g\b|i\.?\s?e\b|for example|such as|like|etc)/i;
const SMALL_WORDS = new Set(["and", "of", "the", "for", "in", "to", "a", "an"]);

/**
 * A criterion in each of the wordings that it offers itself: "supports single sign-on (SSO)" is met by either name, "e-mail" by
 * "email" (but nobody writes "familyowned", which any "family" would do for). Brackets that hold neither a short form nor examples stay.
 */
export function otherWordings(criterion: string): readonly string[] {
  const wordings = outOfBrackets(criterion).flatMap((one) => [one, ...inGerman(one), ...inFull(one)]);
  return [
    ...new Set([...wordings, ...wordings.map((one) => one.replaceAll(/(?<=(?<![\p{L}-])\p{L}{1,4})-(?=\p{L})/gu, ""))]),
  ];
}

/** Certificates are said of in German alike, and in French by words that ours begin as. */
function inGerman(criterion: string): readonly string[] {
  return CERTIFIED.test(criterion) ? [criterion.replace(CERTIFIED, "zertifiziert")] : [];
}

function inFull(criterion: string): readonly string[] {
  return hasShortForm(criterion) ? [criterion.replace(/\bIT\b/, "information technology")] : [];
}

const CERTIFIED = /\bcertifi(?:ed|cation|cate)\b/i;

/**
 * The criteria either of which meets one with "or": "sells HR or payroll software" is met by payroll software. What both share is
 * told by the form of the word before "or"; where it cannot be told, an alternative asks for more rather than less.
 */
export function alternativesIn(criterion: string): readonly string[] {
  return [...criterion.matchAll(/\sor\s/gi)].length > MAX_CHOICES ? [] : [...new Set(readAlternatives(criterion))];
}

/** A criterion with more of them is no choice that anybody reads, and each doubles what must be looked for. */
const MAX_CHOICES = 3;

function readAlternatives(criterion: string): readonly string[] {
  const found = /(?<![\p{L}\p{N}'’-])(?<first>[\p{L}\p{N}'’-]+),? or (?<rest>\S.*)$/su.exec(criterion);
  const { first, rest } = found?.groups ?? {};
  if (found === null || first === undefined || rest === undefined || NO_ALTERNATIVES.test(criterion)) return [];
  const before = criterion.slice(0, found.index);
  const [second = "", ...shared] = rest.split(/\s/);
  const isWhole = /[^s]s$/iu.test(first) || /^(?:an?|the)$/i.test(second) || shared.length === 0;
  const left = `${before}${first}${isWhole ? "" : ` ${shared.join(" ")}`}`;
  const own = /^(?:an?|the)$/i.test(second) ? before.replace(/(?<!\S)(?:an?|the)\s(?:\S+\s){0,3}$/iu, "") : before;
  return [left, `${own}${rest}`].flatMap((one) => [...readAlternatives(one), one]);
}

/** "Two or more" is a number, "whether or not" no choice. */
const NO_ALTERNATIVES =
  /\bor (?:more|less|fewer|later|earlier|newer|older|greater|higher|lower|above|below|after|before|not|so|other|others|similar|equivalent|without)\b|\b(?:either|whether|not|no|never|without)\b/i;

function outOfBrackets(criterion: string): readonly string[] {
  const found = /\(([^()]{1,80})\)/.exec(criterion);
  const inner = found?.[1]?.trim() ?? "";
  if (found === null || inner === "") return [criterion];
  const before = criterion.slice(0, found.index).trimEnd();
  const behind = criterion.slice(found.index + found[0].length);
  if (EXAMPLES.test(inner)) return [`${before}${behind}`];
  const long = longForm(before, inner);
  if (long !== undefined)
    return [`${before}${behind}`, ...(isTelling(inner) ? [`${before.slice(0, long)}${inner}${behind}`] : [])];
  const word = /(?<!\S)\S+$/.exec(before);
  if (word !== null && longForm(inner, word[0]) === 0)
    return [...(isTelling(word[0]) ? [`${before}${behind}`] : []), `${before.slice(0, word.index)}${inner}${behind}`];
  return [criterion];
}

/** "OR" for an operating room is a stop word: a page of "services" would do for "OR services". */
function isTelling(short: string): boolean {
  return hasShortForm(`the ${short}`) || writtenStems(short).length > 0;
}

/** Where the words at the end of a text begin whose first letters a short form is made of. */
function longForm(text: string, short: string): number | undefined {
  if (!/^\p{Lu}[\p{L}\p{N}&.-]{1,9}$/u.test(short)) return undefined;
  const letters = Array.from(
    short
      .replace(/s$/, "")
      .toLowerCase()
      .replaceAll(/[^\p{L}]/gu, ""),
  );
  if (letters.length < 2) return undefined;
  let start: number | undefined;
  for (const { 0: word, index } of [...text.matchAll(/[\p{L}\p{N}]+/gu)].reverse()) {
    const lower = word.toLowerCase();
    if (lower.startsWith(letters.at(-1) ?? "")) {
      letters.pop();
      start = index;
      if (letters.length === 0) return start;
    } else if (start === undefined || !SMALL_WORDS.has(lower)) return undefined;
  }
  return undefined;
}
