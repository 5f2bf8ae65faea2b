import type { IndexFilter, PageIdentity } from "@quarry/retrieval";
import { fuseByPlaces } from "../rank/fuse-places.ts";
import { keepTextConditions } from "./check-text.ts";
import { findCandidates } from "./find-candidates.ts";
import type { FindPagesDeps, FoundPages, RankedPage } from "./page-query.ts";

/** A page to find others like. */
export interface SimilarQuery {
  /** The caller's team first, then the shared one. */
  readonly teamIds: readonly string[];
  readonly url: string;
  /** 1 to MAX_PAGES. */
  readonly limit: number;
  readonly filter: Omit<IndexFilter, "teamIds">;
  readonly includeText?: readonly string[] | undefined;
  readonly excludeText?: readonly string[] | undefined;
  readonly excludeSourceDomain?: boolean | undefined;
  /** The page's text when it is not in the index: fetched by the caller. */
  readonly text?: string | undefined;
  readonly title?: string | undefined;
  readonly explain?: boolean | undefined;
}

export async function findSimilarPages(
  deps: FindPagesDeps,
  query: SimilarQuery,
  signal: AbortSignal,
): Promise<FoundPages> {
  const text = query.text ?? (await readOwnText(deps, query, signal)) ?? "";
  const filter: IndexFilter = {
    ...query.filter,
    teamIds: query.teamIds,
    excludeUrls: [...(query.filter.excludeUrls ?? []), query.url],
    excludeDomains: [
      ...(query.filter.excludeDomains ?? []),
      ...(query.excludeSourceDomain === true && URL.canParse(query.url) ? [new URL(query.url).host] : []),
    ],
  };
  const found = await findCandidates(
    deps,
    {
      words: { text: text.slice(0, 2_000) },
      meaning: text.slice(0, 2_000),
      by: "both",
      hasConditions: false,
      filter,
      depth: 100,
      isCompleted: false,
      explain: false,
    },
    signal,
  );
  const ranked = fuseByPlaces(found.candidates).map(({ candidate: { facts, meaning }, score }): RankedPage => ({
    ...facts,
    score,
    passages: meaning === undefined ? [] : [{ ...meaning.chunk, score: Math.max(0, meaning.score) }],
  }));
  return { pages: await keepTextConditions(deps, ranked, query, signal), warnings: [], timings: [] };
}

async function readOwnText(
  { readTexts }: FindPagesDeps,
  { teamIds, url }: SimilarQuery,
  signal: AbortSignal,
): Promise<string | undefined> {
  const own: readonly PageIdentity[] = teamIds.map((teamId) => ({ teamId, url }));
  const texts = await readTexts(own, signal);
  return teamIds.flatMap((teamId) => texts.filter((page) => page.teamId === teamId && page.url === url))[0]?.text;
}
