import type { WebsetWire } from "@quarry/contract";
import {
  cancelOpenCells,
  changeWebset,
  changeWebsetEnrichment,
  deleteWebset,
  endWebsetWork,
  getWebset,
  isWebsetSearchOpen,
  listOpenCandidates,
  listOpenCells,
  lockWebset,
  mayItemsCome,
  moveWebsetSearchBy,
  readWebsetParts,
  skipOpenCandidates,
  type Transaction,
  type Webset,
  type WebsetParts,
} from "@quarry/store";
import { AppError } from "@quarry/base";
import { removeMonitorsOfWebset } from "../monitors/monitor-service.ts";
import { enqueueCells, enqueueImport, enqueueSearch, enqueueVerdicts } from "./jobs.ts";
import { startSearches, tellIfIdle } from "./settle-webset.ts";
import { showWebset } from "./show-webset.ts";
import { tellSearches, tellWebset } from "./tell-webset.ts";
import type { WebsetsDeps } from "./websets-deps.ts";

/** A webset as a caller names it. */
export interface WebsetReferenceOf {
  readonly teamId: string;
  /** Its id or its externalId. */
  readonly webset: string;
}

/** Runs `work` on a webset under its lock; throws `not_found` when it is not the team's or has just been deleted. */
export async function withWebset<T>(
  deps: WebsetsDeps,
  { teamId, webset: reference }: WebsetReferenceOf,
  work: (tx: Transaction, webset: Webset) => Promise<T>,
): Promise<T> {
  return deps.database.transaction(async (tx) => {
    const { id } = await getWebset(tx, teamId, reference);
    const webset = await lockWebset(tx, id);
    if (webset === undefined) throw new AppError("not_found", "Webset not found");
    return work(tx, webset);
  });
}

/** Changes title and metadata. */
export function updateWebset(
  deps: WebsetsDeps,
  reference: WebsetReferenceOf,
  change: {
    readonly title?: string | undefined;
    readonly metadata?: Readonly<Record<string, string>> | null | undefined;
  },
): Promise<WebsetWire> {
  return withWebset(deps, reference, async (tx, webset) => {
    const metadata = change.metadata === null ? {} : change.metadata;
    return showWebset(deps, tx, await changeWebset(tx, webset.id, { title: change.title, metadata }, deps.clock.now()));
  });
}

/** Ends its work and removes it with all below; answers it as it last was. The events that tell of it stay. */
export function removeWebset(deps: WebsetsDeps, reference: WebsetReferenceOf): Promise<WebsetWire> {
  return withWebset(deps, reference, async (tx, webset) => {
    const parts = await partsOf(tx, webset);
    await cancelSearches(deps, tx, parts, "webset_deleted");
    await cancelOpenCells(tx, { websetId: webset.id }, deps.clock.now());
    for (const work of parts.openWork) await endWebsetWork(tx, { websetId: webset.id, ...work });
    const shown = await showWebset(deps, tx, webset);
    await removeMonitorsOfWebset(tx, webset.id, deps.clock.now());
    await tellWebset(deps, tx, "webset.deleted", webset);
    await deleteWebset(tx, webset.id);
    return shown;
  });
}

/** Ends its running searches and enrichments; what was found stays. */
export function cancelWebset(deps: WebsetsDeps, reference: WebsetReferenceOf): Promise<WebsetWire> {
  return withWebset(deps, reference, async (tx, locked) => {
    const now = deps.clock.now();
    const parts = await partsOf(tx, locked);
    const ended = await cancelSearches(deps, tx, parts, "webset_canceled");
    const cells = await cancelOpenCells(tx, { websetId: locked.id }, now);
    // One without open cells is not done either while items may come, and would go on with those of a later search.
    for (const { id, hasOpenCells } of parts.enrichments) {
      if (hasOpenCells || mayItemsCome(parts)) await changeWebsetEnrichment(tx, id, { canceledAt: now }, now);
    }
    for (const work of parts.openWork) await endWebsetWork(tx, { websetId: locked.id, ...work });
    const webset = await changeWebset(tx, locked.id, { pausedAt: null }, now);
    if (ended + cells.length + parts.openWork.length > 0 || locked.pausedAt !== null)
      await tellIfIdle(deps, tx, webset);
    return showWebset(deps, tx, webset);
  });
}

async function cancelSearches(
  deps: WebsetsDeps,
  tx: Transaction,
  parts: WebsetParts,
  canceledReason: "webset_deleted" | "webset_canceled",
): Promise<number> {
  const open = parts.searches.filter(({ status }) => isWebsetSearchOpen(status));
  for (const { id } of open) {
    await skipOpenCandidates(tx, id);
    const canceled = await moveWebsetSearchBy(tx, id, { move: "cancel", canceledReason, now: deps.clock.now() });
    if (canceled !== undefined) await tellSearches(deps, tx, "webset.search.canceled", [canceled]);
  }
  return open.length;
}

/** Lets no new unit start; those that run finish. */
export function pauseWebset(deps: WebsetsDeps, reference: WebsetReferenceOf): Promise<WebsetWire> {
  return withWebset(deps, reference, async (tx, locked) => {
    if (locked.pausedAt !== null) return showWebset(deps, tx, locked);
    const now = deps.clock.now();
    const webset = await changeWebset(tx, locked.id, { pausedAt: now }, now);
    await tellWebset(deps, tx, "webset.paused", webset);
    return showWebset(deps, tx, webset);
  });
}

/** Lets a paused webset go on: every unit that is open gets its job again. */
export function resumeWebset(deps: WebsetsDeps, reference: WebsetReferenceOf): Promise<WebsetWire> {
  return withWebset(deps, reference, async (tx, locked) => {
    if (locked.pausedAt === null) return showWebset(deps, tx, locked);
    const webset = await changeWebset(tx, locked.id, { pausedAt: null }, deps.clock.now());
    await requeueUnits(deps, tx, webset);
    await tellIfIdle(deps, tx, webset);
    return showWebset(deps, tx, webset);
  });
}

/** Gives every open unit of a webset a job. One that has a job runs twice at worst and counts once. The caller holds the lock. */
export async function requeueUnits(deps: WebsetsDeps, tx: Transaction, webset: Webset): Promise<void> {
  await startSearches(deps, tx, webset);
  const parts = await partsOf(tx, webset);
  const running = parts.searches.find(({ status }) => status === "running");
  if (running !== undefined) {
    const open = await listOpenCandidates(tx, running.id);
    await enqueueVerdicts(
      tx,
      webset,
      running.id,
      open.map(({ id, judged }) => ({ candidateId: id, criterion: judged })),
    );
    if (open.length === 0) await enqueueSearch(tx, webset, running.id);
  }
  await enqueueCells(tx, webset, await listOpenCells(tx, webset.id));
  for (const { kind, id } of parts.openWork) {
    const [source, ...rest] = id.split(":");
    if (kind !== "import" || (source !== "import" && source !== "webset")) continue;
    await enqueueImport(tx, webset, { source, id: rest.join(":"), after: null });
  }
}

async function partsOf(tx: Transaction, webset: Webset): Promise<WebsetParts> {
  const [parts] = await readWebsetParts(tx, [webset]);
  if (parts === undefined) throw new AppError("not_found", "Webset not found");
  return parts;
}
