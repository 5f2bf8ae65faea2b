import { AppError, sleep } from "@quarry/base";
import { compileScope, decideBudget, decideScope, type FetchOutcome } from "@quarry/crawl";
import {
  findCrawl,
  findDocument,
  findSnapshot,
  nextPageAt,
  nextPages,
  postponePage,
  type Crawl,
  type QueuedPage,
  type StoredDocument,
} from "@quarry/store";
import type { IngestDeps } from "../ingest-pages.ts";
import { settleVisits, type CrawlInHand, type SettledVisit } from "./settle-visits.ts";
import { visitPage, type VisitDeps } from "./visit-page.ts";

/** What a crawl needs from outside. */
export interface CrawlDeps extends IngestDeps, VisitDeps {}

/** How a crawl ended: nothing left to visit, or its budget spent. */
export type CrawlEnd = { readonly reason: "nothing-left" | "max-pages" | "max-bytes" };

/** Pages under way at once, over all hosts. */
const MAX_UNDER_WAY = 32;
/** Requests to one host at once when the crawl asks for no pause; with a pause there is one. */
const UNPACED_PER_HOST = 8;
/** Visits written in one transaction. */
const BATCH_VISITS = 24;
/** How long a visit may wait for others to be written with. */
const BATCH_WAIT_MS = 150;
/** Pages looked up at once. */
const LOOK_AHEAD = 200;
/** How often a page that failed in a way that may pass is tried. */
const MAX_ATTEMPTS = 4;
const FIRST_RETRY_MS = 5_000;
/** Longest sleep before the frontier is looked at again. */
const LONGEST_WAIT_MS = 1_000;

/**
 * Visits the pages of a crawl until none is left or its budget is spent. One call works on a crawl at a time; another
 * goes on where a dead one stopped, for all that happened is in the store. Rejects when `signal` aborts.
 */
export async function runCrawl(deps: CrawlDeps, crawl: Crawl, signal: AbortSignal): Promise<CrawlEnd> {
  const { request } = crawl;
  const inHand: CrawlInHand = {
    crawl,
    agent: deps.agent,
    scope: compileScope({
      seeds: request.urls.length === 0 ? request.sitemaps : request.urls,
      kind: request.scope,
      include: request.include,
      exclude: request.exclude,
      maxDepth: request.maxDepth,
    }),
  };
  const work = new CrawlWork(deps, inHand, signal);
  try {
    return await work.run();
  } finally {
    work.close();
  }
}

/** The moving parts of one run: what is under way, what waits to be written. */
class CrawlWork {
  readonly #deps: CrawlDeps;
  readonly #inHand: CrawlInHand;
  readonly #stop = new AbortController();
  readonly #signal: AbortSignal;
  /** URLs being visited or written: not to be taken from the frontier again. */
  readonly #underWay = new Set<string>();
  readonly #settled: SettledVisit[] = [];
  #visiting = 0;
  #writing: Promise<void> | undefined;
  #failure: Error | undefined;
  #bell = new AbortController();
  #oldestSettledAt = 0;

  constructor(deps: CrawlDeps, inHand: CrawlInHand, signal: AbortSignal) {
    this.#deps = deps;
    this.#inHand = inHand;
    this.#signal = AbortSignal.any([signal, this.#stop.signal]);
  }

