/** What is known of a page before it is visited. */
export interface PagePromise {
  /** Canonical. */
  readonly url: string;
  /** Links from the start. */
  readonly depth: number;
  /** What its sitemap says: 0 to 1. */
  readonly statedPriority?: number | undefined;
  readonly lastModified?: Date | undefined;
}

/** Of pages found on the way; seeds and pages that are due come above it. */
export const MAX_PAGE_PRIORITY = 1_000;

const BASE = 500;
const PER_LINK = 40;
const MAX_LINKS_COUNTED = 10;
const STATED_RANGE = 200;
const PLAIN_SEGMENTS = 4;
const LONG_URL = 200;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Paths and parameters of pages that say again what others say, or nothing: lists, sorted views, forms. */
const POOR_SHAPE =
  /\/(?:login|log-in|signin|sign-in|signup|register|cart|basket|checkout|account|search|print|share|reply|edit|calendar|tags?|page\/\d+)(?:\/|$)/i;
const POOR_PARAMETER = /^(?:page|p|sort|order|orderby|filter|view|print|replytocom|share|action|lang|year|month|day)$/i;

/**
 * How soon a page is worth a visit, from 0 to 1000: near the start before far from it, what its sitemap calls
 * important, what changed of late, and plain addresses before those of lists, forms and sorted views.
 */
export function pagePriority(page: PagePromise, now: Date): number {
  const links = Math.min(page.depth, MAX_LINKS_COUNTED) * PER_LINK;
  const stated = page.statedPriority === undefined ? 0 : (page.statedPriority - 0.5) * STATED_RANGE;
  const score = BASE - links + stated + freshness(page.lastModified, now) - shapePenalty(new URL(page.url));
  return Math.round(Math.min(Math.max(score, 0), MAX_PAGE_PRIORITY));
}

function freshness(lastModified: Date | undefined, now: Date): number {
  if (lastModified === undefined) return 0;
  const days = (now.getTime() - lastModified.getTime()) / DAY_MS;
  if (days < 0) return 0; // a date to come says nothing
  return days <= 7 ? 60 : days <= 30 ? 40 : days <= 365 ? 10 : -10;
}

function shapePenalty(url: URL): number {
  const parameters = [...url.searchParams.keys()];
  const segments = url.pathname.split("/").filter((part) => part !== "").length;
  return (
    Math.min(parameters.length * 15, 75) +
    Math.min(Math.max(0, segments - PLAIN_SEGMENTS) * 10, 50) +
    (POOR_SHAPE.test(url.pathname) || parameters.some((name) => POOR_PARAMETER.test(name)) ? 100 : 0) +
    (url.href.length > LONG_URL ? 30 : 0)
  );
}
