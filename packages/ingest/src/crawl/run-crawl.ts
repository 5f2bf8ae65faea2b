import { AppError } from "@quarry/base";
import { compileScope, decideBudget, DEFAULT_MAX_PAGE_BYTES, decideScope, type CrawlBudget } from "@quarry/crawl";
import {
  countRedirectsTo,
  findCrawl,
  findDocuments,
  isPageKnown,
  nextPageAt,
  nextPages,
  postponePage,
  type Crawl,
  type CrawlSpent,
  type QueuedPage,
  type StoredDocument,
} from "@quarry/store";
import type { IngestDeps } from "../ingest-pages.ts";
import { PagesAhead } from "./pages-ahead.ts";
import { prepareVisit, settleVisits, type CrawlInHand, type SettledVisit } from "./settle-visits.ts";
import { readStoredCopy, validatorsOf } from "./stored-copy.ts";
import { renderVisit, type RenderDeps } from "./render-visit.ts";
import { MAX_REDIRECTS, visitPage, type VisitDeps, type VisitOutcome } from "./visit-page.ts";

/** What a crawl needs from outside. */
export interface CrawlDeps extends IngestDeps, VisitDeps, RenderDeps {}

/** How a crawl ended: nothing left to visit, or its budget spent. */
export interface CrawlEnd {
  readonly reason: "nothing-left" | "max-pages" | "max-bytes";
}

/** Pages being fetched at once, over all hosts. */
const MAX_FETCHING = 32;
/** Pages fetched, being read, or waiting for their rows: what may be lost in a crash, and what memory holds. */
const MAX_IN_HAND = 128;
/** Requests to one host at once when the crawl asks for no pause; with a pause there is one. */
const UNPACED_PER_HOST = 8;
/** Visits written in one transaction. */
const BATCH_VISITS = 64;
/** How long a visit may wait for others to be written with. */
const BATCH_WAIT_MS = 150;
/** Pages looked up at once, and how few of a host's are left when more are. */
const LOOK_AHEAD = 256;
const LOW_WATER = 64;
/** Pages looked up and not begun, over all hosts. */
const MAX_AHEAD = 8_192;
/** How often a page that failed in a way that may pass is tried. */
const MAX_ATTEMPTS = 4;
const FIRST_RETRY_MS = 5_000;
/** Longest sleep before the frontier is looked at again. */
const LONGEST_WAIT_MS = 1_000;

/**
 * Visits the pages of a crawl until none is left or its budget is spent. One call works on a crawl at a time; another
 * goes on where a dead one stopped, for all that happened is in the store. Rejects when `signal` aborts; by then
 * nothing of it is under way any more.
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
    await work.close();
  }
}

/** What a page cost: its own bytes, and what its scripts loaded beside them. */
function bytesOf(came: VisitOutcome & { readonly kind: "fetched" }, shown: VisitOutcome): number {
  const rendering = shown.kind === "fetched" ? shown.rendering : undefined;
  return came.page.bytes.byteLength + (rendering?.kind === "rendered" ? rendering.wireBytes : 0);
}

/** A visit from its begin until its rows are written. */
interface Visit {
  readonly page: QueuedPage;
  readonly known: StoredDocument | undefined;
  /** URLs that redirects led to and that nobody else may visit meanwhile. */
  readonly claimed: string[];
  /** What it may still take of the byte budget, then what it took. */
  reservedBytes: number;
}

/** The moving parts of one run: what is ahead, in hand, and waits to be written. */
class CrawlWork {
  readonly #deps: CrawlDeps;
  readonly #inHand: CrawlInHand;
  readonly #stop = new AbortController();
  readonly #signal: AbortSignal;
  readonly #perHost: number;
  readonly #budget: CrawlBudget;
  readonly #ahead = new PagesAhead();
  readonly #knownDocuments = new Map<string, StoredDocument>();
  readonly #visits = new Set<Visit>();
  /** URLs of `#visits`: not to be taken from the frontier again. */
  readonly #underWay = new Set<string>();
  readonly #settled: { readonly visit: Visit; readonly settled: SettledVisit; readonly atMs: number }[] = [];
  readonly #running = new Set<Promise<void>>();
  #spent: CrawlSpent;
  #isOutOfBytes = false;
  #fetching = 0;
  #isWriting = false;
  #isLooking = false;
  #lookDueMs = 0;
  #failure: Error | undefined;
  #isRung = false;
  #wake: () => void = () => undefined;

