import { AppError } from "@quarry/base";
import {
  canonicalUrl,
  compileScope,
  discoverLinks,
  fetchPage,
  sitemapOpener,
  walkSitemaps,
  WALK_LIMITS,
} from "@quarry/crawl";
import type { ReadPage } from "../read-page.ts";
import type { VisitDeps } from "./visit-page.ts";

/** The URLs of a site, as far as it tells them without being crawled. */
export interface SiteMap {
  readonly url: string;
  readonly urls: readonly string[];
  readonly truncated: boolean;
  /** Sitemaps and pages that named them. */
  readonly sources: readonly string[];
}

/**
 * Lists a site's URLs from the sitemaps that its robots.txt names (or /sitemap.xml) and from the links of the page
 * itself. Throws when the page may not or cannot be read and no sitemap names anything.
 */
export async function mapSite(
  deps: VisitDeps & { readonly readPage: ReadPage },
  wish: { readonly url: string; readonly limit: number },
  signal: AbortSignal,
): Promise<SiteMap> {
  const scope = compileScope({ seeds: [wish.url], kind: "host" });
  const url = scope.seeds[0] ?? wish.url;
  const found = new Set<string>();
  const sources = new Set<string>();
  const { policy } = await deps.robots.recordFor(url, signal);
  const named = policy.kind === "rules" ? policy.file.sitemaps : [];
  const roots = named.length > 0 ? named : [new URL("/sitemap.xml", url).href];
  const limits = { ...WALK_LIMITS, maxPages: wish.limit + 1 };
  for await (const event of walkSitemaps({ open: sitemapOpener(deps.get) }, roots, signal, limits)) {
    const page = event.kind === "page" ? canonicalUrl(event.url) : undefined;
    if (page === undefined) continue;
    found.add(page);
    sources.add(event.sitemap);
    if (found.size > wish.limit) break;
  }
  const outcome = await fetchPage({ allows: deps.robots.allows, get: deps.get, now: deps.now }, url, signal);
  if (outcome.kind === "fetched") {
    const { bytes, headers, url: finalUrl } = outcome.page;
    const content = { kind: "bytes", bytes, contentType: headers["content-type"] } as const;
    const read = await deps.readPage({ url: finalUrl, content, now: deps.now() }, signal);
    const links = read.kind === "read" ? read.reading.links.map((link) => ({ href: link.url })) : [];
    found.add(finalUrl);
    for (const link of discoverLinks(scope, { url: finalUrl, depth: 0, nofollow: false, links }).urls)
      found.add(link.url);
    sources.add(finalUrl);
  } else if (found.size === 0) {
    if (outcome.kind === "failed") throw outcome.error;
    throw new AppError("unprocessable", outcome.kind === "refused" ? outcome.message : `${url} gave no page`);
  }
  const urls = [...found];
  return { url, urls: urls.slice(0, wish.limit), truncated: urls.length > wish.limit, sources: [...sources] };
}
