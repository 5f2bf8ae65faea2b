import {
  fetchPage,
  pageStatusOf,
  robotsCrawlDelayMs,
  type FetchOutcome,
  type HttpGet,
  type RobotsCache,
  type Validators,
} from "@quarry/crawl";
import type { QueuedPage } from "@quarry/store";
import type { HostPaces } from "./host-paces.ts";

/** What a visit needs from outside. */
export interface VisitDeps {
  readonly get: HttpGet;
  readonly robots: RobotsCache;
  readonly paces: HostPaces;
  /** How we call ourselves in robots.txt. */
  readonly agent: string;
  readonly now: () => Date;
}

/** What may differ from visit to visit. */
export interface VisitOptions {
  readonly delayMs: number;
  readonly maxBytes: number;
  readonly validators?: Validators | undefined;
  readonly mayFollow: (url: string) => boolean;
}

/** Visits a page and keeps its host's pace. Rejects only when `signal` aborts. */
export async function visitPage(
  deps: VisitDeps,
  page: QueuedPage,
  options: VisitOptions,
  signal: AbortSignal,
): Promise<FetchOutcome> {
  deps.paces.begin(page.host);
  let outcome: FetchOutcome | undefined;
  try {
    outcome = await fetchPage({ allows: deps.robots.allows, get: deps.get, now: deps.now }, page.url, signal, {
      maxBytes: options.maxBytes,
      mayFollow: options.mayFollow,
      ...(options.validators === undefined ? {} : { validators: options.validators }),
    });
    return outcome;
  } finally {
    const crawlDelayMs = outcome === undefined ? undefined : await crawlDelayOf(deps, page, signal);
    deps.paces.end(page.host, exchangeOf(outcome, deps.now()), {
      delayMs: options.delayMs,
      ...(crawlDelayMs === undefined ? {} : { crawlDelayMs }),
    });
  }
}

/** What the host's robots.txt asks for; it was read for the visit, so this waits for nothing. */
async function crawlDelayOf(deps: VisitDeps, page: QueuedPage, signal: AbortSignal): Promise<number | undefined> {
  if (signal.aborted) return undefined;
  return robotsCrawlDelayMs((await deps.robots.recordFor(page.url, signal)).policy, deps.agent);
}

function exchangeOf(outcome: FetchOutcome | undefined, finishedAt: Date): Parameters<HostPaces["end"]>[1] {
  if (outcome?.kind !== "failed") return { finishedAt, result: "answered" };
  const { retryAfterMs } = outcome.error;
  const isLimited = pageStatusOf(outcome) === "rate-limited" || retryAfterMs !== undefined;
  return {
    finishedAt,
    result: isLimited ? "limited" : "failed",
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}
