// Runs tests against mutants, one after the other, as its parent sends them: vitest with a source file exchanged in memory.
import path from "node:path";
import { createVitest, type Vitest } from "vitest/node";
import { scratchDirectory } from "../scratch-directory.ts";

/** What the parent sends: a file as it is for this run, and the tests to run until one fails. */
export interface MutantRun {
  readonly file: string;
  readonly text: string;
  readonly tests: readonly string[];
}

/** What it gets back: the test file that failed; undefined when none did. */
export interface MutantVerdict {
  readonly failed: string | undefined;
}

const SOURCE = { resolve: { conditions: ["source"] } };
let current: MutantRun | undefined;

process.env["TMPDIR"] = scratchDirectory();
const vitest = await createVitest(
  "test",
  {
    config: false,
    root: process.cwd(),
    watch: false,
    include: ["packages/*/src/**/*.test.ts"],
    globalSetup: ["./tools/test-database.ts"],
    setupFiles: ["./tools/soak/end-stuck-worker.ts"],
    pool: "forks",
    isolate: true,
    maxWorkers: 1,
    bail: 1,
    testTimeout: 20_000,
    hookTimeout: 60_000,
    reporters: [{}],
  },
  {
    ...SOURCE,
    ssr: SOURCE,
    environments: { __vitest__: SOURCE },
    plugins: [
      {
        name: "mutant",
        enforce: "pre",
        load: (id) => (current !== undefined && id.split("?")[0] === path.resolve(current.file) ? current.text : null),
      },
    ],
  },
);

process.on("message", (message) => {
  const run = message as MutantRun | "close"; // the parent's own
  if (run === "close") void vitest.close().then(() => process.disconnect());
  else void tryMutant(vitest, run).then((verdict) => process.send?.(verdict));
});
process.send?.("ready");

async function tryMutant(runner: Vitest, run: MutantRun): Promise<MutantVerdict> {
  current = run;
  runner.invalidateFile(path.resolve(run.file));
  for (const test of run.tests) {
    // What failed before would count against the limit of failures, and end this run before it began.
    runner.state.idMap.clear();
    runner.state.filesMap.clear();
    const specifications = await runner.globTestSpecifications([test]);
    if (specifications.length === 0) return { failed: `${test}, which is not there` };
    const { testModules, unhandledErrors } = await runner.runTestSpecifications(specifications);
    if (unhandledErrors.length > 0 || testModules.some((module) => !module.ok())) return { failed: test };
  }
  return { failed: undefined };
}