  async run(): Promise<CrawlEnd> {
    let ahead: QueuedPage[] = [];
    let isBudgetSpent: CrawlEnd["reason"] | undefined;
    for (;;) {
      this.#signal.throwIfAborted();
      if (this.#failure !== undefined) throw this.#failure;
      this.#bell = new AbortController();
      this.#writeIfDue(ahead.length === 0 && this.#visiting === 0);

      if (isBudgetSpent === undefined && ahead.length < MAX_UNDER_WAY && this.#visiting < MAX_UNDER_WAY) {
        ahead = [...(await this.#look())];
      }
      if (isBudgetSpent === undefined) {
        const started = await this.#start(ahead);
        ahead = ahead.filter((page) => !started.pages.has(page));
        isBudgetSpent = started.spent;
      }
      const isQuiet = this.#visiting === 0 && this.#settled.length === 0 && this.#writing === undefined;
      if (isQuiet && isBudgetSpent !== undefined) return { reason: isBudgetSpent };
      if (
        isQuiet &&
        ahead.length === 0 &&
        (await nextPageAt(this.#deps.database, this.#inHand.crawl.id)) === undefined
      ) {
        return { reason: "nothing-left" };
      }
      await this.#rest(ahead);
    }
  }

  close(): void {
    this.#stop.abort(new AppError("canceled", "the crawl has ended"));
  }

  #look(): Promise<readonly QueuedPage[]> {
    return nextPages(this.#deps.database, this.#inHand.crawl.id, {
      limit: LOOK_AHEAD,
      except: [...this.#underWay],
      restingHosts: [],
      now: this.#deps.now(),
    });
  }

  /** Starts what the hosts' pace and the budget allow. */
  async #start(
    ahead: readonly QueuedPage[],
  ): Promise<{ readonly pages: ReadonlySet<QueuedPage>; readonly spent: CrawlEnd["reason"] | undefined }> {
    const pages = new Set<QueuedPage>();
    const { request, id } = this.#inHand.crawl;
    if (ahead.length === 0 || this.#visiting >= MAX_UNDER_WAY) return { pages, spent: undefined };
    const crawl = (await findCrawl(this.#deps.database, id)) ?? this.#inHand.crawl;
    const perHost = request.delayMs === 0 ? UNPACED_PER_HOST : 1;
    for (const page of ahead) {
      if (this.#visiting >= MAX_UNDER_WAY) break;
      const budget = decideBudget(request, { pages: crawl.pagesDone + this.#underWay.size, bytes: crawl.bytes });
      if (budget.kind === "stop") return { pages, spent: budget.reason };
      if (this.#deps.paces.waitMs(page.host, perHost) !== 0) continue;
      pages.add(page);
      this.#visit(page, budget.bytesLeft);
    }
    return { pages, spent: undefined };
  }

  #visit(page: QueuedPage, bytesLeft: number): void {
    this.#underWay.add(page.url);
    this.#visiting += 1;
    void this.#visitAndSettle(page, bytesLeft)
      .catch((error: unknown) => {
        this.#failure ??= error instanceof Error ? error : new Error(String(error));
      })
      .finally(() => {
        this.#visiting -= 1;
        this.#bell.abort();
      });
  }

  async #visitAndSettle(page: QueuedPage, bytesLeft: number): Promise<void> {
    const { request, teamId } = this.#inHand.crawl;
    const known = await findDocument(this.#deps.database, [teamId], page.url);
    const outcome = await visitPage(
      this.#deps,
      page,
      {
        delayMs: request.delayMs,
        maxBytes: Math.min(MAX_PAGE_BYTES, bytesLeft),
        validators: known === undefined ? undefined : validatorsOf(known),
        mayFollow: (url) => decideScope(this.#inHand.scope, url, Math.max(page.depth, 1)).kind === "in",
      },
      this.#signal,
    );
    if (outcome.kind === "failed" && outcome.error.retryable && page.attempts + 1 < MAX_ATTEMPTS) {
      await this.#postpone(page, outcome);
      return;
    }
    const unchanged =
      outcome.kind === "not-modified" && known !== undefined ? await this.#storedCopy(known) : undefined;
    if (this.#settled.length === 0) this.#oldestSettledAt = performance.now();
    this.#settled.push({ page, outcome, unchanged });
  }

  async #postpone(page: QueuedPage, outcome: Extract<FetchOutcome, { kind: "failed" }>): Promise<void> {
    const waitMs = outcome.error.retryAfterMs ?? FIRST_RETRY_MS * 2 ** page.attempts;
    const nextAt = new Date(
      this.#deps.now().getTime() + Math.min(waitMs, this.#inHand.crawl.request.delayMs === 0 ? FIRST_RETRY_MS : waitMs),
    );
    await postponePage(this.#deps.database, this.#inHand.crawl.id, {
      url: page.url,
      nextAt,
      message: outcome.error.message,
    });
    this.#underWay.delete(page.url);
  }

  async #storedCopy(known: StoredDocument): Promise<SettledVisit["unchanged"]> {
    const [bytes, facts] = await Promise.all([
      this.#deps.snapshots.get(known.snapshotId),
      findSnapshot(this.#deps.database, [known.teamId], known.snapshotId),
    ]);
    if (bytes === undefined || facts === undefined) return undefined;
    return {
      bytes,
      contentType: facts.charset === null ? facts.mediaType : `${facts.mediaType}; charset=${facts.charset}`,
    };
  }

  /** Writes what has settled, a batch at a time, when there is a batch of it or it has waited long enough. */
  #writeIfDue(isLull: boolean): void {
    if (this.#writing !== undefined || this.#settled.length === 0) return;
    const hasWaited = performance.now() - this.#oldestSettledAt >= BATCH_WAIT_MS;
    if (this.#settled.length < BATCH_VISITS && !hasWaited && !isLull) return;
    const batch = this.#settled.splice(0, BATCH_VISITS);
    this.#oldestSettledAt = performance.now();
    this.#writing = settleVisits(this.#deps, this.#inHand, batch, { now: this.#deps.now(), signal: this.#signal })
      .then(() => {
        for (const { page } of batch) this.#underWay.delete(page.url);
      })
      .catch((error: unknown) => {
        this.#failure ??= error instanceof Error ? error : new Error(String(error));
      })
      .finally(() => {
        this.#writing = undefined;
        this.#bell.abort();
      });
  }

  /** Waits until something ends, or until a host or a page may have its turn. */
  async #rest(ahead: readonly QueuedPage[]): Promise<void> {
    const perHost = this.#inHand.crawl.request.delayMs === 0 ? UNPACED_PER_HOST : 1;
    const waits = ahead.slice(0, LOOK_AHEAD).flatMap(({ host }) => this.#deps.paces.waitMs(host, perHost) ?? []);
    const paceMs = waits.length === 0 || this.#visiting >= MAX_UNDER_WAY ? LONGEST_WAIT_MS : Math.min(...waits);
    const batchMs = this.#settled.length === 0 ? LONGEST_WAIT_MS : BATCH_WAIT_MS;
    const waitMs = Math.max(1, Math.min(paceMs, batchMs, LONGEST_WAIT_MS));
    if (this.#bell.signal.aborted) return;
    await sleep(waitMs, AbortSignal.any([this.#signal, this.#bell.signal])).catch(() => undefined); // woken, or over
  }
}

/** Largest body that is read. */
const MAX_PAGE_BYTES = 20 * 1024 * 1024;

function validatorsOf({ etag, lastModified }: StoredDocument): {
  readonly etag?: string;
  readonly lastModified?: string;
} {
  return { ...(etag === null ? {} : { etag }), ...(lastModified === null ? {} : { lastModified }) };
}
