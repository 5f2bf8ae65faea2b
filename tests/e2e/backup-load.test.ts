import { randomInt } from "node:crypto";
import { verifies } from "@quarry/tests";
import { expect } from "vitest";
import { backupLoadSoak } from "../../tools/soak/backup-load.ts";
import { makeRandom } from "../../tools/soak/random.ts";

const PART = 0.05;

verifies(
  "promises:t7:backup",
  "a backup under load restores row by row and byte by byte equal, at 60 s per GB or better (5 % of the soak)",
  async () => {
    const seed = randomInt(2 ** 31);
    process.stdout.write(`backup-load: npm run soak -- --only backup-load --seed ${seed} --size ${PART}\n`);
    const result = await backupLoadSoak.run({ random: makeRandom(seed), size: PART, report: () => undefined });
    expect(result.violations).toEqual([]);
    expect(result.figures["rows"]).toBeGreaterThan(1_000);
  },
  300_000,
);
