import { stemWords } from "./word-match.ts";

/** The names of the measures of stance, in the order of the model's columns. */
export const STANCE_FEATURES = [
  "denials",
  "denialsMissing",
  "evidenceDenials",
  "evidenceDenialsAlone",
  "numberWordsMissing",
  "magnitudesMissing",
  "givesNumbers",
  "numbersShared",
  "opposed",
  "agreed",
  "speaksOfUs",
  "leansBack",
  "claimSize",
  "clauses",
] as const;

/** How a sentence stands to a claim, beyond the words they share. */
export interface ClaimStance {
  readonly features: Readonly<Record<(typeof STANCE_FEATURES)[number], number>>;
  /** The claim denies or belittles in words the sentence has not, or the sentence only reports what somebody says. */
  readonly isBarred: boolean;
}

/** Measures what a claim denies, belittles or counts that a sentence does not, and where the two point in opposite directions. */
export function measureStance(claim: string, sentence: string): ClaimStance {
  const [own, others] = [stemsOf(claim), stemsOf(sentence)];
  const [denials, evidenceDenials] = [denialsOf(claim), denialsOf(sentence)];
  const missing = (list: readonly string[], there: ReadonlySet<string>): number =>
    list.filter((word) => !stemWords(word).every(({ stem }) => there.has(stem))).length;
  const denialsMissing = missing(denials, others);
  const [numbers, given] = [readNumbers(claim), readNumbers(sentence)];
  const { opposed, agreed } = compareDirections(claim, sentence);
  return {
    features: {
      denials: denials.length,
      denialsMissing,
      evidenceDenials: evidenceDenials.length,
      evidenceDenialsAlone: missing(evidenceDenials, own),
      numberWordsMissing: numbers.words.filter((value) => !given.values.has(value) && !given.words.includes(value))
        .length,
      magnitudesMissing: numbers.magnitudes.filter((value) => !given.magnitudes.includes(value)).length,
      givesNumbers: Number(numbers.values.size > 0),
      numbersShared:
        [...numbers.values].filter((value) => given.values.has(value)).length / Math.max(1, numbers.values.size),
      opposed,
      agreed,
      speaksOfUs: Number(/\b(?:we|our|i|you|us)\b/i.test(claim)),
      leansBack: Number(/^(?:so|but|and|yet|this|that|these|it|they|he|she)\b/i.test(claim)),
      claimSize: Math.sqrt(stemWords(claim).length),
      clauses: claim.match(/[,;]|\b(?:and|while|which|because|but|despite|although)\b/gi)?.length ?? 0,
    },
    isBarred: denialsMissing > 0 || REPORTED.test(sentence),
  };
}

