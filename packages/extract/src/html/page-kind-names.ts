/** The kinds of page that extraction tells apart. */
export const PAGE_KINDS = ["article", "collection", "documentation", "forum", "listing", "product", "service"] as const;

/** What kind of page it is: an article, a shop's collection, a manual, a thread, a list, a product, a service. */
export type PageKind = (typeof PAGE_KINDS)[number];