  constructor(deps: CrawlDeps, inHand: CrawlInHand, signal: AbortSignal) {
    this.#deps = deps;
    this.#inHand = inHand;
    this.#signal = AbortSignal.any([signal, this.#stop.signal]);
    this.#signal.addEventListener("abort", () => this.#ring());
    this.#perHost = inHand.crawl.request.delayMs === 0 ? UNPACED_PER_HOST : 1;
    this.#budget = { maxPages: inHand.crawl.maxPages, maxBytes: inHand.crawl.request.maxBytes };
    this.#spent = { pages: inHand.crawl.pagesDone, bytes: inHand.crawl.bytes };
  }

  async run(): Promise<CrawlEnd> {
    const { database } = this.#deps;
    const { id } = this.#inHand.crawl;
    const crawl = await findCrawl(database, id);
    if (crawl !== undefined) this.#spent = { pages: crawl.pagesDone, bytes: crawl.bytes };
    for (;;) {
      this.#isRung = false;
      this.#signal.throwIfAborted();
      if (this.#failure !== undefined) throw this.#failure;
      this.#writeIfDue();
      this.#lookIfDue();
      const stop = this.#startVisits();
      if (this.#running.size === 0 && this.#visits.size === 0) {
        if (stop !== undefined) return { reason: stop };
        if (this.#ahead.size === 0 && (await nextPageAt(database, id)) === undefined) return { reason: "nothing-left" };
      }
      await this.#rest();
    }
  }

  /** Gives up what is under way and waits until all of it has ended. */
  async close(): Promise<void> {
    this.#stop.abort(new AppError("canceled", "the crawl has ended"));
    await Promise.all(this.#running);
  }

  /** Runs a part of the work beside the loop; its failure is the run's, its end wakes the loop. */
  #run(part: () => Promise<void>): void {
    const running = part()
      .catch((error: unknown) => {
        this.#failure ??= error instanceof Error ? error : new Error(String(error));
      })
      .finally(() => {
        this.#running.delete(running);
        this.#ring();
      });
    this.#running.add(running);
  }

  /** Takes pages from the frontier when few are ahead whose hosts may be asked. */
  #lookIfDue(): void {
    if (this.#isLooking || performance.now() < this.#lookDueMs || this.#ahead.size >= MAX_AHEAD) return;
    const full = new Set<string>();
    let ready = 0;
    for (const { host, pages } of this.#ahead.hosts()) {
      const isResting = this.#isResting(host);
      if (isResting || pages >= LOW_WATER) full.add(host);
      if (!isResting) ready += pages;
    }
    if (ready >= LOW_WATER) return;
    this.#isLooking = true;
    const except = [...this.#underWay];
    for (const { host } of this.#ahead.hosts()) if (!full.has(host)) except.push(...this.#ahead.urlsOf(host));
    this.#run(() => this.#look(except, [...full]).finally(() => (this.#isLooking = false)));
  }

  async #look(except: readonly string[], exceptHosts: readonly string[]): Promise<void> {
    const { database, now } = this.#deps;
    const { id, teamId } = this.#inHand.crawl;
    const pages = await nextPages(database, id, { limit: LOOK_AHEAD, except, exceptHosts, now: now() });
    const urls = pages.map(({ url }) => url);
    if (urls.length > 0) {
      for (const [url, known] of await findDocuments(database, [teamId], urls)) this.#knownDocuments.set(url, known);
    }
    this.#ahead.add(pages);
    // There is no more for now; a write that finds new pages brings the next look forward.
    if (pages.length < LOOK_AHEAD) this.#lookDueMs = performance.now() + LONGEST_WAIT_MS;
  }

  /** Starts what the hosts' pace and the budget allow; answers with the budget that ends the crawl. */
  #startVisits(): CrawlEnd["reason"] | undefined {
    while (this.#ahead.size > 0 && this.#fetching < MAX_FETCHING && this.#visits.size < MAX_IN_HAND) {
      const reserved = [...this.#visits].reduce((sum, { reservedBytes }) => sum + reservedBytes, 0);
      const budget = this.#isOutOfBytes
        ? ({ kind: "stop", reason: "max-bytes" } as const)
        : decideBudget(this.#budget, {
            pages: this.#spent.pages + this.#visits.size,
            bytes: this.#spent.bytes + reserved,
          });
      // What is in hand may come to less than is reserved for it.
      if (budget.kind === "stop") return this.#visits.size === 0 ? budget.reason : undefined;
      if (budget.bytesLeft < DEFAULT_MAX_PAGE_BYTES && this.#visits.size > 0) return undefined;
      const page = this.#ahead.take((host) => this.#deps.paces.waitMs(host, this.#perHost) === 0);
      if (page === undefined) return undefined;
      this.#start(page, Math.min(DEFAULT_MAX_PAGE_BYTES, budget.bytesLeft));
    }
    return undefined;
  }

  #start(page: QueuedPage, maxBytes: number): void {
    const visit: Visit = { page, known: this.#knownDocuments.get(page.url), claimed: [], reservedBytes: maxBytes };
    this.#knownDocuments.delete(page.url);
    this.#visits.add(visit);
    this.#underWay.add(page.url);
    this.#fetching += 1;
    this.#run(() => this.#visitAndPrepare(visit));
  }

  async #visitAndPrepare(visit: Visit): Promise<void> {
    const { page } = visit;
    const maxBytes = visit.reservedBytes;
    const { outcome: came, unchanged } = await this.#fetch(visit).finally(() => (this.#fetching -= 1));
    this.#ring(); // a host has a place free, whatever is still to be done with the page
    const shown = await renderVisit(
      this.#deps,
      came,
      { mode: this.#inHand.crawl.request.render, mayFollow: (url) => this.#mayFollow(page, url) },
      this.#signal,
    );
    const outcome = await this.#endChain(page, shown);
    const cutBytes = outcome.kind === "refused" ? (outcome.readBytes ?? 0) : 0;
    if (cutBytes >= maxBytes && maxBytes < DEFAULT_MAX_PAGE_BYTES) {
      this.#isOutOfBytes = true; // the page stays queued: with a larger budget it would be read
      this.#release(visit);
      return;
    }
    if (outcome.kind === "failed" && outcome.error.retryable && page.attempts + 1 < MAX_ATTEMPTS) {
      await this.#postpone(page, outcome.error);
      this.#release(visit);
      return;
    }
    const byteLength = came.kind === "fetched" ? bytesOf(came, outcome) : cutBytes;
    visit.reservedBytes = byteLength;
    const settled = await prepareVisit(
      this.#deps,
      this.#inHand,
      { page, outcome, unchanged, byteLength },
      { now: this.#deps.now(), signal: this.#signal },
    );
    this.#settled.push({ visit, settled, atMs: performance.now() });
  }

  async #fetch(visit: Visit): Promise<{
    readonly outcome: VisitOutcome;
    readonly unchanged: Awaited<ReturnType<typeof readStoredCopy>>;
  }> {
    const { page, known } = visit;
    const ask = (validators: ReturnType<typeof validatorsOf> | undefined): Promise<VisitOutcome> =>
      visitPage(
        this.#deps,
        page,
        {
          delayMs: this.#inHand.crawl.request.delayMs,
          maxBytes: visit.reservedBytes,
          validators,
          mayFollow: (url) => this.#mayFollow(page, url),
          claim: (url) => this.#claim(visit, url),
        },
        this.#signal,
      );
    const outcome = await ask(known === undefined ? undefined : validatorsOf(known));
    if (outcome.kind !== "not-modified" || known === undefined) return { outcome, unchanged: undefined };
    const unchanged = await readStoredCopy(this.#deps, known);
    // Nothing new, and the copy is gone or damaged: then all of it once more.
    return unchanged === undefined ? { outcome: await ask(undefined), unchanged } : { outcome, unchanged };
  }

  /** Whether a redirect of this page leads to one that the crawl reads; a seed's does not reach further than its links. */
  #mayFollow(page: QueuedPage, url: string): boolean {
    return decideScope(this.#inHand.scope, url, Math.max(page.depth, 1)).kind === "in";
  }

  /** Redirects from host to host go from visit to visit: they end where those of one visit would. */
  async #endChain(page: QueuedPage, outcome: VisitOutcome): Promise<VisitOutcome> {
    if (outcome.kind !== "redirected") return outcome;
    const { redirects } = outcome;
    const before = { url: page.url, most: MAX_REDIRECTS };
    const hops = await countRedirectsTo(this.#deps.database, this.#inHand.crawl.id, before);
    if (hops + redirects.length < MAX_REDIRECTS) return outcome;
    const message = `${page.url} and the pages that led there redirect more than ${MAX_REDIRECTS} times`;
    return { kind: "refused", reason: "too-many-redirects", message, redirects };
  }

  async #claim(visit: Visit, url: string): Promise<boolean> {
    if (this.#underWay.has(url)) return false;
    this.#underWay.add(url);
    visit.claimed.push(url);
    if (!(await isPageKnown(this.#deps.database, this.#inHand.crawl.id, url))) return true;
    visit.claimed.pop();
    this.#underWay.delete(url);
    return false;
  }

  async #postpone({ url, attempts }: QueuedPage, error: AppError): Promise<void> {
    const waitMs = error.retryAfterMs ?? FIRST_RETRY_MS * 2 ** attempts;
    const isHurried = this.#inHand.crawl.request.delayMs === 0;
    const nextAt = new Date(this.#deps.now().getTime() + (isHurried ? Math.min(waitMs, FIRST_RETRY_MS) : waitMs));
    await postponePage(this.#deps.database, this.#inHand.crawl.id, { url, nextAt, message: error.message });
  }

  /** Writes what has settled, a batch at a time, when there is a batch of it, it has waited long enough, or all wait for it. */
  #writeIfDue(): void {
    const oldest = this.#settled[0];
    if (this.#isWriting || oldest === undefined) return;
    const isLull = this.#settled.length === this.#visits.size && (this.#ahead.size === 0 || this.#fetching === 0);
    const hasWaited = performance.now() - oldest.atMs >= BATCH_WAIT_MS;
    if (this.#settled.length < BATCH_VISITS && !hasWaited && !isLull) return;
    const batch = this.#settled.splice(0, BATCH_VISITS);
    this.#isWriting = true;
    this.#run(() => this.#write(batch).finally(() => (this.#isWriting = false)));
  }

  async #write(batch: readonly { readonly visit: Visit; readonly settled: SettledVisit }[]): Promise<void> {
    this.#spent = await settleVisits(
      this.#deps,
      this.#inHand,
      batch.map(({ settled }) => settled),
      this.#deps.now(),
    );
    for (const { visit } of batch) this.#release(visit);
    this.#lookDueMs = 0;
  }

  #release(visit: Visit): void {
    this.#visits.delete(visit);
    this.#underWay.delete(visit.page.url);
    for (const url of visit.claimed) this.#underWay.delete(url);
  }

  /** Whether a host must be left alone for longer than a request takes. */
  #isResting(host: string): boolean {
    const waitMs = this.#deps.paces.waitMs(host, this.#perHost);
    return waitMs === undefined ? this.#perHost === 1 : waitMs > 0;
  }

  #ring(): void {
    this.#isRung = true;
    this.#wake();
  }

  /** Waits until something ends, or until a host, a batch or a look may have its turn. */
  async #rest(): Promise<void> {
    if (this.#isRung) return;
    const now = performance.now();
    const waits = this.#ahead
      .hosts()
      .flatMap(({ host }) => this.#deps.paces.waitMs(host, this.#perHost) ?? [])
      .filter((waitMs) => waitMs > 0);
    const oldest = this.#settled[0];
    if (oldest !== undefined && !this.#isWriting) waits.push(oldest.atMs + BATCH_WAIT_MS - now);
    const waitMs = Math.max(1, Math.min(LONGEST_WAIT_MS, ...waits));
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      timer = setTimeout(resolve, waitMs);
      this.#wake = resolve;
    });
    clearTimeout(timer);
  }
}
