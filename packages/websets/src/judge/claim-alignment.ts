import { stemWords } from "./word-match.ts";

/** The names of the measures of alignment, in the order of the model's columns. */
export const ALIGNMENT_FEATURES = [
  "firstShare",
  "twoShare",
  "threeShare",
  "longestRun",
  "commonOrder",
  "leansOnContext",
  "yearsMissing",
  "yearsMissingNear",
  "numbersMissingNear",
  "namesMissingShare",
  "namesMissingNearShare",
  "missingShare",
  "parts",
  "beginsWithPronoun",
  "claimWords",
  "evidenceSize",
] as const;

/** What alignment is measured on: the claim's different words, and which of them each sentence has. */
export interface AlignmentInput {
  readonly claim: string;
  readonly sentences: readonly string[];
  readonly wanted: readonly string[];
  readonly covered: readonly (readonly string[])[];
  /** The sentences that have most of the claim, best first. */
  readonly top: readonly number[];
}

const FEW = 3;

/** Measures how much of a claim few sentences say together, in its own words and order, and what nobody says. */
export function measureAlignment(input: AlignmentInput): Readonly<Record<(typeof ALIGNMENT_FEATURES)[number], number>> {
  const { claim, sentences, wanted, covered, top } = input;
  const [first = 0, two = 0, three = 0] = sharesOfFew(wanted, covered);
  const near = top.map((index) => sentences[index] ?? "").join(" ");
  const whole = sentences.join(" ");
  const years = distinct(claim.match(/\b(?:1[5-9]|20)\d\d\b/g));
  const numbers = distinct(claim.match(/\d+(?:[.,]\d+)*/g));
  const names = distinct(claim.slice(1).match(/(?<![.!?]\s)(?<=[\s(“"'-])\p{Lu}\p{L}+/gu));
  const missing = (list: readonly string[], text: string): number => list.filter((one) => !text.includes(one)).length;
  const spoken = stemsOf(claim);
  const best = stemsOf(sentences[top[0] ?? 0] ?? "");
  const there = new Set(covered.flat());
  return {
    firstShare: first,
    twoShare: two,
    threeShare: three,
    longestRun: longestRun(spoken, best) / Math.max(1, spoken.length),
    commonOrder: longestCommonOrder(spoken, best) / Math.max(1, spoken.length),
    leansOnContext: claim.match(LEANS_ON_CONTEXT)?.length ?? 0,
    yearsMissing: missing(years, whole),
    yearsMissingNear: missing(years, near),
    numbersMissingNear: missing(numbers, near),
    namesMissingShare: missing(names, whole) / Math.max(1, names.length),
    namesMissingNearShare: missing(names, near) / Math.max(1, names.length),
    missingShare: wanted.filter((stem) => !there.has(stem)).length / Math.max(1, wanted.length),
    parts: claim.match(PART)?.length ?? 0,
    beginsWithPronoun: Number(PRONOUN.test(claim)),
    claimWords: Math.log(1 + wanted.length),
    evidenceSize: Math.log(1 + sentences.length),
  };
}

/** Words that point at what was said before, which the evidence cannot know. */
const LEANS_ON_CONTEXT = /\b(?:same|following|previous|next|then|later|first|second|also|again)\b/gi;
const PART = /,|\b(?:and|while|which|with|who)\b/gi;
const PRONOUN = /^(?:it|he|she|they|his|her|the|this|their)\b/i;

function distinct(found: readonly string[] | null): readonly string[] {
  return [...new Set(found ?? [])];
}

function stemsOf(text: string): readonly string[] {
  return stemWords(text).map(({ stem }) => stem);
}

/** The shares of the claim's words that the one, two and three sentences have that say most together. */
function sharesOfFew(wanted: readonly string[], covered: readonly (readonly string[])[]): readonly number[] {
  const said = new Set<string>();
  return Array.from({ length: FEW }, () => {
    let most: readonly string[] = [];
    for (const stems of covered) {
      const more = stems.filter((stem) => !said.has(stem));
      if (more.length > most.length) most = more;
    }
    for (const stem of most) said.add(stem);
    return said.size / Math.max(1, wanted.length);
  });
}

function longestRun(one: readonly string[], other: readonly string[]): number {
  let longest = 0;
  let row = new Uint16Array(other.length + 1);
  for (const stem of one) {
    const next = new Uint16Array(other.length + 1);
    for (const [index, word] of other.entries()) {
      if (word !== stem) continue;
      const run = (row[index] ?? 0) + 1;
      next[index + 1] = run;
      longest = Math.max(longest, run);
    }
    row = next;
  }
  return longest;
}

/** The length of the longest sequence of words that both have in this order. */
function longestCommonOrder(one: readonly string[], other: readonly string[]): number {
  let row = new Uint16Array(other.length + 1);
  for (const stem of one) {
    const next = new Uint16Array(other.length + 1);
    for (const [index, word] of other.entries()) {
      next[index + 1] = word === stem ? (row[index] ?? 0) + 1 : Math.max(row[index + 1] ?? 0, next[index] ?? 0);
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
