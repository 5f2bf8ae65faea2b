import { contentStems, stemWords } from "./word-match.ts";
import { readPValues } from "./study-results.ts";

/** The names of the measures of a study's clauses, in the order of the model's columns. */
export const CLAUSE_FEATURES = [
  "leaning",
  "found",
  "notFound",
  "sharpLeaning",
  "sharpNotFound",
  "bestLeaning",
  "leastLeaning",
  "mostLeaning",
  "foundBoth",
  "lastLeaning",
  "lastLeast",
  "praise",
  "blame",
  "reserve",
  "notFoundShare",
  "significantShareWithIntervals",
  "noLonger",
  "independently",
  "asksOfUs",
  "asksAlways",
  "asksSafe",
  "asksKnowing",
  "asksShould",
  "alwaysLeaning",
  "safeLeaning",
  "differenceLeaning",
  "knowingLeaning",
  "associationLeaning",
  "improvementLeaning",
  "safeNotFound",
  "slight",
] as const;

/** What the clauses of a study say to a question, and whether they leave room for a plain yes. */
export interface StudyClauses {
  readonly features: Readonly<Record<(typeof CLAUSE_FEATURES)[number], number>>;
  /**
   * The last sentence finds nothing, what was found does not last or is slight, or it is told with reserve; what should be done no
   * result says.
   */
  readonly isBarred: boolean;
}

interface Clause {
  /** How much of the question it has, 0 to 1. */
  readonly nearness: number;
  /** How late it stands, 0 to 1. */
  readonly lateness: number;
  readonly found: number;
  readonly notFound: number;
  /** From -1, nothing was found, to 1, something was. */
  readonly leaning: number;
  readonly isResult: boolean;
  readonly praise: number;
  readonly blame: number;
  readonly reserve: number;
}

const NEAR = 3;
const LATE = 2.5;
const TOP = 4;
const MAX_RESERVE = 0.35;
const MIN_LAST_LEANING = -0.3;
/** Where a study tells what it found at last. */
const LATE_SENTENCES = 3;

/** Measures what the clauses of a study find and do not find, those most that have the question's words and stand late. */
export function measureClauses(question: string, sentences: readonly string[]): StudyClauses {
  const clauses = readClauses(question, sentences);
  const weights = shares(
    clauses.map((one) => Math.exp(NEAR * one.nearness + LATE * one.lateness) * (one.isResult ? 1.2 : 0.2)),
  );
  const sharp = shares(
    clauses.map((one) => Math.exp(2 * NEAR * one.nearness + LATE * one.lateness) * (one.isResult ? 1.1 : 0.1)),
  );
  const mean = (by: readonly number[], value: (one: Clause) => number): number =>
    sum(clauses.map((one, index) => (by[index] ?? 0) * value(one)));
  const top = clauses
    .map((_, index) => index)
    .sort((one, other) => (sharp[other] ?? 0) - (sharp[one] ?? 0))
    .slice(0, TOP)
    .flatMap((index) => clauses[index] ?? []);
  const last = clauses.filter(({ lateness }) => lateness === 1).map(({ leaning }) => leaning);
  const whole = sentences.join(" ");
  const found = sum(clauses.map((one) => one.found));
  const notFound = sum(clauses.map((one) => one.notFound));
  const values = sentences.map(readTests);
  const significant = sum(values.map((one) => one.significant));
  const insignificant = sum(values.map((one) => one.insignificant));
  const asks = (pattern: RegExp): number => Number(pattern.test(question));
  const leaning = mean(weights, (one) => one.leaning);
  const nothing = mean(weights, (one) => one.notFound);
  const reserve = mean(weights, (one) => one.reserve);
  const [always, safe, knowing, should] = [asks(ALWAYS), asks(SAFE), asks(KNOWING), asks(/\b(?:should|must)\b/i)];
  const features = {
    leaning,
    found: mean(weights, (one) => one.found),
    notFound: nothing,
    sharpLeaning: mean(sharp, (one) => one.leaning),
    sharpNotFound: mean(sharp, (one) => one.notFound),
    bestLeaning: top[0]?.leaning ?? 0,
    leastLeaning: least(top.map((one) => one.leaning)),
    mostLeaning: -least(top.map((one) => -one.leaning)),
    foundBoth: Math.min(sum(top.map((one) => one.found)), sum(top.map((one) => one.notFound))),
    lastLeaning: sum(last) / Math.max(1, last.length),
    lastLeast: least(last),
    praise: mean(weights, (one) => Math.min(2, one.praise)),
    blame: mean(weights, (one) => Math.min(2, one.blame)),
    reserve,
    notFoundShare: (notFound + 0.5) / (notFound + found + 1),
    significantShareWithIntervals: (significant + 0.5) / (significant + insignificant + 1),
    noLonger: Number(NO_LONGER.test(whole)),
    independently: Number(INDEPENDENTLY.test(whole)),
    asksOfUs: asks(/\b(?:we|our|us)\b/i),
    asksAlways: always,
    asksSafe: safe,
    asksKnowing: knowing,
    asksShould: should,
    alwaysLeaning: always * leaning,
    safeLeaning: safe * leaning,
    differenceLeaning: asks(/differ|equivalent|same|similar|equal|vary|varia/i) * leaning,
    knowingLeaning: knowing * leaning,
    associationLeaning: asks(/associat|correlat|relat|predict|risk|factor|link|marker|indicat/i) * leaning,
    improvementLeaning: asks(/reduc|improv|increas|prevent|decreas|enhanc/i) * leaning,
    safeNotFound: safe * nothing,
    slight: Number(SLIGHT.test(sentences.slice(-LATE_SENTENCES).join(" "))),
  };
  const isBarred =
    features.lastLeast <= MIN_LAST_LEANING ||
    features.noLonger === 1 ||
    features.slight === 1 ||
    reserve >= MAX_RESERVE ||
    should === 1;
  return { features, isBarred };
}

