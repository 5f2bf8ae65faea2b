import type { AppError } from "@quarry/base";
import { createAnalyser, type IndexFilter } from "@quarry/retrieval";
import { expandQuery } from "../rank/expand-query.ts";
import { fuseCandidates, signsOf, type FusedPage } from "../rank/fuse-candidates.ts";
import { RANK_MODEL } from "../rank/gen/rank-model.ts";
import { weightsFor, type FeatureWeights } from "../rank/rank-model.ts";
import { rerankPages, type RerankContext, type RerankedPage } from "../rank/rerank-pages.ts";
import { toQueryTokens, type QueryTokens } from "../rank/text-features.ts";
import type { ReadPage } from "../rank/token-memory.ts";
import { splitAspects } from "../understand/split-aspects.ts";
import { understandQuery, type UnderstoodQuery } from "../understand/understand-query.ts";
import { keyOf, type Candidate } from "./candidate.ts";
import { completeCandidates, findCandidates, type CandidateSearch } from "./find-candidates.ts";
import type { FindPagesDeps, SearchPlan } from "./page-query.ts";
import { memoryOf, readPages } from "./read-pages.ts";
import type { PagePart, PartSize } from "./read-parts.ts";

/** A query, ready to be searched for. */
export interface PlannedSearch {
  readonly plan: SearchPlan;
  readonly understood: UnderstoodQuery;
  readonly filter: IndexFilter;
  /** Phrases that every page must have, beside those of the query. */
  readonly phrases: readonly string[];
  readonly additionalQueries: readonly string[];
  /** Pages each way of finding brings. */
  readonly depth: number;
  readonly explain: boolean;
}

/** Pages in their order, and what decided it. */
export interface RankedByPlan {
  readonly pages: readonly RerankedPage[];
  readonly weights: FeatureWeights;
  readonly vectorsMissing: AppError | undefined;
  /** What was read of pages on the way. */
  readonly read: ReadonlyMap<string, ReadPage>;
}

/** Pages whose texts are read for re-ranking. */
const RERANK_PAGES = 50;
const DEEP_RERANK_PAGES = 100;
/** Pages whose words a deep search looks for, too. */
const EXPANSION_PAGES = 8;
const EXPANSION_SIZE: PartSize = { leadCharacters: 2_000, maxCharacters: 2_000 };
/** Of a longer page its beginning and its best chunk are read. */
const RERANK_SIZE: PartSize = { leadCharacters: 1_500, maxCharacters: 3_500 };
const MAX_VARIANTS = 12;
/** How far a page may rise by answering another wording better than the query itself. */
const ADDITIONAL_SHARE = 0.5;
const ASPECT_SHARE = 0.2;
/** What a word can bring a page at most, per unit of its weight: BM25 with k1 = 1.2. */
const IDEAL_SATURATION = 2.2;

/** It remembers words; queries are searched for on one thread. */
const analyser = createAnalyser();

/** Finds pages and puts them in order by the plan. */
export async function rankByPlan(
  deps: FindPagesDeps,
  search: PlannedSearch,
  signal: AbortSignal,
): Promise<RankedByPlan> {
  switch (search.plan) {
    case "keyword":
      return rankSimply(deps, search, "words", signal);
    case "neural":
      return rankSimply(deps, search, "meaning", signal);
    case "fast":
      return rankSimply(deps, search, "both", signal);
    case "auto":
      return rankClosely(deps, search, signal);
    case "deep":
      return rankDeeply(deps, search, signal);
  }
}

const SIMPLE_WEIGHTS: Readonly<Partial<Record<CandidateSearch["by"], FeatureWeights>>> = {
  words: { words: 1 },
  meaning: { meaning: 1 },
};

/** By what the index says, no text read. */
async function rankSimply(
  deps: FindPagesDeps,
  search: PlannedSearch,
  by: CandidateSearch["by"],
  signal: AbortSignal,
): Promise<RankedByPlan> {
  const found = await findCandidates(deps, toCandidateSearch(search, by, false), signal);
  const query = readQuery(deps, search.understood);
  const idealWordScore = idealScore(query);
  const weights = SIMPLE_WEIGHTS[by] ?? weightsFor(RANK_MODEL.fusion, signsOf(found.candidates, idealWordScore));
  const fused = fuseCandidates(found.candidates, {
    idealWordScore,
    isCompleted: false,
    weights,
  });
  return {
    pages: fused.map((page) => ({ ...page, features: undefined })),
    weights,
    vectorsMissing: found.vectorsMissing,
    read: new Map(),
  };
}

