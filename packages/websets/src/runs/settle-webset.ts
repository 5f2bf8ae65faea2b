import {
  isWebsetBusy,
  listCaptures,
  listWebsetSearches,
  lockWebset,
  moveWebsetSearchBy,
  skipOpenCandidates,
  type Json,
  type Transaction,
  type Webset,
  type WebsetSearch,
} from "@quarry/store";
import { estimateRecall } from "../recall/estimate-recall.ts";
import { enqueueSearch } from "./jobs.ts";
import { nextOfSearch, type EndReason } from "./next-of-search.ts";
import { readSteps } from "./collect-step.ts";
import { tellSearches, tellWebset } from "./tell-webset.ts";
import type { WebsetsDeps } from "./websets-deps.ts";

/**
 * Lets the searches that were asked for wait, and starts the oldest when none runs. A paused webset starts none. The caller
 * holds the webset's lock.
 */
export async function startSearches(deps: WebsetsDeps, tx: Transaction, webset: Webset): Promise<void> {
  const now = deps.clock.now();
  const searches = await listWebsetSearches(tx, webset.id);
  for (const { id } of searches.filter(({ status }) => status === "created")) {
    const queued = await moveWebsetSearchBy(tx, id, { move: "queue", now });
    if (queued !== undefined) await tellSearches(deps, tx, "webset.search.updated", [queued]);
  }
  if (webset.pausedAt !== null || searches.some(({ status }) => status === "running")) return;
  const next = searches.find(({ status }) => status === "created" || status === "pending");
  if (next === undefined) return;
  const started = await moveWebsetSearchBy(tx, next.id, { move: "start", now });
  if (started === undefined) return;
  await tellSearches(deps, tx, "webset.search.updated", [started]);
  await enqueueSearch(tx, webset, next.id);
}

/** Takes a running search to what comes next, in the transaction of the unit that was done. The caller holds the lock. */
export async function goOn(deps: WebsetsDeps, tx: Transaction, webset: Webset, search: WebsetSearch): Promise<void> {
  const next = nextOfSearch({ ...search, isJudgingItems: isJudgingItems(search) });
  switch (next.kind) {
    case "wait":
      return;
    case "plan":
    case "collect":
      await enqueueSearch(tx, webset, search.id);
      return;
    case "end":
      await endSearch(deps, tx, webset, search, next.reason);
  }
}

/** Whether the webset's own items, which come first in a plan, are not all judged. */
function isJudgingItems(search: WebsetSearch): boolean {
  const steps = readSteps(search.plan ?? []);
  const last = steps.findLastIndex(({ kind }) => kind === "items");
  if (last === -1) return false;
  return search.step <= last || (search.step === last + 1 && search.candidates > search.analyzed);
}

/** Ends a search: its open candidates are left, recall is estimated when asked for, the next search starts. */
export async function endSearch(
  deps: WebsetsDeps,
  tx: Transaction,
  webset: Webset,
  search: WebsetSearch,
  reason: EndReason,
): Promise<void> {
  await skipOpenCandidates(tx, search.id);
  const recall = search.wantsRecall ? await recallOf(tx, search.id) : null;
  const now = deps.clock.now();
  const ended = await moveWebsetSearchBy(tx, search.id, { move: "complete", endReason: reason, recall, now });
  if (ended === undefined) return;
  await tellSearches(deps, tx, "webset.search.completed", [ended]);
  await startSearches(deps, tx, webset);
  await tellIfIdle(deps, tx, webset);
}

async function recallOf(tx: Transaction, searchId: string): Promise<Json> {
  const { expectedTotal, confidence, bounds, reasoning } = estimateRecall({
    captures: await listCaptures(tx, searchId),
  });
  return { expected: { total: expectedTotal, confidence, bounds: { min: bounds.min, max: bounds.max } }, reasoning };
}

/**
 * Tells that a webset has become idle, in the transaction that ended the last thing that was open: whoever reads idle can
 * read everything else. Call it after each end. The caller holds the lock.
 */
export async function tellIfIdle(deps: WebsetsDeps, tx: Transaction, { id }: Pick<Webset, "id">): Promise<void> {
  if (await isWebsetBusy(tx, id)) return;
  const webset = await lockWebset(tx, id);
  if (webset === undefined || webset.pausedAt !== null) return;
  await tellWebset(deps, tx, "webset.idle", webset);
}
