import { isUrl } from "@quarry/base";

/** Pages of a host before the next ones of it lose weight. */
const FREE_PAGES = 2;
/** What each further page of the host keeps of its score. */
const KEPT_SHARE = 0.94;
const LOWEST_SHARE = 0.7;

/**
 * Lets other hosts up where one would fill the list: from the third page of a host on, each keeps a little less of its
 * score. Pages of one host stay in their order, so that a list from a single host does not change.
 */
export function diversifyHosts<Page extends { readonly url: string; readonly score: number }>(
  pages: readonly Page[],
): readonly Page[] {
  const seen = new Map<string, number>();
  return pages
    .map((page) => {
      const host = hostOf(page.url);
      const before = seen.get(host) ?? 0;
      seen.set(host, before + 1);
      const share = Math.max(LOWEST_SHARE, KEPT_SHARE ** Math.max(0, before + 1 - FREE_PAGES));
      return { ...page, score: page.score * share };
    })
    .sort((one, other) => other.score - one.score);
}

/** The first of pages that are one page by another address: http or https, with or without `www.` or a last slash. */
export function dropSameAddress<Page extends { readonly url: string }>(pages: readonly Page[]): readonly Page[] {
  const seen = new Set<string>();
  return pages.filter(({ url }) => {
    const address = url.replace(/^https?:\/\/(?:www\.)?/i, "").replace(/\/$/, "");
    return seen.has(address) ? false : (seen.add(address), true);
  });
}

function hostOf(url: string): string {
  return isUrl(url) ? new URL(url).host.replace(/^www\./, "") : "";
}