/** Words that deny, belittle or discredit: what has them says something else without them. */
const DENIAL =
  /\b(?:not|no|never|none|nothing|nobody|neither|nor|cannot|without|only|little|just|simply|hardly|barely|scarcely|merely|tiny|small|minor|slight(?:ly)?|negligible|insignificant(?:ly)?|trivial|myth\w*|hoax\w*|scam\w*|fraud\w*|fake\w*|false(?:ly)?|wrong(?:ly)?|incorrect(?:ly)?|disprov\w*|unprov\w*|unfounded|baseless|debunk\w*|mislead\w*|misled|exaggerat\w*|overestimat\w*|overstat\w*|underestimat\w*|alarmis\w*|so-called|suppos\w*|alleg\w*|fail\w*|lies?|lied|lying|stopp\w*|ceas\w*|unlikely|impossible|doubt\w*|contrary|refut\w*|contradict\w*|flaw\w*|bogus|nonsense|inflat\w*|manipulat\w*|ignor\w*|den(?:y|ies|ied|ial\w*)|reject\w*|absence|lack\w*|zero|stable|unchanged|different|instead|rather)\b|n['’]t\b/gi;

/** What somebody says, thinks or is blamed for is not said by the page. */
const REPORTED =
  /\b(?:assert\w*|argu(?:e|es|ed|ing)|claim(?:s|ed|ing)?|alleg\w*|accus\w*|blam\w*|believ\w*|stated|told|says?|said|according to|opinion\w*|wrote|write|critici\w*|skeptic\w*|sceptic\w*|controvers\w*|theory|called|describ\w*|interview\w*|think|suggested|propos\w*|known for)\b/i;

const NUMBER_WORDS: ReadonlyMap<string, number> = new Map([
  ...["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"].map(
    (word, index): [string, number] => [word, index + 2],
  ),
  ...["thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"].map(
    (word, index): [string, number] => [word, index + 13],
  ),
  ...["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"].map(
    (word, index): [string, number] => [word, 10 * (index + 2)],
  ),
  ["half", 0.5],
  ["third", 3],
  ["quarter", 4],
  ["twice", 2],
  ["double", 2],
  ["doubled", 2],
  ["triple", 3],
  ["tripled", 3],
  ["dozen", 12],
]);
const MAGNITUDE = /\b(?:hundred|thousand|million|billion|trillion)(?=s?\b)/g;

interface Numbers {
  readonly values: ReadonlySet<number>;
  readonly words: readonly number[];
  readonly magnitudes: readonly string[];
}

function readNumbers(text: string): Numbers {
  const lower = text.toLowerCase();
  const digits = lower.match(/\d+(?:[.,]\d+)*/g) ?? [];
  return {
    values: new Set(digits.map((one) => Number(one.replaceAll(",", ""))).filter((value) => !Number.isNaN(value))),
    words: [...new Set((lower.match(/[a-z]+/g) ?? []).flatMap((word) => NUMBER_WORDS.get(word) ?? []))],
    magnitudes: [...new Set(lower.match(MAGNITUDE) ?? [])],
  };
}

function denialsOf(text: string): readonly string[] {
  return text.match(DENIAL) ?? [];
}

function stemsOf(text: string): ReadonlySet<string> {
  return new Set(stemWords(text).map(({ stem }) => stem));
}

/** Words that point in opposite directions; a star stands for any ending. */
const DIRECTIONS: readonly (readonly [RegExp, RegExp])[] = (
  [
    [
      "increas* rise* rising rose risen grow* grew gain* higher more warm* expand* accelerat* up upward hotter heat* larger bigger greater stronger worse worsen*",
      "decreas* fall* fell declin* drop* lower less cool* shrink* slow* down downward colder reduc* smaller fewer weak* los* loss diminish* better improv* retreat* recover*",
    ],
    ["cause* causing driv* due result* responsible contribut*", "independent unrelated unaffected prevent*"],
    ["human* anthropogenic man-made manmade people", "natural*"],
    [
      "support* confirm* agree* consensus prov* show* demonstrat* consistent",
      "contradict* oppos* disagree* den* refut* reject* disprov* inconsistent unfounded",
    ],
    [
      "safe harmless beneficial benefit* good positive*",
      "dangerous harmful harm* threat* damag* risk* bad negative* detrimental",
    ],
    ["before early earlier preced* lead*", "after late later lag* follow*"],
    ["same identical similar stable constant unchanged", "differ* chang* vari*"],
    ["possible able can", "impossible unable cannot"],
    ["cheap* inexpensive", "expensive cost*"],
    ["start* begin* began open*", "end* stop* ceas* clos*"],
    [
      "many large* massive* huge enormous significant* substantial* major vast rapid* sharp*",
      "few small tiny little minor negligible insignificant slow* slight*",
    ],
    [
      "accurate* correct* true reliab* right",
      "inaccura* incorrect* false unreliab* wrong error* mislead* overestimat* underestimat* exaggerat*",
    ],
    ["north*", "south*"],
    ["west*", "east*"],
    ["win won", "lose lost"],
    ["male men man", "female women woman"],
  ] as const
).map(([one, other]) => [toPattern(one), toPattern(other)]);

function toPattern(words: string): RegExp {
  return new RegExp(String.raw`\b(?:${words.replaceAll("*", String.raw`\w*`).replaceAll(" ", "|")})\b`, "i");
}

/** In how many ways claim and sentence point apart, and in how many the same way. */
function compareDirections(claim: string, sentence: string): { readonly opposed: number; readonly agreed: number } {
  let [opposed, agreed] = [0, 0];
  for (const [one, other] of DIRECTIONS) {
    const [here, there] = [directionOf(claim, one, other), directionOf(sentence, one, other)];
    if (here * there < 0) opposed += 1;
    if (here * there > 0) agreed += 1;
  }
  return { opposed, agreed };
}

/** 1 and -1 for the one direction and the other, 0 for both or none. */
function directionOf(text: string, one: RegExp, other: RegExp): number {
  return Number(one.test(text)) - Number(other.test(text));
}
