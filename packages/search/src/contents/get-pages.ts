import { findDocumentsWithText, getExtractedText, listPastVersions, type Database } from "@quarry/store";
import { pageOfDocument, type ContentPage } from "./content-page.ts";
import type { ContentsPlan } from "./contents-plan.ts";
import { NOT_FOUND, type FetchFailure } from "./fetch-failure.ts";
import type { FetchLive } from "./fetch-live.ts";
import { mayFallBack, needsFetch } from "./freshness.ts";

/** A page, and whether it was stored or fetched for this request; or why there is none. */
export type PageOutcome =
  | {
      readonly kind: "found";
      readonly page: ContentPage;
      readonly source: "cached" | "crawled";
      /** With `snapshotAsOf`: when that copy was stored. */
      readonly snapshotAt?: Date;
    }
  | FetchFailure;

/** What getting pages needs from outside. */
export interface GetPagesDeps {
  readonly database: Database;
  readonly fetchLive: FetchLive;
  readonly now: () => Date;
}

/** How pages are to be had. */
export type PageWish = Pick<ContentsPlan, "freshness" | "fetchTimeoutMs" | "snapshotAsOf"> & {
  /** Whoever agreed to a host did not agree to those it redirects to. */
  readonly staysOnHost?: boolean;
};

/**
 * Gets the pages of canonical URLs, each once: stored ones that these teams may read (of the team named first), and
 * others fetched for that team, as fresh as wished.
 */
export async function getPages(
  deps: GetPagesDeps,
  teamIds: readonly string[],
  urls: readonly string[],
  wish: PageWish,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, PageOutcome>> {
  const distinct = [...new Set(urls)];
  const stored = await findStored(deps.database, teamIds, distinct);
  signal.throwIfAborted();
  const outcomes = await Promise.all(
    distinct.map(async (url): Promise<readonly [string, PageOutcome]> => {
      const known = stored.get(url);
      if (wish.snapshotAsOf !== undefined) return [url, await findPast(deps.database, known, wish.snapshotAsOf)];
      return [url, await getPage(deps, { teamIds, url, known }, wish, signal)];
    }),
  );
  return new Map(outcomes);
}

async function findStored(
  db: Database,
  teamIds: readonly string[],
  urls: readonly string[],
): Promise<ReadonlyMap<string, ContentPage>> {
  const places = teamIds.flatMap((teamId) => urls.map((url) => ({ teamId, url })));
  const found = (await findDocumentsWithText(db, places)).map(pageOfDocument);
  const rank = (page: ContentPage): number => -teamIds.indexOf(page.teamId);
  return new Map(found.sort((one, other) => rank(one) - rank(other)).map((page) => [page.url, page]));
}

async function getPage(
  deps: GetPagesDeps,
  page: { readonly teamIds: readonly string[]; readonly url: string; readonly known: ContentPage | undefined },
  wish: PageWish,
  signal: AbortSignal,
): Promise<PageOutcome> {
  const { teamIds, url, known } = page;
  const cached = known === undefined ? NOT_FOUND : ({ kind: "found", page: known, source: "cached" } as const);
  const [teamId] = teamIds;
  if (teamId === undefined || !needsFetch(wish.freshness, known?.readAt, deps.now())) return cached;
  const { fetchTimeoutMs: timeoutMs, staysOnHost = false } = wish;
  const category = known?.category ?? null;
  const fetched = await deps.fetchLive({ teamId, url, timeoutMs, category, staysOnHost }, signal);
  if (fetched.kind === "fetched") return { kind: "found", page: fetched.page, source: "crawled" };
  return known !== undefined && mayFallBack(wish.freshness) ? cached : fetched;
}

/** Past copies that are looked at; a page has a new one only when it changed. */
const MAX_PAST_VERSIONS = 1_000;

/** The text that a page had at a moment; what it says of itself is what it says now. */
async function findPast(db: Database, known: ContentPage | undefined, moment: Date): Promise<PageOutcome> {
  if (known === undefined) return NOT_FOUND;
  const versions = await listPastVersions(db, known.teamId, known.url, MAX_PAST_VERSIONS);
  const past = versions.find(({ seenAt }) => seenAt <= moment);
  if (past === undefined) return NOT_FOUND;
  const { snapshotId, extractorVersion, seenAt } = past;
  if (snapshotId === known.snapshotId && extractorVersion === known.extractorVersion) {
    return { kind: "found", page: known, source: "cached", snapshotAt: seenAt };
  }
  const copy = await getExtractedText(db, snapshotId, extractorVersion);
  if (copy === undefined) return NOT_FOUND;
  const { text, markdown } = copy;
  const page = { ...known, snapshotId, extractorVersion, text, markdown, readAt: seenAt, details: {} };
  return { kind: "found", page, source: "cached", snapshotAt: seenAt };
}
