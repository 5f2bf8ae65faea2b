import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import path from "node:path";
import { describeData } from "@quarry/crawl/testing";
import { verifies } from "@quarry/tests";
import { expect } from "vitest";
import { buildProgram } from "../soak/build-program.ts";
import type { ExtractPromise } from "./extract-speed.ts";

/** Every so many of the judged pages are timed; the whole of them is `npm run bench -- --only extract`. */
const EVERY = 24;
const TRIES = 3;
const MEDIAN_MS = 15;
const P99_MS = 250;
const TIMES_FASTER = 6;
/** Of what Readability takes in the same run: these are the promised times where nothing else runs. */
const MOST_OF_MEDIAN = 1 / 4;
const MOST_OF_P99 = 1 / 3;

describeData("wcxb-dev", (folder) => {
  verifies(
    ["extract:speed:median", "extract:speed:p99", "extract:speed:six-times-readability", "promises:t29:extraction"],
    "a page takes a sixth of what Readability takes, the median 15 ms and hardly any 250 ms; F1 on all articles is 0.970",
    async () => {
      const program = await buildProgram("tools/bench/extract-speed.ts");
      const measure = (): ExtractPromise => {
        const { stdout, stderr } = spawnSync(process.execPath, [program, path.dirname(folder), String(EVERY)], {
          encoding: "utf8",
        });
        expect(stderr).toBe("");
        return JSON.parse(stdout) as ExtractPromise;
      };
      const tries = [measure()];
      while (tries.length < TRIES && !tries.some(isWithin)) tries.push(measure());
      rmSync(program, { force: true });
      expect(tries.filter(isWithin), JSON.stringify(tries)).toHaveLength(1);
      expect(tries[0]).toMatchObject({ pages: 20, articles: 181 });
      expect(tries[0]?.f1).toBeGreaterThanOrEqual(0.97);
    },
    300_000,
  );
});

/** A machine that is busy with other things makes all slower: then the times count beside Readability's. */
function isWithin({ ours, theirs }: ExtractPromise): boolean {
  return (
    theirs.totalMs >= TIMES_FASTER * ours.totalMs &&
    ours.medianMs <= Math.max(MEDIAN_MS, theirs.medianMs * MOST_OF_MEDIAN) &&
    ours.p99Ms <= Math.max(P99_MS, theirs.p99Ms * MOST_OF_P99)
  );
}
