import { canonicalUrl } from "./canonical-url.ts";
import { isSameSite } from "./registrable-domain.ts";

/** What a page says of its own address. `links` are the hrefs of every rel=canonical, from the head and the `Link` header. */
export interface CanonicalClaim {
  /** The canonical URL the page was read from, redirects followed. */
  readonly url: string;
  readonly links: readonly string[];
  /** What relative links resolve against; the page's URL unless it has a `<base>`. */
  readonly base?: string;
  readonly alternates?: readonly LanguageAlternate[];
  /** The page's own language, where known. */
  readonly language?: string;
}

/** One rel=alternate hreflang link; `language` as written (`de-CH`, `x-default`). */
export interface LanguageAlternate {
  readonly language: string;
  readonly url: string;
}

/** Why a rel=canonical was not believed. */
export type CanonicalDoubt =
  | "conflicting"
  | "not-a-url"
  | "other-site"
  | "downgrade"
  | "home-page"
  | "another-language"
  | "another-page-of-a-list";

/** Where a page belongs: `declared` only when it names another URL and we believe it. */
export type CanonicalChoice =
  | { readonly kind: "self"; readonly url: string; readonly doubt?: CanonicalDoubt }
  | { readonly kind: "declared"; readonly url: string };

/**
 * Decides whether a page's rel=canonical is to be believed. A claim that is most often a mistake of a template
 * (every page points home, page 2 points at page 1, a translation points at the original), that hands the page to
 * another site, or that contradicts itself, leaves the page where it was found and says why.
 */
export function chooseCanonical(claim: CanonicalClaim): CanonicalChoice {
  const targets = new Set<string>();
  let unreadable = false;
  for (const link of claim.links) {
    const target = canonicalUrl(link, claim.base ?? claim.url);
    if (target === undefined || link.trim() === "") unreadable = true;
    else targets.add(target);
  }
  const [target, ...others] = targets;
  if (target === undefined) return unreadable ? doubted(claim, "not-a-url") : { kind: "self", url: claim.url };
  if (others.length > 0) return doubted(claim, "conflicting");
  if (target === claim.url) return { kind: "self", url: claim.url };
  const doubt = doubtOf(claim, target);
  return doubt === undefined ? { kind: "declared", url: target } : doubted(claim, doubt);
}

/** Follows declared canonicals at most this far before the last one is taken. */
const MAX_CANONICAL_HOPS = 5;

/**
 * Follows declared canonicals from page to page; `declaredBy` gives what a stored page declares, if it is known. A
 * loop has no end to find: every member of it gets the same answer, the one that sorts first.
 */
export function followCanonicals(url: string, declaredBy: (url: string) => string | undefined): string {
  const path = [url];
  let current = url;
  for (let hop = 0; hop < MAX_CANONICAL_HOPS; hop += 1) {
    const next = declaredBy(current);
    if (next === undefined || next === current) return current;
    const seenAt = path.indexOf(next);
    if (seenAt !== -1) return path.slice(seenAt).sort()[0] ?? url;
    path.push(next);
    current = next;
  }
  return current;
}

function doubted(claim: CanonicalClaim, doubt: CanonicalDoubt): CanonicalChoice {
  return { kind: "self", url: claim.url, doubt };
}

function doubtOf(claim: CanonicalClaim, target: string): CanonicalDoubt | undefined {
  if (!isSameSite(claim.url, target)) return "other-site";
  const page = new URL(claim.url);
  const goal = new URL(target);
  if (page.protocol === "https:" && goal.protocol === "http:") return "downgrade";
  if (isHome(goal) && !isHome(page) && !isHomeByAnotherName(page)) return "home-page";
  if (isAnotherLanguage(claim, target)) return "another-language";
  if (pageNumberOf(page) !== pageNumberOf(goal)) return "another-page-of-a-list";
  return undefined;
}

function isHome(url: URL): boolean {
  return url.pathname === "/" && url.search === "";
}

function isHomeByAnotherName(url: URL): boolean {
  return url.pathname === "/" || /^\/(?:index|default|home|main)(?:\.[a-z0-9]{2,5})?\/?$/i.test(url.pathname);
}

/** The target is the alternate of another language than the page's own entry, or than its stated language. */
function isAnotherLanguage(claim: CanonicalClaim, target: string): boolean {
  const languages = { page: new Set<string>(), target: new Set<string>() };
  if (claim.language !== undefined) languages.page.add(primary(claim.language));
  for (const alternate of claim.alternates ?? []) {
    if (alternate.language.toLowerCase() === "x-default") continue;
    const url = canonicalUrl(alternate.url, claim.base ?? claim.url);
    if (url === claim.url) languages.page.add(primary(alternate.language));
    if (url === target) languages.target.add(primary(alternate.language));
  }
  if (languages.page.size === 0 || languages.target.size === 0) return false;
  return [...languages.target].every((language) => !languages.page.has(language));
}

function primary(language: string): string {
  return language.toLowerCase().split(/[-_]/)[0] ?? "";
}

/** Not `p`: WordPress names posts by it. */
const PAGE_NUMBER_PARAMETERS = ["page", "paged", "pg", "offset", "start"];

/** The number of a page in a list, 1 when it has none; a page beyond the first is not a copy of the first. */
function pageNumberOf(url: URL): number {
  for (const name of PAGE_NUMBER_PARAMETERS) {
    const value = url.searchParams.get(name);
    if (value !== null && /^\d{1,6}$/.test(value)) {
      const number = Number(value);
      return name === "offset" || name === "start" ? number + 1 : Math.max(1, number);
    }
  }
  const inPath = /\/page\/(\d{1,6})\/?$/.exec(url.pathname)?.[1];
  return inPath === undefined ? 1 : Math.max(1, Number(inPath));
}
