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
import { findUnreadImports } from "./excluded.ts";
import { enqueueSearch } from "./jobs.ts";
import { nextOfSearch, type EndReason } from "./next-of-search.ts";
import { countGiven, isGiven, readSteps } from "./collect-step.ts";
import { tellSearches, tellWebset } from "./tell-webset.ts";
import type { WebsetsDeps } from "./websets-deps.ts";

/** How often a search that waits for an import is looked at. */
const LOOK_AGAIN_MS = 1_000;

/**
 * Lets the searches that were asked for wait, and starts the oldest when none runs and the imports that it leaves out are
 * read. A paused webset starts none. The caller holds the webset's lock.
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
  if ((await findUnreadImports(tx, webset.teamId, [...webset.excludes, ...next.exclude])).length > 0) {
    await enqueueSearch(tx, webset, next.id, new Date(now.getTime() + LOOK_AGAIN_MS));
    return;
  }
  const started = await moveWebsetSearchBy(tx, next.id, { move: "start", now });
  if (started === undefined) return;
  await tellSearches(deps, tx, "webset.search.updated", [started]);
  await enqueueSearch(tx, webset, next.id);
}

/** Takes a running search to what comes next, in the transaction of the unit that was done. The caller holds the lock. */
export async function goOn(deps: WebsetsDeps, tx: Transaction, webset: Webset, search: WebsetSearch): Promise<void> {
  const given = countGiven(readSteps(search.plan ?? []));
  const next = nextOfSearch({ ...search, given, isJudgingGiven: isJudgingGiven(search) });
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

/** Whether what the webset was given, which comes first in a plan, is not all judged. */
function isJudgingGiven(search: WebsetSearch): boolean {
  const steps = readSteps(search.plan ?? []);
  const last = steps.findLastIndex(isGiven);
  if (last === -1) return false;
  return search.step <= last || (search.step === last + 1 && search.candidates > search.analyzed);
}

/** Ends a search: its open candidates are left, recall is estimated when asked for, the next search starts. A message says what failed. */
export async function endSearch(
  deps: WebsetsDeps,
  tx: Transaction,
  webset: Webset,
  search: WebsetSearch,
  reason: EndReason,
  message?: string,
): Promise<void> {
  await skipOpenCandidates(tx, search.id);
  const recall = search.wantsRecall ? await recallOf(tx, search.id) : null;
  const now = deps.clock.now();
  const ended = await moveWebsetSearchBy(tx, search.id, {
    move: "complete",
    endReason: reason,
    endMessage: message,
    recall,
    now,
  });
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
