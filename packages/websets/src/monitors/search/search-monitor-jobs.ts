import { createHash } from "node:crypto";
import { AppError } from "@quarry/base";
import { searchSchema, type SearchBody, type SearchMonitorFailure } from "@quarry/contract";
import { search, writeSearchOutput, type SearchDeps, type SearchOutcome } from "@quarry/search";
import {
  endSearchMonitorRun,
  findSearchMonitor,
  findSearchMonitorRun,
  findShownResults,
  getKey,
  keepShownResults,
  lockSearchMonitor,
  SHARED_TEAM,
  startSearchMonitorRun,
  statusOfKey,
  writeSearchMonitor,
  type JobHandler,
  type Json,
  type SearchMonitor,
  type SearchMonitorRun,
} from "@quarry/store";
import { beginSearchMonitorRun, nextRunOf, tellOfRun, type SearchMonitorDeps } from "./search-monitor-service.ts";

/** What the jobs of search monitors need. */
export interface SearchMonitorJobDeps extends SearchMonitorDeps {
  readonly search: SearchDeps;
}

/** A monitor whose key was refused this often in a row is disabled. */
export const MAX_AUTHENTICATION_FAILURES = 10;
/** Tries of a search that may yet succeed before its run is said to have failed. */
const TRIES = 5;
const DEFAULT_RESULTS = 10;
/** The most results one search returns: what was shown before is taken out of these. */
const MAX_RESULTS = 100;
/** How much of a text tells whether two pages say the same. */
const FINGERPRINT_CHARACTERS = 2_000;

/** Makes a run when a monitor's moment has come, and plans the next: a moment missed while the server was down counts once. */
export function createSearchMonitorSlotHandler(deps: SearchMonitorDeps): JobHandler {
  return (run) =>
    run.complete(async (tx) => {
      const { monitorId, at } = run.job.payload as { readonly monitorId: string; readonly at: string };
      const monitor = await lockSearchMonitor(tx, monitorId);
      if (monitor?.status !== "active" || monitor.nextRunAt?.toISOString() !== at) return; // planned anew since
      const now = deps.clock.now();
      await beginSearchMonitorRun(tx, monitor, now);
      await writeSearchMonitor(tx, { ...monitor, nextRunAt: nextRunOf(monitor, now) }, now);
    });
}

/** Runs a monitor's search and keeps what no earlier run has shown. */
export function createSearchMonitorRunHandler(deps: SearchMonitorJobDeps): JobHandler {
  return async (run) => {
    const { runId } = run.job.payload as { readonly runId: string };
    const found = await findSearchMonitorRun(deps.database, runId);
    const monitor = found === undefined ? undefined : await findSearchMonitor(deps.database, found.monitorId);
    if (found === undefined || monitor === undefined) return run.complete();
    if (!(await startSearchMonitorRun(deps.database, runId, deps.clock.now()))) return run.complete();

    let outcome: RunOutcome;
    try {
      outcome = await searchForNews(deps, monitor, run.signal);
    } catch (thrown) {
      run.signal.throwIfAborted();
      const error = AppError.from(thrown);
      if (error.retryable && run.job.attempts < TRIES) throw error;
      outcome = { kind: "failed", reason: reasonOf(error) };
    }
    return run.complete(async (tx) => {
      const now = deps.clock.now();
      const locked = await lockSearchMonitor(tx, monitor.id);
      if (locked === undefined) return;
      const end =
        outcome.kind === "failed"
          ? ({ status: "failed", reason: outcome.reason } as const)
          : ({ status: "completed", output: outcome.output } as const);
      const ended = await endSearchMonitorRun(tx, runId, end, now);
      if (ended === undefined) return;
      if (outcome.kind === "completed") await keepShownResults(tx, found, outcome.keys);
      const written = await writeSearchMonitor(tx, countFailures(locked, ended), now);
      await tellOfRun(tx, written, ended, "monitor.run.completed", now);
    });
  };
}

type RunOutcome =
  | { readonly kind: "completed"; readonly output: Json; readonly keys: readonly string[] }
  | { readonly kind: "failed"; readonly reason: SearchMonitorFailure };

