import { AppError } from "@quarry/base";
import { canonicalizeUrl } from "../url/canonical-url.ts";
import { siteOf } from "../url/registrable-domain.ts";
import { compileUrlPattern, type UrlPattern } from "./url-pattern.ts";

/** How far a crawl may stray from where it starts. */
export type ScopeKind = "host" | "domain" | "path";

/** What someone asks for. */
export interface ScopeRequest {
  readonly seeds: readonly string[];
  readonly kind: ScopeKind;
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  /** Links from the seeds; 0 reads the seeds alone. */
  readonly maxDepth?: number;
}

/** The same, read and ready to decide; made by `compileScope`. */
export interface CrawlScope {
  readonly kind: ScopeKind;
  /** Canonical, in order, without repeats. */
  readonly seeds: readonly string[];
  /** The hosts, domains or folders that the seeds span, as `reachOf` spells them. */
  readonly reach: ReadonlySet<string>;
  readonly include: readonly UrlPattern[];
  readonly exclude: readonly UrlPattern[];
  readonly maxDepth: number;
}

/** Whether a URL belongs to a crawl, or the first reason why not. */
export type ScopeDecision =
  | { readonly kind: "in" }
  | {
      readonly kind: "out";
      readonly reason: "too-deep" | "other-host" | "other-domain" | "other-path" | "excluded" | "not-included";
    };

export const MAX_SEEDS = 10_000;
export const MAX_PATTERNS = 100;
const MAX_DEPTH = 1000;

/** Reads a request; throws `invalid_request` that says which seed or pattern to mend. */
export function compileScope(request: ScopeRequest): CrawlScope {
  if (request.seeds.length === 0) throw invalid("name at least one URL to start from");
  if (request.seeds.length > MAX_SEEDS) throw invalid(`start from at most ${MAX_SEEDS} URLs, or from a sitemap`);
  const maxDepth = request.maxDepth ?? MAX_DEPTH;
  if (!Number.isInteger(maxDepth) || maxDepth < 0) throw invalid("maxDepth must be a whole number, 0 or more");
  const seeds = [...new Set(request.seeds.map(readSeed))];
  return {
    kind: request.kind,
    seeds,
    reach: new Set(seeds.flatMap((seed) => reachOf(request.kind, seed))),
    include: compilePatterns("include", request.include ?? []),
    exclude: compilePatterns("exclude", request.exclude ?? []),
    maxDepth: Math.min(maxDepth, MAX_DEPTH),
  };
}

/**
 * Decides on a canonical URL found at a depth. A seed (depth 0) is always in: someone asked for it by name. `www.` is
 * not another host, since sites redirect from one to the other at will.
 */
export function decideScope(scope: CrawlScope, url: string, depth: number): ScopeDecision {
  if (depth === 0) return { kind: "in" };
  if (depth > scope.maxDepth) return { kind: "out", reason: "too-deep" };
  if (!isWithinReach(scope, url)) return { kind: "out", reason: `other-${scope.kind}` };
  if (scope.exclude.some((pattern) => pattern.matches(url))) return { kind: "out", reason: "excluded" };
  if (scope.include.length > 0 && !scope.include.some((pattern) => pattern.matches(url))) {
    return { kind: "out", reason: "not-included" };
  }
  return { kind: "in" };
}

/** What a crawl may spend in all. */
export interface CrawlBudget {
  readonly maxPages: number;
  readonly maxBytes: number;
}

/** What it has spent: pages asked for, whatever came of them, and bytes of their bodies. */
export interface CrawlSpending {
  readonly pages: number;
  readonly bytes: number;
}

/** Whether one more page may be asked for. */
export type BudgetDecision =
  | { readonly kind: "go"; readonly pagesLeft: number; readonly bytesLeft: number }
  | { readonly kind: "stop"; readonly reason: "max-pages" | "max-bytes" };

/** Decides on the next page; with `bytesLeft` as its limit a crawl never goes over its budget. */
export function decideBudget(budget: CrawlBudget, spent: CrawlSpending): BudgetDecision {
  if (spent.pages >= budget.maxPages) return { kind: "stop", reason: "max-pages" };
  if (spent.bytes >= budget.maxBytes) return { kind: "stop", reason: "max-bytes" };
  return { kind: "go", pagesLeft: budget.maxPages - spent.pages, bytesLeft: budget.maxBytes - spent.bytes };
}

function readSeed(seed: string): string {
  const reading = canonicalizeUrl(seed);
  if (reading.kind === "url") return reading.url;
  const shown = JSON.stringify(seed.slice(0, 120));
  switch (reading.reason) {
    case "not-a-url":
      throw invalid(`${shown} is not a URL; write it like https://example.com/page`);
    case "scheme":
      throw invalid(`${shown} cannot be read: only http and https URLs can`);
    case "too-long":
      throw invalid(`${shown}… is longer than any URL we keep (2048 characters)`);
  }
}

function compilePatterns(field: string, patterns: readonly string[]): UrlPattern[] {
  if (patterns.length > MAX_PATTERNS) throw invalid(`${field}: give at most ${MAX_PATTERNS} patterns`);
  return patterns.map(compileUrlPattern);
}

/** What a seed opens: its domain, its host, or (`/docs/intro.html`) its folder, (`/docs`) itself and what is below. */
function reachOf(kind: ScopeKind, seed: string): string[] {
  const url = new URL(seed);
  if (kind === "domain") return [siteOf(url.hostname)];
  const host = hostOf(url);
  if (kind === "host") return [host];
  const lastSlash = url.pathname.lastIndexOf("/");
  const isFile = url.pathname.slice(lastSlash).includes(".");
  const folder = isFile ? url.pathname.slice(0, lastSlash + 1) : url.pathname;
  return folder.endsWith("/") ? [host + folder] : [host + folder, `${host}${folder}/`];
}

function isWithinReach({ kind, reach }: CrawlScope, link: string): boolean {
  const url = new URL(link);
  if (kind === "domain") return reach.has(siteOf(url.hostname));
  const host = hostOf(url);
  if (kind === "host") return reach.has(host);
  if (reach.has(host + url.pathname)) return true;
  for (let slash = 0; slash !== -1; slash = url.pathname.indexOf("/", slash + 1)) {
    if (reach.has(host + url.pathname.slice(0, slash + 1))) return true;
  }
  return false;
}

/** Host and port, `www.` aside. */
function hostOf(url: URL): string {
  return url.host.replace(/^www\./, "");
}

function invalid(message: string): AppError {
  return new AppError("invalid_request", message);
}
