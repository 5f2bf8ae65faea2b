import {
  fetchPage,
  robotsCrawlDelayMs,
  type FetchOutcome,
  type HttpGet,
  type PacedExchange,
  type PageFailure,
  type PageRedirect,
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
  /** Whether the crawl reads this URL at all. */
  readonly mayFollow: (url: string) => boolean;
  /** Takes a URL for this visit; false when the crawl has visited it, visits it or will. */
  readonly claim: (url: string) => Promise<boolean>;
}

/** A visit's end: what `fetchPage` knows, or a redirect to a page that has, or gets, a visit of its own. */
export type VisitOutcome =
  | Exclude<FetchOutcome, { readonly kind: "fetched" | "failed" }>
  | (Extract<FetchOutcome, { readonly kind: "fetched" }> & { readonly rendering?: Rendering })
  | (Omit<Extract<FetchOutcome, { readonly kind: "failed" }>, "reason"> & {
      readonly reason: PageFailure | "render-failed";
    })
  | { readonly kind: "redirected"; readonly to: string; readonly redirects: readonly PageRedirect[] };

/** What a browser did with a page: showed it, or was needed and not there. */
export type Rendering =
  { readonly kind: "rendered"; readonly wireBytes: number } | { readonly kind: "no-browser"; readonly message: string };

/** Redirects one after the other, in one visit or in several. */
export const MAX_REDIRECTS = 10;

/**
 * Visits a page and keeps its host's pace. A redirect is followed to pages of the same host that nobody else visits;
 * all others are left to a visit of their own, so that none is fetched twice. Rejects only when `signal` aborts.
 */
export async function visitPage(
  deps: VisitDeps,
  page: QueuedPage,
  options: VisitOptions,
  signal: AbortSignal,
): Promise<VisitOutcome> {
  const end = deps.paces.begin(page.host);
  let outcome: VisitOutcome | undefined;
  let crawlDelayMs: number | undefined;
  try {
    outcome = await followPage(deps, page, options, signal);
    crawlDelayMs = await crawlDelayOf(deps, page, signal);
    return outcome;
  } finally {
    end(exchangeOf(outcome, deps.now()), {
      delayMs: options.delayMs,
      ...(crawlDelayMs === undefined ? {} : { crawlDelayMs }),
    });
  }
}

async function followPage(
  deps: VisitDeps,
  page: QueuedPage,
  options: VisitOptions,
  signal: AbortSignal,
): Promise<VisitOutcome> {
  const redirects: PageRedirect[] = [];
  const seen = new Set<string>();
  for (let url = page.url; ;) {
    seen.add(url);
    const outcome = await fetchPage({ allows: deps.robots.allows, get: deps.get, now: deps.now }, url, signal, {
      maxBytes: options.maxBytes,
      mayFollow: () => false,
      ...(redirects.length > 0 || options.validators === undefined ? {} : { validators: options.validators }),
    });
    const [hop] = outcome.redirects;
    if (hop === undefined || outcome.kind !== "refused" || outcome.reason !== "redirected-away") {
      return { ...outcome, redirects };
    }
    if (!options.mayFollow(hop.to)) return { ...outcome, redirects };
    const refuse = (reason: "redirect-loop" | "too-many-redirects", message: string): VisitOutcome => ({
      kind: "refused",
      reason,
      message,
      httpStatus: hop.status,
      redirects,
    });
    if (seen.has(hop.to)) return refuse("redirect-loop", `${page.url} redirects back to ${hop.to}`);
    if (redirects.length >= MAX_REDIRECTS) {
      return refuse("too-many-redirects", `${page.url} redirects more than ${MAX_REDIRECTS} times`);
    }
    if (new URL(hop.to).host !== page.host || !(await options.claim(hop.to))) {
      return { kind: "redirected", to: hop.to, redirects };
    }
    redirects.push(hop);
    url = hop.to;
  }
}

/** What the host's robots.txt asks for; it was read for the visit, so this waits for nothing. */
async function crawlDelayOf(deps: VisitDeps, page: QueuedPage, signal: AbortSignal): Promise<number | undefined> {
  return robotsCrawlDelayMs((await deps.robots.recordFor(page.url, signal)).policy, deps.agent);
}

function exchangeOf(outcome: VisitOutcome | undefined, finishedAt: Date): PacedExchange {
  if (outcome?.kind !== "failed") return { finishedAt, result: "answered" };
  const { retryAfterMs } = outcome.error;
  const isLimited = outcome.reason === "rate-limited" || retryAfterMs !== undefined;
  return {
    finishedAt,
    result: isLimited ? "limited" : "failed",
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}
