import type { ChangeFrequency } from "../sitemap/sitemap-entry.ts";

/** What is known of how often a page changes; kept with the page. Counts fade, so that the recent past weighs most. */
export interface ChangeHistory {
  readonly visits: number;
  readonly changes: number;
  /** Time that the visits span. */
  readonly observedMs: number;
  /** How long to wait before the next visit. */
  readonly intervalMs: number;
}

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

/** No page is visited more often than this, or less. */
export const MIN_INTERVAL_MS = HOUR_MS;
export const MAX_INTERVAL_MS = 90 * DAY_MS;
const FIRST_INTERVAL_MS = 7 * DAY_MS;

/** How much of the past is kept at each visit: about the last ten visits count. */
const MEMORY = 0.9;
/** One visit changes the interval by no more than this, so that a single surprise decides nothing. */
const MAX_GROWTH = 2;
const MAX_SHRINK = 4;

const STATED_INTERVALS_MS: Readonly<Record<ChangeFrequency, number>> = {
  always: MIN_INTERVAL_MS,
  hourly: MIN_INTERVAL_MS,
  daily: DAY_MS,
  weekly: 7 * DAY_MS,
  monthly: 30 * DAY_MS,
  yearly: MAX_INTERVAL_MS,
  never: MAX_INTERVAL_MS,
};

/** A page that was read for the first time; what its sitemap says of it is believed until there is experience. */
export function startHistory(stated?: ChangeFrequency): ChangeHistory {
  return {
    visits: 0,
    changes: 0,
    observedMs: 0,
    intervalMs: stated === undefined ? FIRST_INTERVAL_MS : STATED_INTERVALS_MS[stated],
  };
}

/**
 * The history after one more visit. The rate of change is estimated as Cho and Garcia-Molina do ("Estimating frequency
 * of change", 2003), since a visit sees that a page changed and not how often; the next visit comes when a change is as
 * likely as not, within bounds.
 */
export function recordVisit(
  history: ChangeHistory,
  visit: { readonly elapsedMs: number; readonly changed: boolean },
): ChangeHistory {
  const visits = history.visits * MEMORY + 1;
  const changes = history.changes * MEMORY + (visit.changed ? 1 : 0);
  const observedMs = history.observedMs * MEMORY + Math.max(visit.elapsedMs, 1);
  const changesPerVisit = -Math.log((visits - changes + 0.5) / (visits + 0.5));
  const wantedMs = changesPerVisit <= 0 ? MAX_INTERVAL_MS : (Math.LN2 * observedMs) / visits / changesPerVisit;
  const smoothMs = clamp(wantedMs, history.intervalMs / MAX_SHRINK, history.intervalMs * MAX_GROWTH);
  return { visits, changes, observedMs, intervalMs: clamp(smoothMs, MIN_INTERVAL_MS, MAX_INTERVAL_MS) };
}

/** When to visit next: the interval after the last visit, a tenth sooner or later by the URL, so that no site's pages fall due at once. */
export function nextVisitAt(history: ChangeHistory, lastVisitAt: Date, url: string): Date {
  let hash = 0x811c9dc5;
  for (let index = 0; index < url.length; index += 1) hash = Math.imul(hash ^ url.charCodeAt(index), 0x01000193);
  const share = (hash >>> 0) / 2 ** 32;
  return new Date(lastVisitAt.getTime() + Math.round(history.intervalMs * (0.9 + 0.2 * share)));
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}