async function searchForNews(
  deps: SearchMonitorJobDeps,
  monitor: SearchMonitor,
  signal: AbortSignal,
): Promise<RunOutcome> {
  const refusal = await checkKey(deps, monitor);
  if (refusal !== undefined) return { kind: "failed", reason: refusal };
  const body = searchSchema.parse({
    ...(monitor.search as object),
    numResults: MAX_RESULTS,
    outputSchema: monitor.outputSchema ?? { type: "text" },
  });
  const wanted = (monitor.search as { readonly numResults?: number }).numResults ?? DEFAULT_RESULTS;
  const request = { teamIds: [monitor.teamId, SHARED_TEAM], body };
  const outcome = await search(deps.search, request, signal);
  const news = await keepNews(deps, monitor, outcome, wanted);
  if (news.shown.results.length === 0) return { kind: "completed", keys: [], output: showOutput(body, [], undefined) };
  const { output } = await writeSearchOutput(deps.search, request, { ...outcome, ...news.shown }, signal);
  return { kind: "completed", keys: news.keys, output: showOutput(body, news.shown.results, output) };
}

function showOutput(
  body: SearchBody,
  results: SearchOutcome["results"],
  output: Awaited<ReturnType<typeof writeSearchOutput>>["output"],
): Json {
  const isNothing = results.length === 0;
  const shown = {
    results,
    content: isNothing ? (body.outputSchema?.["type"] === "text" ? "" : null) : (output?.content ?? null),
    grounding: isNothing ? [] : (output?.grounding ?? null),
  };
  return JSON.parse(JSON.stringify(shown)) as Json; // what the wire shows is JSON, without its undefined keys
}

/** Takes out what earlier runs have shown, and pages that say what another of these results says. */
async function keepNews(
  { database }: SearchMonitorJobDeps,
  monitor: SearchMonitor,
  { results, pages }: SearchOutcome,
  wanted: number,
): Promise<{ readonly shown: Pick<SearchOutcome, "results" | "pages">; readonly keys: readonly string[] }> {
  const keyed = results.map((result) => {
    const text = pages.find(({ url }) => url === result.url)?.text;
    return { result, keys: [`url:${result.url}`, ...(text === undefined || text === "" ? [] : [fingerprint(text)])] };
  });
  const known = new Set(
    await findShownResults(
      database,
      monitor.id,
      keyed.flatMap(({ keys }) => keys),
    ),
  );
  const news: typeof keyed = [];
  for (const entry of keyed) {
    if (news.length === wanted) break;
    const isKnown = entry.keys.some((key) => known.has(key));
    for (const key of entry.keys) known.add(key);
    if (!isKnown) news.push(entry);
  }
  const urls = new Set(news.map(({ result }) => result.url));
  return {
    shown: { results: news.map(({ result }) => result), pages: pages.filter(({ url }) => urls.has(url)) },
    keys: news.flatMap(({ keys }) => keys),
  };
}

function fingerprint(text: string): string {
  const words = text.slice(0, FINGERPRINT_CHARACTERS).toLowerCase().replace(/\W+/gu, " ").trim();
  return `text:${createHash("sha256").update(words).digest("base64url")}`;
}

/** A run has the rights of the key that made the monitor, as they are now. */
async function checkKey(deps: SearchMonitorJobDeps, monitor: SearchMonitor): Promise<SearchMonitorFailure | undefined> {
  if (monitor.keyId === null) return undefined;
  try {
    const key = await getKey(deps.database, monitor.teamId, monitor.keyId);
    if (statusOfKey(key, deps.clock.now()) !== "active") return "api_key_invalid";
    return key.budgetDollars !== null && key.spentDollars >= key.budgetDollars ? "insufficient_credits" : undefined;
  } catch (error) {
    if (error instanceof AppError && error.code === "not_found") return "api_key_invalid";
    throw error;
  }
}

function countFailures(monitor: SearchMonitor, run: SearchMonitorRun): SearchMonitor {
  const failures = run.failReason === "api_key_invalid" ? monitor.authenticationFailures + 1 : 0;
  const isDisabled = failures >= MAX_AUTHENTICATION_FAILURES;
  return {
    ...monitor,
    authenticationFailures: failures,
    ...(isDisabled && { status: "disabled", nextRunAt: null }),
  };
}

function reasonOf(error: AppError): SearchMonitorFailure {
  switch (error.code) {
    case "invalid_request":
    case "unprocessable":
      return "invalid_params";
    case "unauthenticated":
      return "api_key_invalid";
    case "budget_exceeded":
      return "insufficient_credits";
    case "rate_limited":
      return "rate_limited";
    case "forbidden":
      return "forbidden";
    case "unavailable":
    case "timeout":
      return "search_unavailable";
    case "internal":
      return "internal_error";
    default:
      return "search_failed";
  }
}
