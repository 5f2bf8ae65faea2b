import type { UpstreamQuery } from "./upstream-provider.ts";

/** A few sites are asked for in the query itself; more would crowd it out, and are checked on what comes back. */
const MAX_SITES = 10;

/** The query with `site:` for the domains wanted and `-site:` for those that are not, as most engines read it. */
export function withSites(query: UpstreamQuery, maxCharacters: number): string {
  const wanted = plainHosts(query.includeDomains).map((host) => `site:${host}`);
  const unwanted = plainHosts(query.excludeDomains).map((host) => `-site:${host}`);
  const sites = [wanted.join(" OR "), ...unwanted].filter((part) => part !== "").join(" ");
  const text = query.query.replaceAll(/\s+/g, " ").trim();
  const whole = sites === "" ? text : `${text} ${sites}`;
  return whole.length <= maxCharacters ? whole : text.slice(0, maxCharacters);
}

function plainHosts(entries: readonly string[]): readonly string[] {
  return entries.filter((entry) => /^[a-z0-9.-]+$/i.test(entry)).slice(0, MAX_SITES);
}
