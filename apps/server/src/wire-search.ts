import type { IngestDeps } from "@quarry/ingest";
import type { SearchIndex } from "@quarry/retrieval";
import {
  createFetchLive,
  createSentenceScorer,
  createVectorBacklog,
  type FetchLiveDeps,
  type FillIn,
  type SearchDeps,
} from "@quarry/search";
import { countEmbeddingOutbox, findOwnUrls, findTextParts, findTexts } from "@quarry/store";

/** What a search is made of in this process. */
export interface SearchParts extends IngestDeps {
  readonly index: SearchIndex;
  readonly embedQuery: SearchDeps["embedQuery"];
  /** The crawler's own parts: what callers fetch goes through the same dialer, robots rules and paces. */
  readonly visits: Pick<FetchLiveDeps, "get" | "paces" | "agent" | "now"> & {
    readonly robots: { readonly allows: FetchLiveDeps["allows"] };
  };
  /** Absent: nobody else is asked. */
  readonly fillIn?: FillIn | undefined;
}

/** Puts the read path together. */
export function wireSearch(parts: SearchParts): SearchDeps {
  const { database, snapshots, readPage, index, embedQuery, visits, fillIn } = parts;
  const { get, paces, agent, now, robots } = visits;
  const fetching = { database, snapshots, readPage, get, paces, agent, now, allows: robots.allows };
  return {
    database,
    snapshots,
    readPage,
    index,
    embedQuery,
    now,
    vectorBacklog: createVectorBacklog({
      countWaiting: (teamIds) => countEmbeddingOutbox(database, teamIds),
      countPages: (teamIds) => index.count({ teamIds }),
    }),
    findOwnUrls: (teamId, urls) => findOwnUrls(database, teamId, urls),
    readTexts: (pages) => findTexts(database, pages),
    readParts: (pages, size) => findTextParts(database, pages, size),
    fetchLive: createFetchLive(fetching),
    scoreSentences: createSentenceScorer(() => index.termStatistics()),
    fillIn,
  };
}
