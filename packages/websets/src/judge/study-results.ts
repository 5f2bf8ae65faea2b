/** The names of the measures of a study's results, in the order of the model's columns. */
export const STUDY_FEATURES = [
  "nearDifference",
  "nearNothing",
  "nearNegated",
  "nearHedged",
  "nearSignificant",
  "nearInsignificant",
  "significantResults",
  "insignificantResults",
  "significantShare",
  "nothingShare",
  "lastNothing",
  "lastDifference",
  "lastCoverage",
  "beforeLastNothing",
  "beforeLastDifference",
  "asksIs",
  "asksDoes",
  "asksCan",
  "asksDifference",
  "asksNeed",
  "asksAssociation",
  "asksEffect",
  "asksImprovement",
  "asksBetter",
  "asksRole",
  "asksLate",
  "questionNegated",
  "percentages",
] as const;

const MOST = 2;

/**
 * Measures what the results of a study say to a question: differences found and not found, p-values over and under the usual
 * bar, weighted towards sentences that have the question's words (`scores`) and stand late, where results are told.
 */
export function measureStudy(
  question: string,
  sentences: readonly string[],
  scores: readonly number[],
): Readonly<Record<(typeof STUDY_FEATURES)[number], number>> {
  const raw = sentences.map((_, index) => (scores[index] ?? 0) * ((index + 1) / sentences.length) ** 2);
  const total = sum(raw) || 1;
  const near = (values: readonly number[]): number =>
    sum(values.map((value, index) => ((raw[index] ?? 0) / total) * Math.min(MOST, value)));
  const counts = (pattern: RegExp): readonly number[] => sentences.map((sentence) => count(pattern, sentence));
  const [difference, nothing] = [counts(DIFFERENCE), counts(NOTHING)];
  const values = sentences.map(readPValues);
  const significant = values.map((one) => one.significant);
  const insignificant = values.map((one) => one.insignificant);
  const at = (list: readonly number[], fromEnd: number): number => Math.min(MOST, list.at(-fromEnd) ?? 0);
  const asks = (pattern: RegExp): number => Number(pattern.test(question));
  return {
    nearDifference: near(difference),
    nearNothing: near(nothing),
    nearNegated: near(counts(NEGATED)),
    nearHedged: near(counts(HEDGED)),
    nearSignificant: near(significant),
    nearInsignificant: near(insignificant),
    significantResults: Math.log(1 + sum(significant)),
    insignificantResults: Math.log(1 + sum(insignificant)),
    significantShare: (sum(significant) + 0.5) / (sum(significant) + sum(insignificant) + 1),
    nothingShare: (sum(nothing) + 0.5) / (sum(nothing) + sum(difference) + 1),
    lastNothing: at(nothing, 1),
    lastDifference: at(difference, 1),
    lastCoverage: scores.at(-1) ?? 0,
    beforeLastNothing: at(nothing, 2),
    beforeLastDifference: at(difference, 2),
    asksIs: asks(/^(?:is|are)\b/i),
    asksDoes: asks(/^(?:do|does|did)\b/i),
    asksCan: asks(/^(?:can|could)\b/i),
    asksDifference: asks(/differ|equivalent|same|similar|equal/i),
    asksNeed: asks(
      /necess|need|routine|justif|still|worth|really|enough|sufficient|adequate|safe|reliab|always|\bonly\b/i,
    ),
    asksAssociation: asks(/associat|correlat|relat|predict|risk|factor|link/i),
    asksEffect: asks(/affect|influence|impact|effect/i),
    asksImprovement: asks(/reduc|improv|increas|prevent|decreas|enhanc/i),
    asksBetter: asks(/better|superior|\bmore\b|\bthan\b|versus|\bvs\b/i),
    asksRole: asks(/\brole|useful|feasib|possible|effective|value|benefi/i),
    asksLate: Number(!BEGINS_AS_QUESTION.test(question)),
    questionNegated: count(NEGATED, question),
    percentages: Math.sqrt(count(/%/g, sentences.join(" "))),
  };
}

const BEGINS_AS_QUESTION = /^(?:is|are|do|does|did|can|could|should|must|will|has|have|was|were)\b/i;
const NEGATED =
  /\b(?:not|no|never|none|neither|nor|without|cannot|lack(?:s|ed|ing)?|fail(?:s|ed)?|unlikely)\b|n['’]t\b/gi;
const NOTHING =
  /\bno (?:\w+ ){0,3}(?:differences?|associations?|correlations?|effects?|changes?|evidence|relationships?|improvements?|benefits?|increase|impact|influence|advantage)\b|\bnot (?:\w+ ){0,3}(?:significant(?:ly)?|associated|differ(?:ent)?|correlat\w+|related|improve\w*|affect\w*|predict\w*|influence\w*|increase\w*|reduce\w*|change\w*)\b|\b(?:did|does|do) not\b|\bsimilar(?:ly)?\b|\bcomparable\b|\bnon-?significant\b|\bno statistically\b|\bunchanged\b|\bequal\b|\bneither\b|\bonly (?:a )?(?:weak|small|few|one|two|\d)/gi;
const DIFFERENCE =
  /\b(?:significantly|independent(?:ly)? (?:predict\w*|associated)|(?:was|were|is|are) (?:\w+ )?associated|correlated|increased|decreased|reduced|improved|higher|lower|greater|predict(?:or|ed|s)|effective|risk factors?|more likely|less likely|better|fewer|superior|(?:strong|significant|positive|negative|inverse) (?:association|correlation|difference|relationship|increase|decrease|reduction|improvement)s?)\b/gi;
const HEDGED =
  /\b(?:may|might|could|suggest\w*|possibl[ey]|potential\w*|further (?:stud|research)\w*|limited|trend|appear\w*|although|however|but|whereas)\b/gi;

const USUAL_BAR = 0.05;
/** "p > 0.04" is as far from a result as "p > 0.05". */
const NEARLY_BAR = 0.04;

/** How many p-values are under the usual bar, and how many over it. */
export function readPValues(text: string): { readonly significant: number; readonly insignificant: number } {
  let significant = 0;
  let insignificant = count(/\b(?:NS|n\.s\.)(?=[\s,;)])/g, text);
  for (const [, sign = "", digits = ""] of text.matchAll(
    /\bp\s{0,9}(?:-?\s{0,9}values?)?\s{0,9}([<>=≤≥])\s{0,9}(?:to\s{0,9})?0?[.·]\s{0,9}(\d+)/gi,
  )) {
    const value = Number(`0.${digits}`);
    if (sign === ">" || sign === "≥") insignificant += Number(value >= NEARLY_BAR);
    else if (value <= USUAL_BAR) significant += 1;
    else insignificant += 1;
  }
  return { significant, insignificant };
}

function count(pattern: RegExp, text: string): number {
  return text.match(pattern)?.length ?? 0;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
