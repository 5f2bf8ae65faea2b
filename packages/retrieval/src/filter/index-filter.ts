import { AppError } from "@quarry/base";
import { parseDomainRules, type DomainRules } from "./domain-rule.ts";

/** Which pages a search may find. What is left out does not restrict; bounds of dates count as inside. */
export interface IndexFilter {
  /** Whose pages: a team's own and, usually, the shared ones. At least one. Of one URL in two teams the first named wins. */
  readonly teamIds: readonly string[];
  /** `example.com` (with its subdomains), `example.com/docs` (a path prefix), `*.example.com`, `example.*`. */
  readonly includeDomains?: readonly string[] | undefined;
  readonly excludeDomains?: readonly string[] | undefined;
  readonly publishedFrom?: Date | undefined;
  readonly publishedTo?: Date | undefined;
  readonly crawledFrom?: Date | undefined;
  readonly crawledTo?: Date | undefined;
  readonly categories?: readonly string[] | undefined;
  /** ISO 639-1, as the pages have it. */
  readonly languages?: readonly string[] | undefined;
  readonly includeUrls?: readonly string[] | undefined;
  readonly excludeUrls?: readonly string[] | undefined;
}

/** The most entries each list of a filter may have: those that callers may give, and what searches add to them. */
export const MAX_FILTER_ENTRIES = 3_000;

/** A filter read and checked. */
export interface ParsedFilter {
  readonly filter: IndexFilter;
  readonly includeDomains: DomainRules | undefined;
  readonly excludeDomains: DomainRules | undefined;
  readonly includeUrls: ReadonlySet<string> | undefined;
  readonly excludeUrls: ReadonlySet<string> | undefined;
}

/** Reads a filter. Throws `invalid_request` when it names no team, a list is too long, or a date or domain is none. */
export function parseFilter(filter: IndexFilter): ParsedFilter {
  if (filter.teamIds.length === 0) throw new AppError("invalid_request", "a filter names at least one team");
  for (const name of LISTS) {
    if ((filter[name]?.length ?? 0) <= MAX_FILTER_ENTRIES) continue;
    throw new AppError("invalid_request", `${name} has more than ${MAX_FILTER_ENTRIES} entries; leave some out`);
  }
  for (const name of DATES) {
    const date = filter[name];
    if (date !== undefined && Number.isNaN(date.getTime())) {
      throw new AppError("invalid_request", `${name} is not a date; write it as 2026-01-31T00:00:00Z`);
    }
  }
  return {
    filter,
    includeDomains: parseDomainRules(filter.includeDomains),
    excludeDomains: parseDomainRules(filter.excludeDomains),
    includeUrls: filter.includeUrls === undefined ? undefined : new Set(filter.includeUrls),
    excludeUrls: filter.excludeUrls === undefined ? undefined : new Set(filter.excludeUrls),
  };
}

const LISTS = [
  "teamIds",
  "includeDomains",
  "excludeDomains",
  "categories",
  "languages",
  "includeUrls",
  "excludeUrls",
] as const;
const DATES = ["publishedFrom", "publishedTo", "crawledFrom", "crawledTo"] as const;
