/** What work costs, in dollars. A price list only sums up: nothing is charged to anyone. */
export interface PriceList {
  /** One search, by how thorough it is; ten results with text and highlights are included. */
  readonly search: Readonly<Record<SearchTier, number>>;
  /** Each result past the tenth. */
  readonly extraResult: number;
  /** Each summary, of a search result or of a page read. */
  readonly summary: number;
  /** Each page read by address, for each kind of content asked for. */
  readonly content: number;
  readonly answer: number;
  /** Research, by what it really used; a page is a thousand tokens. */
  readonly research: {
    readonly search: number;
    readonly page: number;
    readonly pagePro: number;
    readonly token: number;
  };
}

/** How thorough a search is, as prices tell searches apart. */
export type SearchTier = "lite" | "standard" | "deep" | "deep-reasoning";

/** What a reply says of its cost. */
export interface Cost {
  readonly total: number;
  readonly search?: { readonly neural?: number; readonly keyword?: number };
  readonly contents?: { readonly text?: number; readonly highlights?: number; readonly summary?: number };
}

const FREE: PriceList = {
  search: { lite: 0, standard: 0, deep: 0, "deep-reasoning": 0 },
  extraResult: 0,
  summary: 0,
  content: 0,
  answer: 0,
  research: { search: 0, page: 0, pagePro: 0, token: 0 },
};

/** The lists that QUARRY_PRICES names; `exa` is what Exa published in March 2026 (`lite` in November). */
export const PRICE_LISTS = {
  free: FREE,
  exa: {
    search: { lite: 0.004, standard: 0.007, deep: 0.012, "deep-reasoning": 0.015 },
    extraResult: 0.001,
    summary: 0.001,
    content: 0.001,
    answer: 0.005,
    research: { search: 0.005, page: 0.005, pagePro: 0.01, token: 0.000_005 },
  },
} as const satisfies Record<string, PriceList>;

const INCLUDED_RESULTS = 10;

/** The cost of one search with what it returned. */
export function priceSearch(
  prices: PriceList,
  work: {
    readonly tier: SearchTier;
    readonly kind: "neural" | "keyword";
    readonly results: number;
    readonly summaries: number;
  },
): Cost {
  const extra = Math.max(0, work.results - INCLUDED_RESULTS) * prices.extraResult;
  const search = toDollars(prices.search[work.tier] + extra);
  const summary = toDollars(work.summaries * prices.summary);
  return {
    total: toDollars(search + summary),
    search: { [work.kind]: search },
    ...(work.summaries === 0 ? {} : { contents: { summary } }),
  };
}

/** The cost of pages read by address: so many with each kind of content. */
export function priceContents(
  prices: PriceList,
  work: { readonly text: number; readonly highlights: number; readonly summary: number },
): Cost {
  const contents: Record<string, number> = {};
  for (const kind of ["text", "highlights"] as const) {
    if (work[kind] > 0) contents[kind] = toDollars(work[kind] * prices.content);
  }
  if (work.summary > 0) contents["summary"] = toDollars(work.summary * prices.summary);
  const total = toDollars(Object.values(contents).reduce((sum, part) => sum + part, 0));
  return { total, ...(Object.keys(contents).length === 0 ? {} : { contents }) };
}

/** Sums of thousandths show no trace of binary fractions. */
function toDollars(amount: number): number {
  return Math.round(amount * 1e6) / 1e6;
}
