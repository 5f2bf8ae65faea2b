import { ALIGNMENT_FEATURES, measureAlignment } from "./claim-alignment.ts";
import { measureStance, STANCE_FEATURES } from "./claim-stance.ts";
import { CLAUSE_FEATURES, measureClauses } from "./study-clauses.ts";
import { measureStudy, STUDY_FEATURES } from "./study-results.ts";
import { contentStems, sameStem, stemWords } from "./word-match.ts";

/** The names of the measures of overlap and denial, in the order of the model's columns. */
export const OVERLAP_FEATURES = [
  "bestCoverage",
  "topCoverage",
  "wholeCoverage",
  "bigramCoverage",
  "rareCoverage",
  "numberCoverage",
  "numberMissing",
  "nameCoverage",
  "nameMissing",
  "missingWords",
  "negationDiffers",
  "evidenceNegated",
  "claimNegated",
  "opposites",
  "contrast",
  "doubt",
  "claimAbsolute",
  "claimLength",
  "sentences",
  "hedged",
  "secondCoverage",
  "orderKept",
  "causes",
  "shareWords",
] as const;

/** The names of the measures of likeness, in the order of the model's columns: `plain` ones count only what nothing bars. */
export const LIKENESS_FEATURES = [
  "likeness",
  "squaredLikeness",
  "plain",
  "plainLikeness",
  "plainSquaredLikeness",
] as const;

/** The names of everything a claim and its evidence are measured by, in the order of the model's columns. */
export const VERDICT_FEATURES = [
  ...ALIGNMENT_FEATURES,
  ...STUDY_FEATURES,
  ...CLAUSE_FEATURES,
  ...OVERLAP_FEATURES,
  ...LIKENESS_FEATURES,
  ...STANCE_FEATURES,
] as const;

/** A claim and the sentences that may carry it. */
export interface ClaimEvidence {
  readonly claim: string;
  readonly sentences: readonly string[];
  readonly vectors?: ClaimVectors | undefined;
}

/** The embeddings of a claim and of its sentences, at unit length; of a question's sentences none. */
export interface ClaimVectors {
  readonly claim: Float32Array;
  readonly sentences: readonly Float32Array[];
}

/** What was measured, and the sentences that have most of the claim's words, best first. */
export interface VerdictMeasures {
  readonly features: readonly number[];
  readonly best: readonly number[];
  /** Something stands against a plain yes, whatever the measures say: a number that nobody gives, a denial, a reserve. */
  readonly isBarred: boolean;
  /** Of a question its embedding; of a claim what its embedding has in common with the best sentence's, number by number. */
  readonly vector: Float32Array | undefined;
}

const TOP = 3;

