const DAY_MS = 86_400_000;
/** After so many days a page's newness counts half. */
const HALF_LIFE_DAYS = 120;
/** How much of the score newness decides when the query asks for it. */
const FRESH_SHARE = 0.3;
/** A page without a date counts as old as this. */
const UNDATED_DAYS = 730;

/** A score for a query that asks for what is new: part of it depends on the page's age. */
export function freshenScore(score: number, publishedAt: Date | null, now: Date): number {
  const ageDays = publishedAt === null ? UNDATED_DAYS : Math.max(0, (now.getTime() - publishedAt.getTime()) / DAY_MS);
  return score * (1 - FRESH_SHARE + FRESH_SHARE * 2 ** (-ageDays / HALF_LIFE_DAYS));
}
