import { isAtAnyRule, type PagePlace } from "./domain-rule.ts";
import type { ParsedFilter } from "./index-filter.ts";

/** What a filter asks of a page. */
export interface FilteredPage extends PagePlace {
  readonly teamId: string;
  readonly url: string;
  readonly category: string | null;
  readonly language: string | null;
  readonly publishedMs: number | null;
  readonly crawledMs: number;
}

/** The same question as `filterToSql` asks, for pages in memory. */
export function matchesFilter(page: FilteredPage, parsed: ParsedFilter): boolean {
  const { filter, includeDomains, excludeDomains } = parsed;
  return (
    filter.teamIds.includes(page.teamId) &&
    (includeDomains === undefined || isAtAnyRule(page, includeDomains)) &&
    !(excludeDomains !== undefined && isAtAnyRule(page, excludeDomains)) &&
    isWithin(page.publishedMs, filter.publishedFrom, filter.publishedTo) &&
    isWithin(page.crawledMs, filter.crawledFrom, filter.crawledTo) &&
    isAmong(page.category, filter.categories) &&
    isAmong(page.language, filter.languages) &&
    (parsed.includeUrls?.has(page.url) ?? true) &&
    !(parsed.excludeUrls?.has(page.url) ?? false)
  );
}

/** A page without a date is outside every range. */
function isWithin(milliseconds: number | null, from: Date | undefined, to: Date | undefined): boolean {
  if (from === undefined && to === undefined) return true;
  if (milliseconds === null) return false;
  return (from === undefined || milliseconds >= from.getTime()) && (to === undefined || milliseconds <= to.getTime());
}

function isAmong(value: string | null, wanted: readonly string[] | undefined): boolean {
  return wanted === undefined || (value !== null && wanted.includes(value));
}
