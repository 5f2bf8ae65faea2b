import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { rmSync } from "node:fs";
import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import { buildProgram } from "./build-program.ts";
import { extractFuzzSoak } from "./extract-fuzz.ts";
import { makeRandom } from "./random.ts";

const PART = 0.05;
const TIME_LIMIT_MS = 240_000; // some ten seconds on a machine that does nothing else

describe("extraction", () => {
  verifies(
    ["extract:robust:fuzzed", "extract:robust:never-throws", "promises:t16:parsers-fuzzed"],
    "takes pages and files damaged in every way, and pages made to hurt",
    async () => {
      const seed = randomInt(2 ** 31);
      process.stdout.write(`soak extract-fuzz: npm run soak -- --only extract-fuzz --seed ${seed} --size ${PART}\n`);
      const result = await extractFuzzSoak.run({ random: makeRandom(seed), size: PART, report: () => undefined });
      expect(result).toEqual({
        figures: expect.objectContaining({ pages: 300, files: 50 }) as Record<string, number>,
        violations: [],
      });
    },
    TIME_LIMIT_MS,
  );

  // A process that has compiled a megabyte of patterns compiles the next ones without optimising them, as this flag does:
  // they remember more of a text on their way through it, and can run out of room.
  it(
    "takes pages made to hurt also in a process that has run for long",
    async () => {
      const program = await buildProgram("tools/soak/extract-hostile-program.ts");
      const { stdout, stderr } = spawnSync(process.execPath, ["--no-regexp-optimization", program], {
        encoding: "utf8",
      });
      rmSync(program, { force: true });
      expect([stdout, stderr]).toEqual(["[]", ""]);
    },
    TIME_LIMIT_MS,
  );
});
