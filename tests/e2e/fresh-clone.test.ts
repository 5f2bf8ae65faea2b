import { randomInt } from "node:crypto";
import { verifies } from "@quarry/tests";
import { expect } from "vitest";
import { freshCloneSoak } from "../../tools/soak/fresh-clone.ts";
import { makeRandom } from "../../tools/soak/random.ts";

verifies(
  [
    "commands:start:fresh-clone",
    "commands:start:after-deleting-node-modules",
    "commands:test:fresh-clone",
    "commands:test:green-twice",
  ],
  "a clone starts, answers and passes its tests twice, fresh or with its packages deleted (the tests of one room)",
  async () => {
    const seed = randomInt(2 ** 31);
    process.stdout.write(`fresh-clone: seed ${seed}\n`);
    const result = await freshCloneSoak.run({
      random: makeRandom(seed),
      size: 0.05,
      report: (line) => void process.stdout.write(`fresh-clone: ${line}\n`),
    });
    expect(result.violations).toEqual([]);
    expect(result.figures["testsPassed"]).toBeGreaterThan(40);
  },
  600_000,
);
