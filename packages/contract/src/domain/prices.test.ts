import { verifies } from "@quarry/tests";
import { expect, it } from "vitest";
import { priceContents, priceSearch, PRICE_LISTS } from "./prices.ts";

verifies("config:prices:presets", "counts nothing by default, and by the preset exa what Exa charges", () => {
  expect(priceSearch(PRICE_LISTS.exa, { tier: "standard", kind: "neural", results: 1, summaries: 0 }).total).toBe(
    0.007,
  );
  const search = { tier: "deep", kind: "neural", results: 100, summaries: 100 } as const;
  expect(priceSearch(PRICE_LISTS.free, search)).toEqual({ total: 0, search: { neural: 0 }, contents: { summary: 0 } });
  expect(priceContents(PRICE_LISTS.free, { text: 1, highlights: 0, summary: 0 })).toEqual({
    total: 0,
    contents: { text: 0 },
  });
});

it.each([
  ["ten results are included", "standard", 10, 0, 0.007],
  ["each further result costs", "standard", 13, 0, 0.01],
  ["summaries cost apart", "lite", 5, 3, 0.007],
  ["deep", "deep", 1, 0, 0.012],
  ["deep with reasoning", "deep-reasoning", 100, 0, 0.105],
] as const)("follows the published prices: %s", (_, tier, results, summaries, total) => {
  expect(priceSearch(PRICE_LISTS.exa, { tier, kind: "neural", results, summaries }).total).toBe(total);
});

it("prices contents by page and kind", () => {
  expect(priceContents(PRICE_LISTS.exa, { text: 3, highlights: 3, summary: 1 })).toEqual({
    total: 0.007,
    contents: { text: 0.003, highlights: 0.003, summary: 0.001 },
  });
  expect(priceContents(PRICE_LISTS.exa, { text: 0, highlights: 0, summary: 0 })).toEqual({ total: 0 });
});
