import { execFileSync, spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { sleep } from "@quarry/base";
import type { Soak } from "./soak.ts";

const START_WITHIN_MS = 300_000;
/** What a part of the proof runs of the tests; the whole proof runs them all. */
const PART_OF_THE_TESTS = ["--project", "rooms", "packages/base/src"];

/**
 * A newcomer's first hour: clone, `npm start`, the printed `curl`, `npm test` twice in a row, and both again after
 * `node_modules` was deleted. It clones what is committed. Installing takes minutes: a part of the proof does it once, in a
 * clone as it comes or in one that was built before its packages went, as the seed has it.
 */
export const freshCloneSoak: Soak = {
  name: "fresh-clone",
  run: async ({ random, size, report }) => {
    const folder = mkdtempSync(path.join(tmpdir(), "quarry-soak-clone-"));
    const clone = path.join(folder, "quarry");
    const tests = size < 1 ? PART_OF_THE_TESTS : [];
    const violations: string[] = [];
    let testsPassed = 0;
    const step = async (name: string, work: () => Promise<number> | number): Promise<void> => {
      const began = performance.now();
      try {
        testsPassed += await work();
        report(`${name}: ${((performance.now() - began) / 1000).toFixed(1)} s`);
      } catch (error) {
        violations.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
      }
    };
    try {
      execFileSync("git", ["clone", "--quiet", path.resolve("."), clone]);
      if (size < 1 && random.integer(0, 1) === 1) {
        report("as if built before");
        cpSync("dist", path.join(clone, "dist"), { recursive: true });
      }
      await step("npm start", () => startAndAsk(clone));
      await step("first npm test", () => runTests(clone, tests));
      await step("second npm test", () => runTests(clone, tests));
      if (size === 1) {
        rmSync(path.join(clone, "node_modules"), { recursive: true });
        await step("npm start after node_modules was deleted", () => startAndAsk(clone));
        await step("npm test after that", () => runTests(clone, tests));
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    return { figures: { testsPassed }, violations };
  },
};

/** Runs `npm start` until it serves, pastes the `curl` it prints, asks it to stop; counts no tests. */
async function startAndAsk(clone: string): Promise<number> {
  const child = spawn("npm", ["start"], {
    cwd: clone,
    env: { ...environmentOfANewcomer(), QUARRY_PORT: "0" },
    stdio: ["ignore", "pipe", "pipe"],
    // A group of its own, so that the signal reaches the server behind npm as Ctrl-C does.
    detached: true,
  });
  let said = "";
  child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
  const exited = new Promise<void>((resolve) => child.once("close", () => resolve()));
  try {
    for (const end = performance.now() + START_WITHIN_MS; !said.includes("Stop");) {
      if (child.exitCode !== null || performance.now() > end) throw new Error(`it does not serve:\n${said}`);
      await sleep(50);
    }
    const command = /^\s*Try it\s+(curl .*)$/m.exec(said)?.[1];
    if (command === undefined) throw new Error(`it prints no curl:\n${said}`);
    // The key is printed once; the command of a later start takes it from this variable.
    const { key } = JSON.parse(readFileSync(path.join(clone, ".quarry", "server.json"), "utf8")) as { key: string };
    const env = { ...process.env, QUARRY_API_KEY: key };
    const reply = spawnSync("bash", ["-c", command], { encoding: "utf8", env }).stdout;
    const { results } = JSON.parse(reply) as { readonly results?: readonly unknown[] };
    if (results === undefined || results.length === 0) throw new Error(`the printed curl finds nothing: ${reply}`);
  } finally {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGINT");
    await exited;
  }
  return 0;
}

/** Runs `npm test`; returns how many passed, fails unless all did. */
function runTests(clone: string, args: readonly string[]): number {
  const ran = spawnSync("npm", ["test", "--", ...args], {
    cwd: clone,
    env: environmentOfANewcomer(),
    encoding: "utf8",
  });
  const [, passed, failed] = /(\d+) passed, (\d+) failed, \d+ skipped\s*$/.exec(ran.stdout) ?? [];
  if (ran.status !== 0 || Number(failed) !== 0 || !(Number(passed) > 0)) {
    throw new Error(`exit code ${ran.status}\n${ran.stdout.slice(-4_000)}${ran.stderr.slice(-2_000)}`);
  }
  if (!existsSync(path.join(clone, "node_modules"))) throw new Error("it ran on the packages of another folder");
  return Number(passed);
}

/** This process's environment without what the repository's own programs and test runs put there. */
function environmentOfANewcomer(): NodeJS.ProcessEnv {
  const ours = /^(?:QUARRY_|npm_|VITEST|TEST|CI$|NODE_ENV$|NODE_OPTIONS$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !ours.test(name)));
}
