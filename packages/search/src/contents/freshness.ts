import type { ContentsOptions } from "@quarry/contract";

/**
 * How fresh a page must be.
 *
 * - `stored-only`: what is stored, or nothing.
 * - `fetch-missing`: fetched when it is not stored.
 * - `max-age`: fetched when the stored copy is older; the copy stands in where that fails.
 * - `fetch`: always fetched; the stored copy stands in where that fails, if `fallsBack`.
 */
export type Freshness =
  | { readonly kind: "stored-only" }
  | { readonly kind: "fetch-missing" }
  | { readonly kind: "max-age"; readonly maxAgeMs: number }
  | { readonly kind: "fetch"; readonly fallsBack: boolean };

const HOUR_MS = 3_600_000;

/** What `livecrawl` or `maxAgeHours` ask for; the door has refused both at once. */
export function freshnessOf({ livecrawl, maxAgeHours }: ContentsOptions): Freshness {
  if (maxAgeHours !== undefined) {
    if (maxAgeHours < 0) return { kind: "stored-only" };
    if (maxAgeHours === 0) return { kind: "fetch", fallsBack: false };
    return { kind: "max-age", maxAgeMs: maxAgeHours * HOUR_MS };
  }
  switch (livecrawl) {
    case "never":
      return { kind: "stored-only" };
    case "always":
      return { kind: "fetch", fallsBack: false };
    case "preferred":
      return { kind: "fetch", fallsBack: true };
    case "fallback":
    case "auto":
    case undefined:
      return { kind: "fetch-missing" };
  }
}

/** Whether a page is to be fetched, given when the stored copy was read. */
export function needsFetch(freshness: Freshness, storedAt: Date | undefined, now: Date): boolean {
  switch (freshness.kind) {
    case "stored-only":
      return false;
    case "fetch-missing":
      return storedAt === undefined;
    case "max-age":
      return storedAt === undefined || now.getTime() - storedAt.getTime() > freshness.maxAgeMs;
    case "fetch":
      return true;
  }
}

/** Whether a stored copy may stand in for a page that could not be fetched. */
export function mayFallBack(freshness: Freshness): boolean {
  return freshness.kind !== "fetch" || freshness.fallsBack;
}
