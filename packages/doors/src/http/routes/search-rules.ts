import type { IncomingHttpHeaders } from "node:http";
import { AppError } from "@quarry/base";
import { MAX_SUBPAGES, type ContentsOptions, type SearchBody } from "@quarry/contract";
import { contentsOptionsOf } from "@quarry/search";

/** What of a request these rules look at. */
type RuledBody = Pick<
  SearchBody,
  | "numResults"
  | "category"
  | "includeDomains"
  | "excludeDomains"
  | "startPublishedDate"
  | "endPublishedDate"
  | "includeText"
  | "excludeText"
> &
  Parameters<typeof contentsOptionsOf>[0];

const DEFAULT_RESULTS = 10;
const MAX_RESULTS = 100;
const DYNAMIC_HIGHLIGHTS = "dynamic-highlights-2026-08-28";

/** Refuses what one field alone cannot tell: throws `invalid_request` with the tag that clients know for it. */
export function checkSearchRules(body: RuledBody, headers: IncomingHttpHeaders): void {
  checkNumResults(body);
  checkCategory(body);
  checkContentsRules(contentsOptionsOf(body) ?? {}, { headers, pages: body.numResults ?? DEFAULT_RESULTS });
}

/** As above, for the content options of a request over so many pages. */
export function checkContentsRules(
  options: ContentsOptions,
  request: { readonly headers: IncomingHttpHeaders; readonly pages: number },
): void {
  if (options.livecrawl !== undefined && options.maxAgeHours !== undefined) {
    throw refused("livecrawl and maxAgeHours cannot both be set; use maxAgeHours, because livecrawl is deprecated");
  }
  checkHighlights(options, request.headers);
  const subpages = (options.subpages ?? 0) * request.pages;
  if (subpages > MAX_SUBPAGES) {
    const message = `subpages: ${options.subpages ?? 0} for each of ${request.pages} pages are ${subpages}; ask for at most ${MAX_SUBPAGES} in all`;
    throw refused(message, "SUBPAGES_LIMIT_EXCEEDED");
  }
}

/** Refuses a number of results that there is not. */
export function checkNumResults(body: Pick<RuledBody, "numResults"> & Parameters<typeof contentsOptionsOf>[0]): void {
  const { numResults } = body;
  if (numResults === undefined || (numResults >= 1 && numResults <= MAX_RESULTS)) return;
  const highlights = contentsOptionsOf(body)?.highlights;
  const isPlain = numResults > MAX_RESULTS && (highlights === undefined || highlights === false);
  throw refused(
    `numResults: expected 1 to ${MAX_RESULTS}, received ${numResults}`,
    isPlain ? "NUM_RESULTS_EXCEEDED" : "INVALID_NUM_RESULTS",
  );
}

function checkHighlights({ highlights }: ContentsOptions, headers: IncomingHttpHeaders): void {
  if (typeof highlights !== "object") return;
  const { dynamic, verbosity, maxCharacters } = highlights;
  if (dynamic === undefined && verbosity === undefined) return;
  const betas = [headers["exa-beta"] ?? []].flat().flatMap((list) => list.split(","));
  if (!betas.some((token) => token.trim() === DYNAMIC_HIGHLIGHTS)) {
    throw refused(`highlights.dynamic and highlights.verbosity need the header Exa-Beta: ${DYNAMIC_HIGHLIGHTS}`);
  }
  if (maxCharacters !== undefined) {
    throw refused("highlights.maxCharacters cannot be set together with dynamic or verbosity; leave one out");
  }
}

/** What Exa's company and people searches cannot do; clients rely on being told. */
export function checkCategory(body: Omit<RuledBody, keyof ContentsOptions | "contents" | "numResults">): void {
  const category = body.category?.trim().toLowerCase();
  if (category !== "company" && category !== "people") return;
  const given = FILTERS.filter((name) => isGiven(body[name]) && (name !== "excludeDomains" || category === "people"));
  if (given.length > 0) throw refused(`category ${category} does not go with ${given.join(", ")}; leave them out`);
  const strangers = category === "people" ? (body.includeDomains ?? []).filter((domain) => !isLinkedIn(domain)) : [];
  if (strangers.length > 0) {
    throw refused(
      `category people takes linkedin.com alone in includeDomains; leave out ${strangers.slice(0, 3).join(", ")}`,
    );
  }
}

const FILTERS = ["startPublishedDate", "endPublishedDate", "includeText", "excludeText", "excludeDomains"] as const;

/** Clients send an empty list for a filter they do not use. */
function isGiven(value: RuledBody[(typeof FILTERS)[number]]): boolean {
  return value !== undefined && (!Array.isArray(value) || value.length > 0);
}

function isLinkedIn(domain: string): boolean {
  return /^(?:https?:\/\/)?(?:[a-z0-9*-]+\.)*linkedin\.com(?:\/|$)/i.test(domain.trim());
}

function refused(message: string, tag = "INVALID_REQUEST"): AppError {
  return new AppError("invalid_request", message, { details: { tag } });
}
