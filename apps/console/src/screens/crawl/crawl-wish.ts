/** What the form of a new crawl holds, as text. */
export interface CrawlWish {
  readonly url: string;
  readonly isSitemap: boolean;
  readonly maxPages: string;
  readonly maxDepth: string;
  readonly scope: string;
  readonly delayMs: string;
  readonly include: string;
  readonly exclude: string;
}

/** The body of POST /quarry/v1/crawls for a wish. */
export function toCrawlBody(wish: CrawlWish): Readonly<Record<string, unknown>> {
  const include = toPatterns(wish.include);
  const exclude = toPatterns(wish.exclude);
  return {
    [wish.isSitemap ? "sitemap" : "url"]: wish.url.trim(),
    maxPages: Number(wish.maxPages),
    maxDepth: Number(wish.maxDepth),
    scope: wish.scope,
    delayMs: Number(wish.delayMs),
    ...(include.length === 0 ? {} : { include }),
    ...(exclude.length === 0 ? {} : { exclude }),
  };
}

function toPatterns(text: string): readonly string[] {
  return text
    .split(/,\s*|\s+/)
    .map((part) => part.trim())
    .filter((part) => part !== "");
}
