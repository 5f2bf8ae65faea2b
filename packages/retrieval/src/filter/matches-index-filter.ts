import type { PageFacts } from "../pages/page-row.ts";
import { placeOf } from "./domain-rule.ts";
import { matchesFilter } from "./filter-page.ts";
import { parseFilter, type IndexFilter } from "./index-filter.ts";

/** Whether a search under this filter could find the page; for pages that are not in the index. Throws as a search does. */
export function matchesIndexFilter(page: PageFacts, filter: IndexFilter): boolean {
  return matchesFilter(
    {
      ...placeOf(page.url),
      ...{ teamId: page.teamId, url: page.url, category: page.category, language: page.language },
      publishedMs: page.publishedAt?.getTime() ?? null,
      crawledMs: page.crawledAt.getTime(),
    },
    parseFilter(filter),
  );
}
