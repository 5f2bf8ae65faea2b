import { toRegularExpression, type DomainRule, type DomainRules } from "./domain-rule.ts";
import type { ParsedFilter } from "./index-filter.ts";
import { pageKey } from "../pages/page-key.ts";

/**
 * A filter as a condition over the columns that the tables of pages and chunks share. Every value stands in a quoted
 * literal; the engine knows one escape there, the doubled quote.
 */
export function filterToSql(parsed: ParsedFilter): string {
  return [teamsToSql(parsed.filter.teamIds), ...restToSql(parsed)].join(" AND ");
}

/** The same for a table that has pages of these teams only; undefined when nothing is left to ask. */
export function filterWithinTeamsToSql(parsed: ParsedFilter): string | undefined {
  const conditions = restToSql(parsed);
  return conditions.length === 0 ? undefined : conditions.join(" AND ");
}

/** Which pages are of these teams. */
export function teamsToSql(teamIds: readonly string[]): string {
  return `team IN (${literals(teamIds)})`;
}

function restToSql({ filter, includeDomains, excludeDomains }: ParsedFilter): readonly string[] {
  return [
    ...anyDomain(includeDomains),
    ...anyDomain(excludeDomains).map((condition) => `NOT ${condition}`),
    ...bound("published", ">=", filter.publishedFrom),
    ...bound("published", "<=", filter.publishedTo),
    ...bound("crawled", ">=", filter.crawledFrom),
    ...bound("crawled", "<=", filter.crawledTo),
    ...anyOf("category", filter.categories),
    ...anyOf("language", filter.languages),
    ...anyUrl(filter.teamIds, filter.includeUrls),
    ...anyUrl(filter.teamIds, filter.excludeUrls).map((condition) => `NOT (${condition})`),
  ];
}

/** Text as a literal of the engine's SQL. */
export function literal(text: string): string {
  return `'${text.toWellFormed().replaceAll("'", "''")}'`;
}

/** Texts as the inside of a list. */
export function literals(texts: readonly string[]): string {
  return texts.map(literal).join(", ");
}

/** Plain sites are one look into the index of sites; the rest are conditions one by one. */
function anyDomain(rules: DomainRules | undefined): readonly string[] {
  if (rules === undefined) return [];
  const rest = rules.others.map(ruleToSql);
  const all = rules.sites.size === 0 ? rest : [`array_has_any(sites, [${literals([...rules.sites])}])`, ...rest];
  return [`(${all.join(" OR ")})`];
}

function ruleToSql({ host, path }: DomainRule): string {
  const conditions = [...hostToSql(host), ...pathToSql(path)];
  return conditions.length === 0 ? "true" : `(${conditions.join(" AND ")})`;
}

function hostToSql(host: DomainRule["host"]): readonly string[] {
  switch (host.kind) {
    case "any":
      return [];
    case "site":
      return [`array_has_any(sites, [${literal(host.site)}])`];
    case "subdomains":
      return [`array_has_any(sites, [${literal(host.site)}])`, `host <> ${literal(host.site)}`];
    case "pattern":
      return [`regexp_like(host, ${literal(`(?s)${toRegularExpression(host.pattern, true)}`)})`];
  }
}

function pathToSql(path: DomainRule["path"]): readonly string[] {
  if (path === undefined) return [];
  if (path.kind === "prefix") return [`starts_with(path, ${literal(path.value)})`];
  return [`regexp_like(path, ${literal(`(?s)${toRegularExpression(path.value, false)}`)})`];
}

function bound(column: string, comparison: ">=" | "<=", date: Date | undefined): readonly string[] {
  return date === undefined ? [] : [`${column} ${comparison} ${date.getTime()}`];
}

function anyOf(column: string, values: readonly string[] | undefined): readonly string[] {
  return values === undefined ? [] : values.length === 0 ? ["false"] : [`${column} IN (${literals(values)})`];
}

function anyUrl(teamIds: readonly string[], urls: readonly string[] | undefined): readonly string[] {
  if (urls === undefined) return [];
  const keys = teamIds.flatMap((teamId) => urls.map((url) => pageKey({ teamId, url })));
  return keys.length === 0 ? ["false"] : [`key IN (${literals(keys)})`];
}
