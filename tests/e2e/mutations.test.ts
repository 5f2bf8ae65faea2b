import { randomInt } from "node:crypto";
import { verifies } from "@quarry/tests";
import { expect } from "vitest";
import { mutationsSoak } from "../../tools/soak/mutations.ts";
import { makeRandom } from "../../tools/soak/random.ts";

verifies(
  "promises:t36:mutation",
  "what is changed in the queue, the guard, authentication, approvals and cursors fails their tests (5 % of the soak)",
  async () => {
    const seed = randomInt(2 ** 31);
    process.stdout.write(`mutations: npm run soak -- --only mutations --seed ${seed} --size 0.05\n`);
    const report = (line: string): void => void process.stdout.write(`mutations: ${line}\n`);
    const result = await mutationsSoak.run({ random: makeRandom(seed), size: 0.05, report });
    expect(result.violations).toEqual([]);
    const tried = Object.values(result.figures).reduce((sum, figure) => sum + figure, 0);
    expect(tried).toBeGreaterThan(30);
  },
  600_000,
);
