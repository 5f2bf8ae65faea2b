import { sleep } from "@quarry/base";
import { fetchPage, mayBeIndexed, readPageDirectives, type FetchedPage, type FetchPageDeps } from "@quarry/crawl";
import { ingestPages, type HostPaces, type IngestDeps } from "@quarry/ingest";
import { pageOfReading, type ContentPage } from "./content-page.ts";
import { failureOf, OUT_OF_TIME, UNKNOWN_FAILURE, type FetchFailure } from "./fetch-failure.ts";
import { createGate } from "./gate.ts";

/** Fetches a page now and keeps it for the team. Rejects only when `signal` aborts. */
export type FetchLive = (
  wish: {
    readonly teamId: string;
    /** Canonical. */
    readonly url: string;
    readonly timeoutMs: number;
    /** Of the stored copy: what its giver said of it stays. */
    readonly category: string | null;
    /** `upstream`: another search provider named it. `crawl` unless given. */
    readonly source?: "crawl" | "upstream";
    /** A redirect to another host ends the visit; the failure names where it went. */
    readonly staysOnHost?: boolean;
  },
  signal: AbortSignal,
) => Promise<{ readonly kind: "fetched"; readonly page: ContentPage } | FetchFailure>;

/** What fetching needs from outside: the crawler's own parts, so that its rules and paces hold here too. */
export interface FetchLiveDeps extends IngestDeps, Pick<FetchPageDeps, "get" | "allows" | "now"> {
  readonly paces: HostPaces;
  /** How we call ourselves in robots.txt. */
  readonly agent: string;
}

/** Pages fetched for callers at one time, by this process and from one host. */
const MAX_AT_ONCE = 32;
const MAX_PER_HOST = 4;
/** Somebody waits for the page: a shorter pause than a crawl's, and one who crawls the same host waits too. */
const PAUSE_MS = 100;
const LOOK_AGAIN_MS = 20;

/** Makes the function; all its calls share the limits. */
export function createFetchLive(deps: FetchLiveDeps): FetchLive {
  const gate = createGate(MAX_AT_ONCE);
  return async (wish, signal) => {
    const timeout = AbortSignal.timeout(wish.timeoutMs);
    const inTime = AbortSignal.any([signal, timeout]);
    let leave: (() => void) | undefined;
    try {
      leave = await gate.enter(inTime);
      const visited = await visit(deps, wish, inTime);
      if (visited.kind !== "fetched") return visited;
      const page = await keep(deps, visited.page, wish, inTime);
      return page === undefined ? UNKNOWN_FAILURE : { kind: "fetched", page };
    } catch (thrown) {
      signal.throwIfAborted();
      if (timeout.aborted) return OUT_OF_TIME;
      throw thrown;
    } finally {
      leave?.();
    }
  };
}

/** One visit at the host's pace. */
async function visit(
  deps: FetchLiveDeps,
  wish: { readonly url: string; readonly timeoutMs: number; readonly staysOnHost?: boolean },
  signal: AbortSignal,
): Promise<{ readonly kind: "fetched"; readonly page: FetchedPage } | FetchFailure> {
  const { url, timeoutMs } = wish;
  const { host, hostname } = new URL(url);
  const mayFollow = (target: string): boolean => new URL(target).hostname === hostname;
  for (let waitMs = deps.paces.waitMs(host, MAX_PER_HOST); waitMs !== 0;) {
    if ((waitMs ?? 0) > timeoutMs) return OUT_OF_TIME; // the host asked for a longer pause than the caller has
    await sleep(waitMs ?? LOOK_AGAIN_MS, signal);
    waitMs = deps.paces.waitMs(host, MAX_PER_HOST);
  }
  const end = deps.paces.begin(host);
  // A page that fails says little of its host: only a host that asks for a pause gets a longer one.
  let result: "answered" | "limited" = "answered";
  let retryAfterMs: number | undefined;
  try {
    const outcome = await fetchPage(deps, url, signal, wish.staysOnHost === true ? { mayFollow } : {});
    if (outcome.kind === "failed") {
      retryAfterMs = outcome.error.retryAfterMs;
      if (outcome.reason === "rate-limited" || retryAfterMs !== undefined) result = "limited";
    }
    return outcome.kind === "fetched" ? outcome : failureOf(outcome);
  } finally {
    end(
      { finishedAt: deps.now(), result, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) },
      { delayMs: PAUSE_MS },
    );
  }
}

/** Reads the page and keeps it, unless it asks not to be; undefined when it cannot be read. */
async function keep(
  deps: FetchLiveDeps,
  fetched: FetchedPage,
  wish: Pick<Parameters<FetchLive>[0], "teamId" | "category" | "source">,
  signal: AbortSignal,
): Promise<ContentPage | undefined> {
  const { url, fetchedAt, bytes, headers, validators } = fetched;
  const { teamId, category } = wish;
  const [outcome] = await ingestPages(
    deps,
    [
      {
        teamId,
        url,
        source: wish.source ?? "crawl",
        fetchedAt,
        ...(category === null ? {} : { given: { category } }),
        etag: validators.etag,
        lastModified: validators.lastModified,
        content: { kind: "bytes", bytes, contentType: headers["content-type"] },
      },
    ],
    {
      signal,
      mayKeep: (_page, { robots }) => {
        const header = headers["x-robots-tag"];
        const metas = robots.map((content) => ({ name: "robots", content }));
        const sources = { headers: header === undefined ? [] : [header], metas };
        return mayBeIndexed(readPageDirectives(sources, deps.agent), fetchedAt);
      },
    },
  );
  if (outcome === undefined || outcome.kind === "unreadable") return undefined;
  const snapshotId = outcome.kind === "saved" ? outcome.snapshotId : null;
  return pageOfReading(outcome.reading, { teamId, url, snapshotId, category, readAt: fetchedAt });
}
