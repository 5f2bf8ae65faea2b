import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { verifies } from "@quarry/tests";
import { describe, expect } from "vitest";
import { withDataDirectory } from "../../tools/server-process.ts";

/** Runs one of the repository's programs as `npm run` does. */
function runTool(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): { readonly code: number | null; readonly stdout: string; readonly stderr: string } {
  const run = spawnSync(process.execPath, ["tools/run-typescript.mjs", program, ...args], {
    encoding: "utf8",
    env: { ...process.env, ...env },
  });
  return { code: run.status, stdout: run.stdout, stderr: run.stderr };
}

describe("npm run bench", () => {
  verifies(
    [
      "commands:bench:prints-table",
      "commands:bench:only-option",
      "commands:bench:smoke-in-tests",
      "commands:bench:startup-figures",
      "commands:start:idle-memory",
    ],
    "--only startup prints its table, writes its figures, and finds memory within the promise",
    () =>
      withDataDirectory((out) => {
        const { code, stdout } = runTool("tools/bench/main.ts", ["--only", "startup", "--size", "0.2", "--out", out], {
          QUARRY_SAMPLE: "0", // a server that reads its sample is not idle yet
        });
        expect(code).toBe(0);
        expect(stdout).toContain("first start");
        const record = JSON.parse(readFileSync(path.join(out, "startup.json"), "utf8")) as {
          figures: Record<string, number>;
        };
        expect(Object.keys(record.figures)).toEqual(["firstStartMs", "laterStartMs", "idleMegabytes"]);
        expect(record.figures["idleMegabytes"]).toBeGreaterThan(20);
        expect(record.figures["idleMegabytes"]).toBeLessThan(550);
        expect(existsSync(path.join(out, "jobs.json"))).toBe(false);
        return Promise.resolve();
      }),
    120_000,
  );
});

describe("npm run eval", () => {
  verifies(
    ["commands:eval:missing-data-skipped", "commands:eval:prints-table", "commands:eval:only-option"],
    "skips by name a data set that is not there, and still writes its result",
    () =>
      withDataDirectory((out) => {
        const { code, stdout } = runTool("tools/eval/main.ts", ["--only", "extract", "--out", out], {
          QUARRY_EVAL_DATA: path.join(out, "none"),
        });
        expect(stdout).toMatch(/skipped article-extraction-benchmark/);
        expect(code).toBe(0);
        expect(existsSync(path.join(out, "extract.json"))).toBe(true);
        return Promise.resolve();
      }),
    60_000,
  );
});

describe("npm run soak", () => {
  verifies("commands:soak:only-and-seed", "knows its proofs by name, and refuses what it does not know", () => {
    const { code, stderr } = runTool("tools/soak/main.ts", ["--only", "nonsense"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/there are: .*jobs.*server-kills/);
  });
});
