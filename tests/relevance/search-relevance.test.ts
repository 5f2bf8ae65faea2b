import { describe, expect, it } from "vitest";
import { createMiniLmEmbedder } from "@quarry/models";
import { findPages, type SearchPlan } from "@quarry/search";
import { makeWorld } from "@quarry/search/testing";
import { PAGES, QUESTIONS } from "./judged-pages.ts";

/** The mean reciprocal rank each plan must reach; what it reaches is printed, so that a slow decline is seen. */
const FLOORS: Readonly<Record<SearchPlan, number>> = { keyword: 0.7, neural: 0.9, fast: 0.85, auto: 0.92, deep: 0.92 };

describe("relevance", () => {
  it("ranks a small library no worse than it did", async () => {
    const embedder = await createMiniLmEmbedder();
    try {
      const world = await makeWorld({}, embedder);
      await world.add(PAGES.map(({ slug, ...page }) => ({ ...page, url: `https://library.example/${slug}` })));
      const reached: Record<string, number> = {};
      for (const plan of Object.keys(FLOORS) as SearchPlan[]) {
        let sum = 0;
        for (const { query, slug } of QUESTIONS) {
          const { pages } = await findPages(
            world,
            { teamIds: ["team"], query, plan, limit: 10, filter: {} },
            new AbortController().signal,
          );
          const place = pages.findIndex(({ url }) => url.endsWith(`/${slug}`));
          sum += place < 0 ? 0 : 1 / (place + 1);
        }
        reached[plan] = sum / QUESTIONS.length;
      }
      process.stdout.write(`mean reciprocal rank: ${JSON.stringify(reached)}\n`);
      for (const [plan, floor] of Object.entries(FLOORS)) expect(reached[plan], plan).toBeGreaterThanOrEqual(floor);
      expect(reached["auto"]).toBeGreaterThanOrEqual(Math.max(reached["keyword"] ?? 0, reached["neural"] ?? 0) - 0.03);
      expect(reached["deep"]).toBeGreaterThanOrEqual((reached["auto"] ?? 0) - 0.005);
    } finally {
      await embedder.close();
    }
  }, 120_000);
});
