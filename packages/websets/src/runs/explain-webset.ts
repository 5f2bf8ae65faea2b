import type { WebsetExplanationWire } from "@quarry/contract";
import {
  getWebset,
  isWebsetSearchOpen,
  readWebsetBacklog,
  readWebsetParts,
  statusOfParts,
  type WebsetBacklog,
  type WebsetParts,
  type WebsetSearch,
} from "@quarry/store";
import { findUnreadImports } from "./excluded.ts";
import { jobKeyOf } from "./jobs.ts";
import { candidateLimit, progressOf } from "./search-progress.ts";
import type { WebsetReferenceOf } from "./steer-webset.ts";
import { listTurnedDown } from "./turned-down.ts";
import type { WebsetsDeps } from "./websets-deps.ts";

/** Says in words what a webset waits for, from its rows and its jobs, and which candidates it turned down and why. */
export async function explainWebset(
  deps: Pick<WebsetsDeps, "database" | "clock">,
  reference: WebsetReferenceOf,
): Promise<WebsetExplanationWire> {
  const db = deps.database;
  const webset = await getWebset(db, reference.teamId, reference.webset);
  const [parts] = await readWebsetParts(db, [webset]);
  if (parts === undefined) throw new Error("one webset in, none out");
  const backlog = await readWebsetBacklog(db, webset.id, jobKeyOf(webset.id));
  const status = statusOfParts(parts);
  const excludes = parts.searches.filter(({ status }) => isWebsetSearchOpen(status)).flatMap(({ exclude }) => exclude);
  const [unread] = await findUnreadImports(db, webset.teamId, [...webset.excludes, ...excludes]);
  const waitingFor = reasonsOf(parts, backlog, { now: deps.clock.now(), unread });
  const { openCandidates, openCells, queuedJobs, runningJobs, failingJobs } = backlog;
  return {
    id: webset.id,
    status,
    summary: summarise(status, waitingFor, backlog),
    waitingFor: [...waitingFor],
    counts: { items: webset.itemCount, openCandidates, openCells, queuedJobs, runningJobs, failingJobs },
    spent: { ...webset.spent },
    turnedDown: await listTurnedDown(db, webset.id),
  };
}

type Reason = WebsetExplanationWire["waitingFor"][number];

function reasonsOf(
  parts: WebsetParts,
  backlog: WebsetBacklog,
  { now, unread }: { readonly now: Date; readonly unread: string | undefined },
): readonly Reason[] {
  const { webset, searches, enrichments, openWork } = parts;
  const running = searches.find(({ status }) => status === "running");
  const open = searches.filter(({ status }) => isWebsetSearchOpen(status));
  const paused: readonly Reason[] =
    webset.pausedAt === null
      ? []
      : [{ kind: "resume", id: webset.id, text: "it is paused: resume it, and what is open goes on" }];
  const ofSearches = open.map((search): Reason => ({
    kind: "search",
    id: search.id,
    text: search.status === "running" ? describeRunning(search, backlog, now) : describeWaiting(running, unread),
  }));
  const ofCells = enrichments
    .filter(({ hasOpenCells }) => hasOpenCells)
    .map(({ id, title, description }): Reason => ({
      kind: "enrichment",
      id,
      text: `cells of "${title ?? description}" are being filled`,
    }));
  const ofWork = openWork.map(({ kind, id }): Reason => ({
    kind,
    id: id.replace(/^(?:import|webset):/, ""),
    text:
      kind === "import" ? "its entities are being brought in, or its file has not come" : "a run of a monitor works",
  }));
  return [...paused, ...ofSearches, ...ofCells, ...ofWork, ...searches.flatMap(describeEnded)];
}

/** Why a search ended before its time; nothing waits for it, but people ask where the items are. */
function describeEnded({ id, endReason, endMessage }: WebsetSearch): readonly Reason[] {
  switch (endReason) {
    case "caps":
      return [{ kind: "caps", id, text: "a cap of the webset ended this search" }];
    case "failed":
      return [{ kind: "failed", id, text: `a search failed: ${endMessage ?? "the server's log says why"}` }];
    default:
      return [];
  }
}

function describeRunning(search: WebsetSearch, backlog: WebsetBacklog, now: Date): string {
  const { found, analyzed, completion } = progressOf(search, now);
  const steps = search.plan === null ? "its query is being understood" : `step ${search.step} of ${search.plan.length}`;
  return (
    `${found} of ${search.count} found, ${analyzed} of at most ${candidateLimit(search.count)} candidates judged ` +
    `(${completion} %), ${backlog.openCandidates} waiting for a verdict, ${steps}`
  );
}

function describeWaiting(running: WebsetSearch | undefined, unread: string | undefined): string {
  if (running !== undefined) return `it waits for ${running.id} to end`;
  return unread === undefined ? "it has not been started yet" : `it waits for the file of ${unread}, which is excluded`;
}

function summarise(status: string, reasons: readonly Reason[], backlog: WebsetBacklog): string {
  const open = reasons.filter(({ kind }) => kind !== "caps" && kind !== "failed");
  const failed = reasons.findLast(({ kind }) => kind === "failed");
  if (open.length === 0) {
    return `The webset is ${status} and waits for nothing${failed === undefined ? "" : `; ${failed.text}`}.`;
  }
  const trouble =
    backlog.failingJobs === 0
      ? ""
      : ` ${backlog.failingJobs} of its jobs failed and are tried again${backlog.lastError === null ? "" : ` (${backlog.lastError})`}.`;
  const idleWorkers =
    backlog.runningJobs === 0 && backlog.queuedJobs > 0 ? " Its jobs are queued and none runs: is a worker up?" : "";
  return `The webset is ${status}: ${open[0]?.text ?? ""}${open.length > 1 ? `, and ${open.length - 1} more` : ""}.${trouble}${idleWorkers}`;
}
