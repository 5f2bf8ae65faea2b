import { canonicalizeUrl } from "../url/canonical-url.ts";
import { decideScope, type CrawlScope } from "./scope.ts";

/** A link as a page has it; `rel` is the attribute's own text. */
export interface PageLink {
  readonly href: string;
  readonly rel?: string;
}

/** The page that links were taken from. */
export interface LinkingPage {
  /** Its canonical URL. */
  readonly url: string;
  /** What its links resolve against, when it has a `<base>`. */
  readonly base?: string;
  readonly depth: number;
  /** The page as a whole asks that its links not be followed. */
  readonly nofollow: boolean;
  readonly links: readonly PageLink[];
}

/** Why a link led nowhere. */
export type LinkRefusal =
  "nofollow" | "not-a-url" | "scheme" | "too-long" | "asset" | "trap" | "repeated" | "out-of-scope" | "over-limit";

/** What a page's links came to: where to go next, and how many led nowhere, by reason. */
export interface DiscoveredLinks {
  readonly urls: readonly { readonly url: string; readonly depth: number }[];
  readonly refused: Readonly<Partial<Record<LinkRefusal, number>>>;
}

/** New URLs taken from one page. */
export const MAX_LINKS_PER_PAGE = 5000;
/** Links looked at on one page; a page of a million is a trap or a list that a sitemap serves better. */
const MAX_LINKS_READ = 100_000;

/** Turns a page's links into URLs to visit: canonical, within scope, each once, the page itself left out. */
export function discoverLinks(scope: CrawlScope, page: LinkingPage): DiscoveredLinks {
  const urls = new Map<string, { readonly url: string; readonly depth: number }>();
  const refused: Partial<Record<LinkRefusal, number>> = {};
  const refuse = (reason: LinkRefusal, count = 1): void => {
    refused[reason] = (refused[reason] ?? 0) + count;
  };
  if (page.nofollow) {
    if (page.links.length > 0) refuse("nofollow", page.links.length);
    return { urls: [], refused };
  }
  const base = usableBase(page);
  for (const link of page.links.slice(0, MAX_LINKS_READ)) {
    const answer = readLink(link, base);
    if (answer.kind === "refused") refuse(answer.reason);
    else if (answer.url === page.url || urls.has(answer.url)) refuse("repeated");
    else if (decideScope(scope, answer.url, page.depth + 1).kind === "out") refuse("out-of-scope");
    else if (urls.size >= MAX_LINKS_PER_PAGE) refuse("over-limit");
    else urls.set(answer.url, { url: answer.url, depth: page.depth + 1 });
  }
  if (page.links.length > MAX_LINKS_READ) refuse("over-limit", page.links.length - MAX_LINKS_READ);
  return { urls: [...urls.values()], refused };
}

type LinkReading =
  { readonly kind: "url"; readonly url: string } | { readonly kind: "refused"; readonly reason: LinkRefusal };

function readLink(link: PageLink, base: string): LinkReading {
  if (/(?:^|\s)nofollow(?:\s|$)/i.test(link.rel ?? "")) return { kind: "refused", reason: "nofollow" };
  const reading = canonicalizeUrl(link.href, base);
  if (reading.kind === "refused") return reading;
  const path = new URL(reading.url).pathname;
  if (ASSET.test(path)) return { kind: "refused", reason: "asset" };
  if (looksEndless(path)) return { kind: "refused", reason: "trap" };
  return reading;
}

/** A `<base>` that is no web address is passed over, as browsers do. */
function usableBase(page: LinkingPage): string {
  if (page.base === undefined) return page.url;
  const reading = canonicalizeUrl(page.base, page.url);
  return reading.kind === "url" ? reading.url : page.url;
}

/** Files that hold no text for us; asking for them would only cost their host. */
const ASSET =
  /\.(?:jpe?g|png|gif|webp|avif|svg|ico|bmp|tiff?|css|m?js|map|woff2?|ttf|otf|eot|mp[34]|m4[av]|webm|og[gv]|wav|flac|avi|mov|mkv|zip|gz|tgz|bz2|xz|zst|tar|rar|7z|exe|msi|dmg|pkg|iso|apk|deb|rpm|jar|bin|wasm|torrent)$/i;

const MAX_PATH_SEGMENTS = 32;
const MAX_SAME_SEGMENT = 4;

/** Relative links of a mended path go ever deeper (`/a/b/a/b/a/b/…`); no real path repeats a name so often. */
function looksEndless(path: string): boolean {
  const counts = new Map<string, number>();
  const segments = path.split("/").filter((segment) => segment !== "");
  for (const segment of segments) counts.set(segment, (counts.get(segment) ?? 0) + 1);
  return segments.length > MAX_PATH_SEGMENTS || [...counts.values()].some((count) => count > MAX_SAME_SEGMENT);
}