/** Measures how far sentences carry, deny or leave open a claim. */
export function measureClaim({ claim, sentences, vectors }: ClaimEvidence): VerdictMeasures {
  const wanted = [...new Set(contentStems(claim))];
  const words = sentences.map((sentence) => stemWords(sentence).map(({ stem }) => stem));
  const frequency = new Map<string, number>();
  for (const list of words) for (const stem of new Set(list)) frequency.set(stem, (frequency.get(stem) ?? 0) + 1);
  const rarity = (stem: string): number => Math.log(1 + sentences.length / (1 + (frequency.get(stem) ?? 0))) + 0.2;
  const total = sum(wanted.map(rarity)) || 1;
  // each word of the claim is compared with every different word of the evidence once, not once a sentence
  const forms = new Map(wanted.map((stem) => [stem, [...frequency.keys()].filter((one) => sameStem(one, stem))]));
  const covered = words.map((list) => {
    const there = new Set(list);
    return wanted.filter((stem) => forms.get(stem)?.some((form) => there.has(form)) ?? false);
  });
  const scores = covered.map((stems) => sum(stems.map(rarity)) / total);
  const best = scores.map((_, index) => index).sort((one, other) => (scores[other] ?? 0) - (scores[one] ?? 0));
  const top = best.slice(0, TOP);
  const first = best[0] ?? 0;
  const bestText = sentences[first] ?? "";
  const topText = top.map((index) => sentences[index] ?? "").join(" ");
  const whole = sentences.join(" ");
  const topStems = new Set(top.flatMap((index) => covered[index] ?? []));
  const allStems = wanted.filter((stem) => covered.some((list) => list.includes(stem)));
  const bestStems = covered[first] ?? [];
  const numbers = [...new Set(claim.match(/\d+(?:[.,]\d+)*/g) ?? [])];
  const names = [
    ...new Set(
      Array.from(
        claim.matchAll(/(?=\p{Lu})(?<=[\p{L}\p{N},;:)"”’]\s+["“(]?)\p{Lu}[\p{L}\p{N}'’-]*/gu),
        ([name]) => name,
      ),
    ),
  ];
  const count = (pattern: RegExp, text: string): number => text.match(pattern)?.length ?? 0;
  const topLower = topText.toLowerCase();
  const study = isQuestion(claim) ? measureStudy(claim, sentences, scores) : undefined;
  const clauses = isQuestion(claim) ? measureClauses(claim, sentences) : undefined;
  const overlap: Readonly<Record<(typeof OVERLAP_FEATURES)[number], number>> = {
    bestCoverage: scores[first] ?? 0,
    topCoverage: sum([...topStems].map(rarity)) / total,
    wholeCoverage: sum(allStems.map(rarity)) / total,
    bigramCoverage: bigramCoverage(claim, bestText),
    rareCoverage: rareCoverage(wanted, topStems, rarity),
    numberCoverage: numbers.length === 0 ? 1 : numbers.filter((one) => topText.includes(one)).length / numbers.length,
    numberMissing: numbers.filter((one) => !whole.includes(one)).length,
    nameCoverage: names.length === 0 ? 1 : names.filter((one) => topText.includes(one)).length / names.length,
    nameMissing: names.filter((one) => !whole.includes(one)).length,
    missingWords: wanted.length - allStems.length,
    negationDiffers: Number(count(NEGATION, claim) % 2 !== count(NEGATION, bestText) % 2),
    evidenceNegated: count(NEGATION, bestText),
    claimNegated: count(NEGATION, claim),
    opposites: opposites(wanted, words[first] ?? []),
    contrast: count(CONTRAST, topLower),
    doubt: count(DOUBT, topLower),
    claimAbsolute: count(ABSOLUTE, claim),
    claimLength: wanted.length,
    sentences: Math.min(200, sentences.length),
    hedged: count(HEDGED, whole),
    secondCoverage: scores[best[1] ?? -1] ?? 0,
    orderKept: orderKept(wanted, words[first] ?? []),
    causes: count(CAUSES, claim),
    shareWords: bestStems.length / Math.max(1, new Set(words[first] ?? []).size),
  };
  const isLone = !isQuestion(claim) && sentences.length <= MAX_LONE_SENTENCES;
  const stance = isLone ? measureStance(claim, whole) : undefined;
  const isPlain = !(clauses?.isBarred ?? isBarredByWords(claim, sentences, overlap));
  const vector = isQuestion(claim) ? vectors?.claim : multiply(vectors?.claim, vectors?.sentences[first]);
  const near = isQuestion(claim) ? 0 : sum([...(vector ?? [])]);
  const features: Partial<Readonly<Record<(typeof VERDICT_FEATURES)[number], number>>> = {
    ...measureAlignment({ claim, sentences, wanted, covered, top }),
    ...study,
    ...clauses?.features,
    ...overlap,
    likeness: near,
    squaredLikeness: near ** 2,
    plain: Number(isPlain),
    plainLikeness: isPlain ? near : 0,
    plainSquaredLikeness: isPlain ? near ** 2 : 0,
    ...stance?.features,
  };
  return {
    features: VERDICT_FEATURES.map((name) => features[name] ?? 0),
    best,
    isBarred: !isPlain || (stance?.isBarred ?? false),
    vector,
  };
}

/** Questions are asked of studies: "Does parity increase insulin resistance?" */
export function isQuestion(claim: string): boolean {
  return claim.trim().endsWith("?");
}

/** So few sentences are each taken as a whole answer; more of them are a page. */
export const MAX_LONE_SENTENCES = 2;

/** So few sentences are judged one by one when their embeddings are known: one that carries the claim is enough. */
export const MAX_LIKENED_SENTENCES = 8;

function multiply(one: Float32Array | undefined, other: Float32Array | undefined): Float32Array | undefined {
  return other === undefined ? undefined : one?.map((value, index) => value * (other[index] ?? 0));
}

/** What bars a plain yes where no study answers a question. */
function isBarredByWords(
  claim: string,
  sentences: readonly string[],
  overlap: Readonly<Record<(typeof OVERLAP_FEATURES)[number], number>>,
): boolean {
  if (overlap.numberMissing > 0 || overlap.negationDiffers > 0) return true;
  if (sentences.length > MAX_LONE_SENTENCES) return POINTS_AWAY.test(claim);
  return overlap.opposites > 0 || overlap.doubt > 0 || overlap.contrast > 0;
}

/** "The same year", "a week later", "these charges": what a page cannot know is meant. */
const POINTS_AWAY =
  /\b(?:(?:the|that) same (?:year|month|day|week|season|time)|(?:following|previous|next) (?:year|month|day|week|season|morning)|(?:year|month|week|day|decade|season)s? (?:later|earlier|before|after)|that (?:year|month|day|season)|these|those|this|such)\b/i;

const NEGATION =
  /\b(?:not|no|never|none|neither|nor|without|cannot|lack(?:s|ed|ing)?|fail(?:s|ed)?|nobody|nothing|unlikely)\b|n['’]t\b/gi;
const CONTRAST =
  /\b(?:however|but|although|though|despite|contrary|whereas|instead|rather|nevertheless|in contrast|on the other hand)\b/g;
const DOUBT =
  /\b(?:myth|false|misleading|incorrect|wrong|denial|deny|denies|skeptic\w*|sceptic\w*|debunk\w*|refut\w*|disput\w*|controvers\w*|alleg\w*|claim(?:s|ed)?|pseudo\w*|no evidence|error)\b/g;
const ABSOLUTE =
  /\b(?:all|always|every|only|never|none|no|entirely|completely|any|most|nothing|first|largest|sole)\b/gi;
const HEDGED =
  /\b(?:may|might|could|suggest\w*|possibl[ey]|potential\w*|further (?:stud|research)\w*|remain\w* unclear|limited|small sample|trend|appear\w*)\b/gi;
const CAUSES =
  /\b(?:caus(?:e|es|ed|ing)|driv(?:e|es|ing|en)|lead(?:s|ing)? to|due to|because|responsible|result(?:s|ed)? in|associated|predict\w*|affect\w*|improve\w*|increase\w*)\b/gi;

const OPPOSITES: readonly (readonly [readonly string[], readonly string[]])[] = [
  [
    "increase rise grow gain higher more warm warming expand accelerate up positive",
    "decrease fall decline drop lower less cool cooling shrink slow down negative reduce reduction",
  ],
  ["cause driven anthropogenic human", "natural naturally solar"],
  ["support confirm agree consensus", "contradict oppose disagree deny refute reject"],
  ["safe harmless beneficial benefit", "dangerous harmful harm threat damage risk"],
  ["before early earlier", "after late later"],
  ["open start begin", "close end stop"],
  ["win won", "lose lost"],
].map(([one = "", other = ""]) => [contentStems(one), contentStems(other)]);

/** How many words of the claim stand against their opposites in the evidence, which does not have them itself. */
function opposites(claim: readonly string[], evidence: readonly string[]): number {
  return OPPOSITES.filter(([one, other]) => {
    const side = (list: readonly string[], words: readonly string[]): boolean =>
      list.some((stem) => words.includes(stem));
    return (
      (side(claim, one) && side(evidence, other) && !side(evidence, one)) ||
      (side(claim, other) && side(evidence, one) && !side(evidence, other))
    );
  }).length;
}

function bigramCoverage(claim: string, text: string): number {
  const pairs = (list: readonly string[]): readonly string[] =>
    list.slice(1).map((stem, index) => `${list[index] ?? ""} ${stem}`);
  const wanted = pairs(stemWords(claim).map(({ stem }) => stem));
  const there = new Set(pairs(stemWords(text).map(({ stem }) => stem)));
  return wanted.length === 0 ? 0 : wanted.filter((pair) => there.has(pair)).length / wanted.length;
}

/** The share of the claim's rarer half that the best sentences have. */
function rareCoverage(wanted: readonly string[], there: ReadonlySet<string>, rarity: (stem: string) => number): number {
  const rare = [...wanted]
    .sort((one, other) => rarity(other) - rarity(one))
    .slice(0, Math.max(1, Math.ceil(wanted.length / 2)));
  return rare.filter((stem) => there.has(stem)).length / Math.max(1, rare.length);
}

/** How far the words stand in the claim's own order. */
function orderKept(wanted: readonly string[], words: readonly string[]): number {
  const places = wanted.map((stem) => words.indexOf(stem)).filter((place) => place >= 0);
  const kept = places.filter((place, index) => index > 0 && place > (places[index - 1] ?? 0)).length;
  return places.length < 2 ? 0 : kept / (places.length - 1);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
