import type { Quote } from "./quote.ts";

/** A page with more quotes is a long one: it speaks of much, and all of it has the words of its title. */
const LONG_PAGE_QUOTES = 20;
/** In a long page a sentence must have this share of the question's words that its best has. */
const MIN_SHARE_OF_BEST = 0.6;
/** What is kept of a long page that has the question's words in its title alone. */
const FEW = 5;

/**
 * Quotes, best first, without those of long pages that are there by their page's title alone: they would use up the room that
 * other pages need.
 */
export function leaveBeside(quotes: readonly Quote[]): readonly Quote[] {
  const pages = new Map<string, { count: number; best: number }>();
  for (const { url, cover = 0 } of quotes) {
    const page = pages.get(url) ?? { count: 0, best: 0 };
    pages.set(url, { count: page.count + 1, best: Math.max(page.best, cover) });
  }
  const kept = new Map<string, number>();
  return quotes.filter(({ url, cover }) => {
    const { count = 0, best = 0 } = pages.get(url) ?? {};
    if (count <= LONG_PAGE_QUOTES || cover === undefined) return true;
    if (best > 0) return cover >= MIN_SHARE_OF_BEST * best;
    const place = kept.get(url) ?? 0;
    kept.set(url, place + 1);
    return place < FEW;
  });
}