const ALWAYS =
  /necess|\bneed|routine|mandat|always|\ball\b|really|still|\bonly\b|enough|sufficien|adequate|\bevery|overrated|myth/i;
const SAFE = /safe|justif|feasib|reliab|valid|accept|worth/i;
const KNOWING = /aware|know|understand|agree|prepared|recogni|meet|accurate/i;
const SLIGHT = /\b(?:small but|slight(?:ly)?|modest(?:ly)?|weak(?:ly|er)?)\b/i;
const NO_LONGER = /no longer|attenuated|disappeared|not (?:an )?independent|not remain/i;
const INDEPENDENTLY =
  /independent(?:ly)? (?:predict|associat|risk|prognos|factor|correlat)|remained (?:a )?(?:significant|independent)/i;
const NOT_FOUND =
  /\bno (?:\w+[ -]){0,4}?(?:differences?|associations?|correlations?|effects?|changes?|evidence|relationships?|relations?|improvements?|benefits?|increases?|decrease|reduction|impact|influence|advantages?|links?|role|trend|interactions?|predict\w*)\b|\bno longer\b|\b(?:was|were|is|are|did|does|do|had|has|have|could|can|be)(?:n['’]t| not)\b(?: \w+){0,4}?(?: (?:significant(?:ly)?|associat\w*|differ\w*|correlat\w*|relat\w*|improv\w*|affect\w*|predict\w*|influenc\w*|increas\w*|reduc\w*|chang\w*|higher|lower|better|worse|independent\w*|effective|superior|statistically|detect\w*|show\w*|reach\w*|find|found|observ\w*|alter\w*|vary|prevent\w*|contribut\w*|reliabl\w*))|\b(?:did|does|do|was|were|is|are) not\b|\bnot (?:statistically |significantly |independently )?(?:significant|associated|different|correlated|related|predictive|superior|better|higher|lower)\b|\bsimilar(?:ly)?\b|\bcomparable\b|\bnon-?significant\w*|\binsignificant\w*|\bunchanged\b|\bidentical\b|\bequal(?:ly)?\b|\bequivalent\b|\bneither\b|\bthe same\b|\bpoor(?:ly)?\b|\bonly (?:a )?(?:weak|small|few|slight|one|two|moderate|\d)|\bweak(?:ly)?\b|\bfailed to\b|\black of\b|\battenuated\b|\bdisappear\w*|\bindependent of\b|\bregardless\b|\birrespective\b/gi;
const FOUND =
  /\b(?:significant(?:ly)?|associat(?:ed|ion)s?|correlat(?:ed|ion|es)|increas(?:e|ed|es|ing)|decreas(?:e|ed|es|ing)|reduc(?:ed|es|tion)|improv(?:ed|ement|es)|higher|lower|greater|longer|shorter|larger|smaller|more|less|predict(?:or|ors|ed|s|ive)|effective|risk factors?|better|worse|fewer|superior|strong(?:ly|er)?|positive(?:ly)?|inverse(?:ly)?|influenced|affected|differ(?:ed|ent|ence|ences)?|independent(?:ly)?|remained|contribut\w+|prevent(?:ed|s))\b/gi;
const PRAISE =
  /\b(?:safe(?:ly)?|feasible|excellent|good|success\w*|accura\w+|reliab\w+|valid\w*|effective|useful|satisf\w+|well tolerated|agree\w*|concordan\w+|all patients|majority|most (?:of )?(?:patients|the)|high (?:sensitivity|specificity|correlation|agreement))\b/gi;
const BLAME =
  /\b(?:poor\w*|low(?:est)?|inadequa\w+|insufficien\w+|limit(?:ed|ation)\w*|fail\w*|rare(?:ly)?|few|only|minority|complication\w*|discrepan\w*|disagree\w*|underestimat\w*|overestimat\w*|unreliab\w+|inaccura\w+|unaware|incorrect)\b/gi;
const RESERVE =
  /\b(?:but (?:not|only)|only in|except|however|whereas|although|while|no longer|after adjust\w*|on multivaria\w+)\b/gi;
const BETWEEN_CLAUSES = /;|,? \b(?:but|whereas|while|although|however|though|despite)\b|, and /gi;
const MIN_CLAUSE_CHARACTERS = 9;
const MAX_COUNTED = 2.5;

function readClauses(question: string, sentences: readonly string[]): readonly Clause[] {
  const wanted = [...new Set(contentStems(question))];
  const stems = sentences.map((sentence) => new Set(stemWords(sentence).map(({ stem }) => stem)));
  const rarity = new Map(
    wanted.map((stem) => [
      stem,
      Math.log(1 + sentences.length / (1 + stems.filter((one) => one.has(stem)).length)) + 0.2,
    ]),
  );
  const total = sum([...rarity.values()]) || 1;
  const shareOf = (there: ReadonlySet<string>): number =>
    sum(wanted.map((stem) => (there.has(stem) ? (rarity.get(stem) ?? 0) : 0))) / total;
  return sentences.flatMap((sentence, index) => {
    const words = stemWords(sentence);
    const whole = shareOf(stems[index] ?? new Set());
    return splitClauses(sentence).map(({ start, end }) => {
      const own = new Set(words.filter((word) => word.start >= start && word.start < end).map(({ stem }) => stem));
      return readClause(sentence.slice(start, end), {
        nearness: 0.7 * shareOf(own) + 0.3 * whole,
        lateness: (index + 1) / sentences.length,
      });
    });
  });
}

function splitClauses(sentence: string): readonly { readonly start: number; readonly end: number }[] {
  const clauses: { readonly start: number; readonly end: number }[] = [];
  let start = 0;
  for (const match of sentence.matchAll(BETWEEN_CLAUSES)) {
    clauses.push({ start, end: match.index });
    start = match.index + match[0].length;
  }
  clauses.push({ start, end: sentence.length });
  const long = clauses.filter((one) => one.end - one.start >= MIN_CLAUSE_CHARACTERS);
  return long.length === 0 ? [{ start: 0, end: sentence.length }] : long;
}

function readClause(text: string, place: { readonly nearness: number; readonly lateness: number }): Clause {
  const nothing = count(NOT_FOUND, text);
  const something = count(FOUND, text.replaceAll(NOT_FOUND, " "));
  const { significant, insignificant } = readTests(text);
  const believed = nothing > 0 && significant === 0 ? 0.4 : 1;
  const found = Math.min(MAX_COUNTED, believed * (0.7 * Math.min(something, 2) + Math.min(significant, 2)));
  const notFound = Math.min(MAX_COUNTED, nothing + 1.5 * insignificant);
  return {
    ...place,
    found,
    notFound,
    leaning: (found - notFound) / (found + notFound + 0.7),
    isResult: something + nothing + significant + insignificant > 0,
    praise: count(PRAISE, text),
    blame: count(BLAME, text),
    reserve: count(RESERVE, text),
  };
}

/** P-values, and as halves the intervals of ratios that have one in them or have not. */
function readTests(text: string): { readonly significant: number; readonly insignificant: number } {
  let { significant, insignificant } = readPValues(text);
  for (const [, low = "", high = ""] of text.matchAll(
    /(?:95|99)\s?%?\s?(?:CI|confidence interval)[^0-9]{0,12}(\d+\.\d+)\s?(?:-|–|to|,|;)\s?(\d+\.\d+)/gi,
  )) {
    if (Number(low) > 1 || Number(high) < 1) significant += 0.5;
    else if (Number(low) < 1 && Number(high) > 1) insignificant += 0.5;
  }
  return { significant, insignificant };
}

function count(pattern: RegExp, text: string): number {
  return text.match(pattern)?.length ?? 0;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function least(values: readonly number[]): number {
  return values.length === 0 ? 0 : Math.min(...values);
}

/** Parts of one. */
function shares(values: readonly number[]): readonly number[] {
  const total = sum(values) || 1;
  return values.map((value) => value / total);
}
