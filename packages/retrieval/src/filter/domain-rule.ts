import { AppError, isUrl } from "@quarry/base";

/** Where a page lies, in the forms that filters ask for. */
export interface PagePlace {
  /** The host name with its port, if it has one. */
  readonly host: string;
  /** The host and everything above it: news.bbc.co.uk, bbc.co.uk, co.uk, uk. */
  readonly sites: readonly string[];
  /** In lower case, with its leading slash. */
  readonly path: string;
}

/** What one entry of a domain list asks for: a host part and, maybe, the beginning of a path. */
export interface DomainRule {
  readonly host:
    | { readonly kind: "any" }
    /** The site itself and its subdomains. */
    | { readonly kind: "site"; readonly site: string }
    | { readonly kind: "subdomains"; readonly site: string }
    | { readonly kind: "pattern"; readonly pattern: string };
  /** Undefined: any path. `prefix` ends at a segment or in its middle, as it was written. */
  readonly path: { readonly kind: "prefix" | "pattern"; readonly value: string } | undefined;
}

/** The place of a page by its URL. What is not a URL has no host and is its own path. */
export function placeOf(url: string): PagePlace {
  if (!isUrl(url)) return { host: "", sites: [], path: url.toLowerCase() };
  const { host, hostname, pathname } = new URL(url);
  const sites = isAddress(hostname) ? [hostname] : suffixes(hostname);
  return { host, sites: host === hostname ? sites : [host, ...sites], path: pathname.toLowerCase() };
}

/** Reads an entry; with or without a scheme, a leading `www.`, wildcards. Throws `invalid_request` when there is no host. */
function parseDomainRule(entry: string): DomainRule {
  const bare = entry
    .trim()
    .toLowerCase()
    .replace(/^[a-z][a-z0-9+.-]*:\/\//, "")
    .replace(/[?#].*$/s, "");
  const slash = bare.indexOf("/");
  const hostPart = (slash < 0 ? bare : bare.slice(0, slash))
    .replace(/^www\.(?=.+\.)/, "")
    .replace(/^\.+|(?<!\.)\.+$/g, "");
  const path = slash < 0 ? "" : bare.slice(slash);
  return { host: readHost(hostPart, entry), path: readPath(path) };
}

/** A list of entries: plain sites, of which there may be many, apart from the rules that need a closer look. */
export interface DomainRules {
  readonly sites: ReadonlySet<string>;
  readonly others: readonly DomainRule[];
}

/** Reads a list of entries, as `parseDomainRule` reads one; undefined when there are none. */
export function parseDomainRules(entries: readonly string[] | undefined): DomainRules | undefined {
  if (entries === undefined || entries.length === 0) return undefined;
  const rules = entries.map(parseDomainRule);
  const isPlain = (rule: DomainRule): boolean => rule.host.kind === "site" && rule.path === undefined;
  const sites = rules.filter(isPlain).flatMap(({ host }) => (host.kind === "site" ? [host.site] : []));
  return { sites: new Set(sites), others: rules.filter((rule) => !isPlain(rule)) };
}

/** Whether a page's place is what any of the rules asks for. */
export function isAtAnyRule(place: PagePlace, { sites, others }: DomainRules): boolean {
  return (
    place.sites.some((site) => sites.has(site)) ||
    others.some((rule) => isAtHost(place, rule.host) && isAtPath(place.path, rule.path))
  );
}

/** `*` stands for any characters; everything else for itself. A pattern for both JavaScript and the engine. */
export function toRegularExpression(pattern: string, isWhole: boolean): string {
  const literal = pattern.replaceAll(/[\\^$.|?+()[\]{}]/g, "\\$&").replaceAll("*", ".*");
  return `^${literal}${isWhole ? "$" : ""}`;
}

const MAX_RULE_LENGTH = 2_000;

function readHost(host: string, entry: string): DomainRule["host"] {
  if (entry.length > MAX_RULE_LENGTH) {
    throw new AppError("invalid_request", `a domain has at most ${MAX_RULE_LENGTH} characters`);
  }
  if (host === "*") return { kind: "any" };
  const wild = host.startsWith("*.") ? host.slice(2) : host;
  if (wild.includes("*")) return { kind: "pattern", pattern: host };
  if (wild === "" || !isUrl(`http://${wild}/`)) {
    throw new AppError(
      "invalid_request",
      `"${entry.slice(0, 100)}" is not a domain; write example.com, example.com/docs or *.example.com`,
    );
  }
  const site = new URL(`http://${wild}/`).host; // as URLs have it: other scripts in punycode
  return { kind: host === wild ? "site" : "subdomains", site };
}

function readPath(path: string): DomainRule["path"] {
  const end = path.replace(/(?<!\*)\*+$/, "");
  if (end === "" || end === "/") return undefined;
  return end.includes("*") ? { kind: "pattern", value: end } : { kind: "prefix", value: encodePath(end) };
}

/** A path as URLs have it, since pages' paths come from there. */
function encodePath(path: string): string {
  const base = `http://host${path}`;
  return isUrl(base) && !path.includes("..") ? new URL(base).pathname.toLowerCase() : path;
}

function isAtHost(place: PagePlace, host: DomainRule["host"]): boolean {
  switch (host.kind) {
    case "any":
      return true;
    case "site":
      return place.sites.includes(host.site);
    case "subdomains":
      return place.sites.includes(host.site) && place.host !== host.site;
    case "pattern":
      return new RegExp(toRegularExpression(host.pattern, true), "s").test(place.host);
  }
}

function isAtPath(path: string, rule: DomainRule["path"]): boolean {
  if (rule === undefined) return true;
  if (rule.kind === "prefix") return path.startsWith(rule.value);
  return new RegExp(toRegularExpression(rule.value, false), "s").test(path);
}

function isAddress(hostname: string): boolean {
  return hostname.startsWith("[") || /^[\d.]+$/.test(hostname);
}

function suffixes(hostname: string): readonly string[] {
  const labels = hostname.split(".");
  return labels.map((_, index) => labels.slice(index).join("."));
}
