import { createAnalyser, splitSentences, type Analyser, type TermStatistics, type TextRange } from "@quarry/retrieval";
import { tellingTokens } from "./query-tokens.ts";
import { scoreInContext } from "./score-in-context.ts";

/** A sentence of a page and how well it answers a query: 0 to 1. */
export interface ScoredSentence extends TextRange {
  readonly score: number;
}

/** What sentences are scored with. */
export interface SentenceScoring {
  readonly query: string;
  /** Languages the query may be in; English when left out. */
  readonly languages?: readonly string[] | undefined;
  /** The page's language, or null when unknown. */
  readonly language: string | null;
  /** How telling words are among all pages; without it, how rare they are on the page itself decides. */
  readonly statistics?: TermStatistics | undefined;
  /** Cosines of parts of the page (chunks, or sentences) with the query: they count for the sentences inside. */
  readonly similarities?: readonly (TextRange & { readonly cosine: number })[] | undefined;
  /** Whether sentences are judged one by one (which is usual), or by the passage they stand in. */
  readonly unit?: "sentence" | "passage" | undefined;
  /** One for a thread, since it remembers words. */
  readonly analyser?: Analyser | undefined;
}

/** How much a sentence's neighbours lend it: an answer often stands beside the words of the question. */
const NEIGHBOUR_SHARE = 0.3;
/** How much meaning counts beside words, where cosines are known. */
const MEANING_SHARE = 0.5;
/** A sentence shorter than this many words says little; its score is cut by the share it lacks. */
const FULL_WORDS = 5;
/** Sentences longer than this have more words in common with anything. */
const LONG_WORDS = 40;
/** More sentences of a page are not scored. */
const MAX_SENTENCES = 20_000;

/**
 * Scores every sentence of a text, in the order of the text: which share of the query's telling words it has, what
 * its neighbours have, how near it is in meaning where that is known. A query without words scores the first best.
 */
export function scoreSentences(text: string, scoring: SentenceScoring): readonly ScoredSentence[] {
  const analyser = scoring.analyser ?? createAnalyser();
  const sentences = splitSentences(text).slice(0, MAX_SENTENCES);
  const tokens = sentences.map(({ start, end }) => analyser.analyseText(text.slice(start, end), scoring.language));
  const wanted = tellingTokens(analyser, scoring.query, scoring.languages ?? []);
  if (wanted.length === 0) return sentences.map((range, place) => ({ ...range, score: 1 / (place + 1) }));
  const weights = weighTokens(wanted, tokens, scoring.statistics);
  if (scoring.unit === "passage") return scorePassages(sentences, tokens, weights, scoring.similarities ?? []);
  const scoreWords = wordScorer(weights);
  const byWords = tokens.map(scoreWords);
  const byMeaning = meaningOf(sentences, scoring.similarities ?? []);
  return sentences.map((range, place) => {
    const around = Math.max(byWords[place - 1] ?? 0, byWords[place + 1] ?? 0);
    const own = byWords[place] ?? 0;
    const words = (1 - NEIGHBOUR_SHARE) * own + NEIGHBOUR_SHARE * around;
    const meaning = byMeaning?.[place];
    const score = meaning === undefined ? words : (1 - MEANING_SHARE) * words + MEANING_SHARE * meaning;
    const length = tokens[place]?.length ?? 0;
    return { ...range, score: Math.min(1, Math.max(0, score)) * Math.min(1, length / FULL_WORDS) };
  });
}

function scorePassages(
  sentences: readonly TextRange[],
  tokens: readonly (readonly string[])[],
  words: readonly WeightedWord[],
  similarities: NonNullable<SentenceScoring["similarities"]>,
): readonly ScoredSentence[] {
  const placesOf = placesOfTokens(words);
  const scores = scoreInContext({
    sentences,
    found: tokens.map((sentence) => [...new Set(sentence.flatMap((token) => placesOf.get(token) ?? NONE))]),
    weights: words.map(({ weight }) => weight),
    meanings: meaningOf(sentences, similarities),
  });
  return sentences.map((range, place) => ({ ...range, score: scores[place] ?? 0 }));
}

/** A word of the query by its weight; any of its tokens stands for it. */
interface WeightedWord {
  readonly tokens: readonly string[];
  readonly weight: number;
}

function weighTokens(
  wanted: readonly (readonly string[])[],
  sentences: readonly (readonly string[])[],
  statistics: TermStatistics | undefined,
): readonly WeightedWord[] {
  const pages = statistics?.pageCount ?? sentences.length;
  const counted = new Map<string, number>();
  if (statistics === undefined) {
    for (const sentence of sentences) {
      for (const token of new Set(sentence)) counted.set(token, (counted.get(token) ?? 0) + 1);
    }
  }
  return wanted.map((tokens) => {
    const count = Math.max(...tokens.map((token) => statistics?.pagesWith(token) ?? counted.get(token) ?? 0));
    const seen = Math.min(count, pages);
    return { tokens, weight: Math.log(1 + (pages - seen + 0.5) / (seen + 0.5)) };
  });
}

/** Scores a sentence by the share of the words' weight it has. Sentences come by the thousand: no set is made of each. */
function wordScorer(words: readonly WeightedWord[]): (sentence: readonly string[]) => number {
  const placesOf = placesOfTokens(words);
  const all = words.reduce((sum, { weight }) => sum + weight, 0);
  const seenIn = new Uint32Array(words.length);
  let round = 0;
  return (sentence) => {
    round += 1;
    let found = 0;
    for (const token of sentence) {
      for (const place of placesOf.get(token) ?? NONE) {
        if (seenIn[place] === round) continue;
        seenIn[place] = round;
        found += words[place]?.weight ?? 0;
      }
    }
    const share = all === 0 ? 0 : Math.min(1, found / all);
    return sentence.length <= LONG_WORDS ? share : share * Math.sqrt(LONG_WORDS / sentence.length);
  };
}

const NONE: readonly number[] = [];

function placesOfTokens(words: readonly WeightedWord[]): ReadonlyMap<string, readonly number[]> {
  const placesOf = new Map<string, number[]>();
  for (const [place, { tokens }] of words.entries()) {
    for (const token of tokens) placesOf.set(token, [...(placesOf.get(token) ?? []), place]);
  }
  return placesOf;
}

/** The cosine of the part each sentence lies in, brought to 0..1 over the page; undefined when none is known. */
function meaningOf(
  sentences: readonly TextRange[],
  similarities: NonNullable<SentenceScoring["similarities"]>,
): readonly number[] | undefined {
  if (similarities.length === 0) return undefined;
  const cosines = similarities.map(({ cosine }) => cosine);
  const [lowest, highest] = [Math.min(...cosines), Math.max(...cosines)];
  const sorted = similarities.toSorted((one, other) => one.start - other.start);
  let at = 0;
  return sentences.map(({ start, end }) => {
    const middle = (start + end) / 2;
    while (at < sorted.length - 1 && (sorted[at]?.end ?? 0) <= middle) at += 1;
    const part = sorted[at];
    if (part === undefined || part.start > middle || part.end <= middle) return 0;
    return highest === lowest ? 1 : (part.cosine - lowest) / (highest - lowest);
  });
}
