import { createAnalyser, type Analyser, type TermStatistics, type TextRange } from "@quarry/retrieval";
import { tellingTokens } from "./query-tokens.ts";
import { findTerms } from "./find-terms.ts";
import { readSentences } from "./read-sentences.ts";
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
  /** How telling words are among all pages; how rare they are on the page itself counts as much. */
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
/** How much of the words of its term, the line that names what it speaks of, counts as a sentence's own. Chosen on half of a judged set. */
const TERM_SHARE = 0.5;
/** How much meaning counts beside words, where cosines are known. */
const MEANING_SHARE = 0.5;
/** A sentence shorter than this many words says little; its score is cut by the share it lacks. */
const FULL_WORDS = 5;
/** Sentences longer than this have more words in common with anything. */
const LONG_WORDS = 40;
/** A longer page is not read to its end while somebody waits, but so much of it as tells most. */
const WHOLE_CHARACTERS = 200_000;
const PARTS_CHARACTERS = 100_000;

/**
 * Scores every sentence of a text, in the order of the text: which share of the query's telling words it has, what
 * its neighbours have, how near it is in meaning where that is known. A query without words scores the first best.
 */
export function scoreSentences(text: string, scoring: SentenceScoring): readonly ScoredSentence[] {
  const analyser = scoring.analyser ?? createAnalyser();
  const wanted = tellingTokens(analyser, scoring.query, scoring.languages ?? []);
  const sentences = readSentences(text, {
    words: [...wanted.flat(), ...scoring.query.split(/[^\p{L}\p{M}\p{N}]+/u)],
    ranges: scoring.similarities ?? [],
    wholeCharacters: WHOLE_CHARACTERS,
    maxCharacters: PARTS_CHARACTERS,
  });
  if (wanted.length === 0) return sentences.map((range, place) => ({ ...range, score: 1 / (place + 1) }));
  const placesOf = placesOfTokens(wanted);
  const tokens = sentences.map(({ start, end }) => analyser.analyseText(text.slice(start, end), scoring.language));
  const found = tokens.map((sentence) => placesIn(sentence, placesOf));
  const weights = weighWords(wanted, found, scoring.statistics);
  if (scoring.unit === "passage") {
    const meanings = meaningOf(sentences, scoring.similarities ?? []);
    const scores = scoreInContext({ sentences, found, weights, meanings });
    return sentences.map((range, place) => ({ ...range, score: scores[place] ?? 0 }));
  }
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  const isTerm = findTerms(text, sentences);
  const weightOf = (places: readonly number[]): number => places.reduce((sum, word) => sum + (weights[word] ?? 0), 0);
  const byWords = found.map((own, place) => {
    const named = isTerm[place - 1] === true ? (found[place - 1] ?? NONE).filter((word) => !own.includes(word)) : NONE;
    const share = all === 0 ? 0 : Math.min(1, (weightOf(own) + TERM_SHARE * weightOf(named)) / all);
    const length = tokens[place]?.length ?? 0;
    return length <= LONG_WORDS ? share : share * Math.sqrt(LONG_WORDS / length);
  });
  const byMeaning = meaningOf(sentences, scoring.similarities ?? []);
  return sentences.map((range, place) => {
    // A term names what comes after it, and nothing before.
    const next = isTerm[place + 1] === true ? 0 : (byWords[place + 1] ?? 0);
    const around = Math.max(byWords[place - 1] ?? 0, next);
    const own = byWords[place] ?? 0;
    const words = (1 - NEIGHBOUR_SHARE) * own + NEIGHBOUR_SHARE * around;
    const meaning = byMeaning?.[place];
    const score = meaning === undefined ? words : (1 - MEANING_SHARE) * words + MEANING_SHARE * meaning;
    const length = tokens[place]?.length ?? 0;
    return { ...range, score: Math.min(1, Math.max(0, score)) * Math.min(1, length / FULL_WORDS) };
  });
}

/** How telling each word is: how rare among all pages, and how rare among the sentences of this one. */
function weighWords(
  wanted: readonly (readonly string[])[],
  found: readonly (readonly number[])[],
  statistics: TermStatistics | undefined,
): readonly number[] {
  const counts = new Uint32Array(wanted.length);
  for (const places of found) for (const word of places) counts[word] = (counts[word] ?? 0) + 1;
  return wanted.map((tokens, word) => {
    const here = rarity(counts[word] ?? 0, found.length);
    if (statistics === undefined) return here;
    return here + rarity(Math.max(...tokens.map((token) => statistics.pagesWith(token))), statistics.pageCount);
  });
}

function rarity(count: number, all: number): number {
  const seen = Math.min(count, all);
  return Math.log(1 + (all - seen + 0.5) / (seen + 0.5));
}

const NONE: readonly number[] = [];

/** Any of its tokens stands for a word. */
function placesOfTokens(wanted: readonly (readonly string[])[]): ReadonlyMap<string, readonly number[]> {
  const placesOf = new Map<string, number[]>();
  for (const [place, tokens] of wanted.entries()) {
    for (const token of tokens) placesOf.set(token, [...(placesOf.get(token) ?? []), place]);
  }
  return placesOf;
}

/** The places of the words a sentence has, each once. Sentences come by the thousand: no set is made of each. */
function placesIn(sentence: readonly string[], placesOf: ReadonlyMap<string, readonly number[]>): readonly number[] {
  let found: number[] | undefined;
  for (const token of sentence) {
    const places = placesOf.get(token);
    if (places === undefined) continue;
    found ??= [];
    for (const place of places) if (!found.includes(place)) found.push(place);
  }
  return found ?? NONE;
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