/** By what the index says, then the best again by their texts. */
async function rankClosely(deps: FindPagesDeps, search: PlannedSearch, signal: AbortSignal): Promise<RankedByPlan> {
  const found = await findCandidates(deps, toCandidateSearch(search, "both", true), signal);
  const query = readQuery(deps, search.understood);
  const idealWordScore = idealScore(query);
  const signs = signsOf(found.candidates, idealWordScore);
  const fused = fuseCandidates(found.candidates, {
    idealWordScore,
    isCompleted: true,
    weights: weightsFor(RANK_MODEL.fusion, signs),
  });
  const weights = weightsFor(RANK_MODEL.rerank, signs);
  const memory = memoryOf(deps.index);
  const read = await readPages(deps, memory, { pages: fused.slice(0, RERANK_PAGES), size: RERANK_SIZE }, signal);
  return {
    pages: rerankTop(deps, fused, { query, memory, read, weights, count: RERANK_PAGES }),
    weights,
    vectorsMissing: found.vectorsMissing,
    read,
  };
}

/**
 * As `rankClosely`, over more pages: those that other wordings, the query's parts and the words of the best pages find.
 * Every page is judged by the query itself; other wordings the caller gave lift it too.
 */
async function rankDeeply(deps: FindPagesDeps, search: PlannedSearch, signal: AbortSignal): Promise<RankedByPlan> {
  const { understood } = search;
  const mainSearch = toCandidateSearch(search, "both", true);
  const variants = [
    ...search.additionalQueries.map((text) => ({ text, share: ADDITIONAL_SHARE })),
    ...splitAspects(understood.meaning).map((text) => ({ text, share: ASPECT_SHARE })),
  ].slice(0, MAX_VARIANTS);
  const [main, ...others] = await Promise.all([
    findCandidates(deps, mainSearch, signal),
    ...variants.map(async ({ text, share }) => {
      const variant = { ...search, understood: sameConditions(understandQuery(text, deps.now()), understood) };
      const found = await findCandidates(deps, toCandidateSearch(variant, "both", false), signal);
      return { found, share, ideal: idealScore(readQuery(deps, variant.understood)) };
    }),
  ]);
  const query = readQuery(deps, understood);
  const idealWordScore = idealScore(query);
  const signs = signsOf(main.candidates, idealWordScore);
  const fusion = { idealWordScore, isCompleted: true, weights: weightsFor(RANK_MODEL.fusion, signs) };
  const weights = weightsFor(RANK_MODEL.rerank, signs);
  const first = fuseCandidates(main.candidates, fusion);
  const leaders = first.slice(0, EXPANSION_PAGES);
  const leads = await readLeads(deps, leaders, signal);
  const expansion = await findExpansion(deps, mainSearch, { leaders, leads }, signal);
  const pool = mergePools(main.candidates, [...others.map(({ found }) => found.candidates), expansion.candidates]);
  const completed = await completeCandidates(deps, mainSearch, { merged: pool, vector: main.vector }, signal);
  const fused = fuseCandidates(completed, fusion);
  const lifted = liftByVariants(fused, others);
  const memory = memoryOf(deps.index);
  const read = await readPages(deps, memory, { pages: lifted.slice(0, DEEP_RERANK_PAGES), size: RERANK_SIZE }, signal);
  const expansionOf = expansion.scoreOf;
  return {
    pages: rerankTop(deps, lifted, { query, memory, read, count: DEEP_RERANK_PAGES, expansionOf, weights }),
    weights,
    vectorsMissing: main.vectorsMissing,
    read,
  };
}

function toCandidateSearch(search: PlannedSearch, by: CandidateSearch["by"], isCompleted: boolean): CandidateSearch {
  const { understood, phrases, filter, depth, explain } = search;
  return {
    words: { ...understood.words, phrases: [...(understood.words.phrases ?? []), ...phrases] },
    meaning: understood.meaning,
    by,
    filter,
    depth,
    isCompleted,
    explain,
  };
}

/** Another wording with the conditions of the query itself: what must not be there, must not be there. */
function sameConditions(variant: UnderstoodQuery, { words }: UnderstoodQuery): UnderstoodQuery {
  return {
    ...variant,
    words: { ...words, text: variant.words.text, languages: variant.words.languages, operator: "or" },
  };
}

function readQuery({ index }: FindPagesDeps, { words }: UnderstoodQuery): QueryTokens {
  const text = [words.text, ...(words.phrases ?? []), ...(words.inTitle ?? [])].join(" ");
  return toQueryTokens(analyser, text, { languages: words.languages ?? [], statistics: index.termStatistics() });
}

