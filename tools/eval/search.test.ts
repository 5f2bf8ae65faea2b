import { describeData } from "@quarry/crawl/testing";
import { verifies } from "@quarry/tests";
import { expect } from "vitest";
import { evaluateSet } from "./search.ts";
import { readSearchSet } from "./search-sets.ts";
import { openSearchWorld } from "./search-world.ts";

const progress = (): void => undefined;
const FIGURES = ["nDCG@10", "R@100", "MAP", "MRR", "R@2"] as const;

describeData("limit-small", (folder) => {
  verifies(
    ["search:quality:limit-small", "commands:eval:smoke-in-tests"],
    "the whole set is ranked as it must be, and every plan has every figure",
    async () => {
      const set = readSearchSet(`${folder}/..`, "limit-small");
      if (set === undefined) throw new Error("the set has no queries");
      const world = await openSearchWorld(set, progress);
      try {
        const { columns, rows } = await evaluateSet(world, set, { sample: 10, progress });
        expect(rows.map(([plan]) => plan)).toEqual(["keyword", "neural", "fast", "auto", "deep"]);
        for (const row of rows) {
          for (const name of FIGURES) {
            const figure = row[columns.indexOf(name)];
            expect(figure, `${name} of ${row[0] ?? ""}`).toBeGreaterThan(0);
            expect(figure, `${name} of ${row[0] ?? ""}`).toBeLessThanOrEqual(1);
          }
        }
        const whole = await evaluateSet(world, set, { sample: undefined, progress, plans: ["keyword", "auto"] });
        for (const [plan, queries, ...figures] of whole.rows) {
          expect(queries, String(plan)).toBe(1_000);
          expect(figures[columns.indexOf("R@2") - 2], `R@2 of ${plan ?? ""}`).toBeGreaterThanOrEqual(0.97);
        }
      } finally {
        await world.close();
      }
    },
    120_000,
  );
});
