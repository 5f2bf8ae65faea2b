import type { ReadVectorBacklog, SearchWarning, VectorBacklog } from "./page-query.ts";

/** A count is good for so long: searches by the hundred ask once. */
const FRESH_MS = 2_000;
/** Counts that are remembered; who comes later counts anew. */
const MAX_REMEMBERED = 1_000;
/** More than this share of pages that only words find is worth a warning. */
const CONSIDERABLE_SHARE = 0.1;

/** A reader of backlogs that counts seldom; pages are counted only while some wait. */
export function createVectorBacklog(deps: {
  readonly countWaiting: (teamIds: readonly string[]) => Promise<number>;
  readonly countPages: (teamIds: readonly string[]) => Promise<number>;
  readonly nowMs?: () => number;
}): ReadVectorBacklog {
  const { countWaiting, countPages, nowMs = () => performance.now() } = deps;
  const counted = new Map<string, { readonly backlog: Promise<VectorBacklog>; readonly atMs: number }>();
  const count = async (teamIds: readonly string[]): Promise<VectorBacklog> => {
    const waiting = await countWaiting(teamIds);
    return { waiting, pages: waiting === 0 ? 0 : Math.max(waiting, await countPages(teamIds)) };
  };
  return (teamIds) => {
    const key = teamIds.join(" ");
    const known = counted.get(key);
    if (known !== undefined && nowMs() - known.atMs < FRESH_MS) return known.backlog;
    if (counted.size >= MAX_REMEMBERED) counted.clear();
    // Whatever stops the counting is told by the search itself, which asks the same database and index.
    const backlog = count(teamIds).catch(() => ({ pages: 0, waiting: 0 }));
    counted.set(key, { backlog, atMs: nowMs() });
    return backlog;
  };
}

/** The warning that searches by meaning miss a considerable share of pages, if they do. */
export function warnOfBacklog({ pages, waiting }: VectorBacklog): readonly SearchWarning[] {
  if (waiting <= CONSIDERABLE_SHARE * pages) return [];
  const message = `${waiting} of ${pages} pages still wait for their vectors: until then only words find them`;
  return [{ code: "vectors_pending", message }];
}
