import { AppError } from "@quarry/base";
import {
  conditionsOf,
  createAnalyser,
  MAX_FILTER_ENTRIES,
  type IndexFilter,
  type VectorHit,
  type WordHit,
  type WordQuery,
} from "@quarry/retrieval";
import { keyOf, mergeHits, type Candidate } from "./candidate.ts";
import type { FindPagesDeps } from "./page-query.ts";

/** One search of the index, by words, by meaning or both at once. */
export interface CandidateSearch {
  /** What they insist on, pages found by meaning must meet too. */
  readonly words: WordQuery;
  /** Empty: there is nothing to embed. */
  readonly meaning: string;
  readonly by: "words" | "meaning" | "both";
  readonly filter: IndexFilter;
  /** How many pages each way may bring. */
  readonly depth: number;
  /** Whether a page found one way is looked up the other way too, so that both have a say on it. */
  readonly isCompleted: boolean;
  readonly explain: boolean;
}

const analyser = createAnalyser();

/** What a search of the index found. */
export interface FoundCandidates {
  readonly candidates: readonly Candidate[];
  /** Undefined when the query was not embedded. */
  readonly vector: Float32Array | undefined;
  /** Set when vectors were asked for and are not there yet. */
  readonly vectorsMissing: AppError | undefined;
}

/**
 * Finds pages by words and by meaning, side by side. While the model or the vectors are not there yet, what words find
 * is the answer and `vectorsMissing` says why; searching by meaning alone then rejects with that error.
 */
export async function findCandidates(
  deps: FindPagesDeps,
  search: CandidateSearch,
  signal: AbortSignal,
): Promise<FoundCandidates> {
  const [wordHits, byMeaning] = await Promise.all([
    search.by === "meaning" ? [] : findByWords(deps, search, signal),
    search.by === "words" ? NOTHING : findByMeaning(deps, search, signal),
  ]);
  if (search.by === "meaning" && byMeaning.missing !== undefined) throw byMeaning.missing;
  const vectorHits = await keepConditions(deps, search, byMeaning.hits, signal);
  const merged = mergeHits(wordHits, vectorHits);
  return {
    candidates: search.isCompleted
      ? await completeCandidates(deps, search, { merged, vector: byMeaning.vector }, signal)
      : merged,
    vector: byMeaning.vector,
    vectorsMissing: byMeaning.missing,
  };
}

interface FoundByMeaning {
  readonly hits: readonly VectorHit[];
  readonly vector: Float32Array | undefined;
  readonly missing: AppError | undefined;
}

const NOTHING: FoundByMeaning = { hits: [], vector: undefined, missing: undefined };

function findByWords(
  { index }: FindPagesDeps,
  { words, filter, depth, explain }: CandidateSearch,
  signal: AbortSignal,
): Promise<readonly WordHit[]> {
  return index.findByWords(words, filter, { limit: depth, explain, signal });
}

async function findByMeaning(
  { index, embedQuery }: FindPagesDeps,
  { meaning, filter, depth }: CandidateSearch,
  signal: AbortSignal,
): Promise<FoundByMeaning> {
  if (meaning === "") return NOTHING;
  let vector: Float32Array;
  try {
    vector = await embedQuery(meaning, signal);
  } catch (error) {
    if (error instanceof AppError && error.code === "unavailable") return { ...NOTHING, missing: error };
    throw error;
  }
  const hits = await index.findByVector(vector, filter, { limit: depth, signal });
  if (hits.length > 0) return { hits, vector, missing: undefined };
  const pages = await index.count(filter);
  return { hits, vector, missing: pages === 0 ? undefined : vectorsNotMade() };
}

function vectorsNotMade(): AppError {
  return new AppError(
    "unavailable",
    "the vectors of these pages are still being made; search by words (type keyword), or again later",
    { retryable: true, retryAfterMs: RETRY_AFTER_MS },
  );
}

const RETRY_AFTER_MS = 5_000;

/** Leaves out what was found by meaning and does not meet what the words insist on. The index itself is asked. */
async function keepConditions(
  deps: FindPagesDeps,
  search: CandidateSearch,
  hits: readonly VectorHit[],
  signal: AbortSignal,
): Promise<readonly VectorHit[]> {
  const needsAll = search.words.operator === "and";
  const conditions = { ...search.words, text: needsAll ? search.words.text : "" };
  if (hits.length === 0 || !conditionsOf(analyser, conditions).isAny) return hits;
  const meeting = await deps.index.findByWords(conditions, amongUrls(search.filter, hits), {
    limit: hits.length,
    signal,
  });
  const kept = new Set(meeting.map(keyOf));
  return hits.filter((hit) => kept.has(keyOf(hit)));
}

/** Asks the index for the other half of what is known of each page that came one way only. */
export async function completeCandidates(
  deps: FindPagesDeps,
  search: CandidateSearch,
  found: { readonly merged: readonly Candidate[]; readonly vector: Float32Array | undefined },
  signal: AbortSignal,
): Promise<readonly Candidate[]> {
  const { vector } = found;
  const withoutWords = found.merged.filter(({ words }) => words === undefined).map(({ facts }) => facts);
  const withoutMeaning = found.merged.filter(({ meaning }) => meaning === undefined).map(({ facts }) => facts);
  const { index } = deps;
  const [wordHits, vectorHits] = await Promise.all([
    withoutWords.length === 0
      ? []
      : index.findByWords(search.words, amongUrls(search.filter, withoutWords), {
          limit: withoutWords.length,
          explain: search.explain,
          signal,
        }),
    withoutMeaning.length === 0 || vector === undefined
      ? []
      : index.findByVector(vector, amongUrls(search.filter, withoutMeaning), { limit: withoutMeaning.length, signal }),
  ]);
  const words = new Map(wordHits.map((hit) => [keyOf(hit), hit]));
  const meanings = new Map(vectorHits.map((hit) => [keyOf(hit), hit]));
  return found.merged.map((candidate) => {
    const byWords = words.get(keyOf(candidate.facts));
    const byMeaning = meanings.get(keyOf(candidate.facts));
    return {
      facts: candidate.facts,
      words:
        candidate.words ??
        (byWords === undefined ? undefined : { score: byWords.score, place: null, parts: byWords.explanation }),
      meaning:
        candidate.meaning ??
        (byMeaning === undefined
          ? undefined
          : {
              score: byMeaning.score,
              place: null,
              chunk: { start: byMeaning.chunk.start, end: byMeaning.chunk.end },
            }),
    };
  });
}

/** The filter, narrowed to pages that were found under it already; a team that has none of them is not asked for. */
function amongUrls(
  filter: IndexFilter,
  pages: readonly { readonly teamId: string; readonly url: string }[],
): IndexFilter {
  const teamIds = filter.teamIds.filter((id) => pages.some(({ teamId }) => teamId === id));
  return { ...filter, teamIds, includeUrls: pages.map(({ url }) => url).slice(0, MAX_FILTER_ENTRIES) };
}