function idealScore({ words }: QueryTokens): number {
  return words.reduce((sum, { weight }) => sum + weight, 0) * IDEAL_SATURATION;
}

/** The first `count` pages in a new order, the others behind them as they were. */
function rerankTop(
  { index }: FindPagesDeps,
  pages: readonly FusedPage[],
  context: Pick<RerankContext, "query" | "memory" | "expansionOf" | "weights"> & {
    readonly read: ReadonlyMap<string, ReadPage>;
    readonly count: number;
  },
): readonly RerankedPage[] {
  const top = rerankPages(pages.slice(0, context.count), {
    query: context.query,
    memory: context.memory,
    statistics: index.termStatistics(),
    weights: context.weights,
    expansionOf: context.expansionOf,
    tokensOf: ({ candidate }) => context.read.get(keyOf(candidate.facts))?.tokens,
  });
  const lowest = top.at(-1)?.score ?? 0;
  const rest = pages
    .slice(context.count)
    .map((page) => ({ ...page, features: undefined, score: Math.min(lowest, page.score) }));
  return [...top, ...rest];
}

async function readLeads(
  deps: FindPagesDeps,
  pages: readonly FusedPage[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, PagePart>> {
  if (pages.length === 0) return new Map();
  const wishes = pages.map(({ candidate: { facts } }) => ({ teamId: facts.teamId, url: facts.url, start: 0 }));
  return new Map((await deps.readParts(wishes, EXPANSION_SIZE, signal)).map((part) => [keyOf(part), part]));
}

/** A search for the words that the best pages share. */
async function findExpansion(
  deps: FindPagesDeps,
  search: CandidateSearch,
  best: { readonly leaders: readonly FusedPage[]; readonly leads: ReadonlyMap<string, PagePart> },
  signal: AbortSignal,
): Promise<{ readonly candidates: readonly Candidate[]; readonly scoreOf: (page: FusedPage) => number }> {
  const read = best.leaders.flatMap(({ candidate: { facts } }) => {
    const lead = best.leads.get(keyOf(facts));
    return lead === undefined ? [] : [{ text: `${facts.title ?? ""}\n${lead.text}`, language: facts.language }];
  });
  const words = expandQuery(analyser, read, deps.index.termStatistics());
  const text = [search.words.text, ...words].join(" ");
  const hits = await findCandidates(
    deps,
    { ...search, words: { ...search.words, text, operator: "or" }, by: "words", isCompleted: false, explain: false },
    signal,
  );
  const scores = new Map(hits.candidates.map((page) => [keyOf(page.facts), page.words?.score ?? 0]));
  const top = Math.max(...scores.values(), Number.MIN_VALUE);
  return {
    candidates: hits.candidates,
    scoreOf: ({ candidate }) => (scores.get(keyOf(candidate.facts)) ?? 0) / top,
  };
}

/** Pages that others found, added to those of the query; what others know of them is left aside. */
function mergePools(own: readonly Candidate[], others: readonly (readonly Candidate[])[]): readonly Candidate[] {
  const pool = new Map(own.map((candidate) => [keyOf(candidate.facts), candidate]));
  for (const { facts } of others.flat()) {
    const key = keyOf(facts);
    if (!pool.has(key)) pool.set(key, { facts, words: undefined, meaning: undefined });
  }
  return [...pool.values()];
}

/** Lets pages rise that answer another wording better than the query itself. */
function liftByVariants(
  pages: readonly FusedPage[],
  variants: readonly {
    readonly found: { readonly candidates: readonly Candidate[] };
    readonly share: number;
    readonly ideal: number;
  }[],
): readonly FusedPage[] {
  if (variants.length === 0) return pages;
  const lifts = new Map<string, { readonly score: number; readonly share: number }[]>();
  for (const { found, share, ideal } of variants) {
    const fused = fuseCandidates(found.candidates, {
      idealWordScore: ideal,
      isCompleted: false,
      weights: weightsFor(RANK_MODEL.fusion, signsOf(found.candidates, ideal)),
    });
    for (const { candidate, score } of fused) {
      const key = keyOf(candidate.facts);
      lifts.set(key, [...(lifts.get(key) ?? []), { score, share }]);
    }
  }
  return pages
    .map((page) => {
      const gains = (lifts.get(keyOf(page.candidate.facts)) ?? []).map(
        ({ score, share }) => share * Math.max(0, score - page.score),
      );
      const gain = Math.max(0, ...gains);
      return gain === 0 ? page : { ...page, score: page.score + gain, meaning: page.meaning + gain };
    })
    .sort((one, other) => other.score - one.score);
}
