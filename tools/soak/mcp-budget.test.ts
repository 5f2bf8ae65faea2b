import { randomInt } from "node:crypto";
import { verifies } from "@quarry/tests";
import { describe, expect } from "vitest";
import { mcpBudgetSoak } from "./mcp-budget.ts";
import { makeRandom } from "./random.ts";

const PART = 0.05;
const TIME_LIMIT_MS = 240_000; // some eight seconds on a machine that does nothing else

describe("replies to agents", () => {
  verifies(
    ["mcp:budget:never-over", "mcp:budget:well-used", "mcp:budget:pages-join", "promises:t31:token-budget"],
    "keep to their budget, use it, and join to the whole",
    async () => {
      const seed = randomInt(2 ** 31);
      process.stdout.write(`soak mcp-budget: npm run soak -- --only mcp-budget --seed ${seed} --size ${PART}\n`);
      const result = await mcpBudgetSoak.run({ random: makeRandom(seed), size: PART, report: () => undefined });
      expect(result).toEqual({
        figures: expect.objectContaining({ calls: 5_000 }) as Record<string, number>,
        violations: [],
      });
    },
    TIME_LIMIT_MS,
  );
});
