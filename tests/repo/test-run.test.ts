import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { verifies } from "@quarry/tests";
import { describe, expect } from "vitest";
import { repositoryFiles, repositoryRoot } from "./repository-files.ts";

const read = (file: string): string => readFileSync(path.join(repositoryRoot, file), "utf8");

describe("the test run", () => {
  verifies(
    ["commands:test:closing-line", "commands:test:skip-says-why"],
    "ends on one line of counts, a file that cannot be loaded counted as failed, and says what a skipped test lacked",
    () => {
      const said = runTests({});
      expect(said).toContain("skipped: a test > is skipped: there is no browser\n");
      expect(lastLineOf(said)).toBe("1 passed, 2 failed, 1 skipped");
    },
    60_000,
  );

  verifies(
    "commands:ci:nothing-skips",
    "fails in CI when a test skips, and CI installs what tests look for",
    () => {
      const script = read(".ci/run");
      for (const name of ["postgresql", "chromium", "bubblewrap"]) expect(script).toContain(`missing+=(${name})`);
      const said = runTests({ CI: "true" });
      expect(said).toContain("nothing may skip in CI: a test > is skipped: there is no browser");
      expect(lastLineOf(said)).toBe("1 passed, 3 failed, 1 skipped");
    },
    60_000,
  );

  verifies("commands:soak:part-in-tests", "runs a part of each long proof from a seed it prints", () => {
    const proofs = repositoryFiles().filter((file) => file.startsWith("tools/soak/"));
    const names = proofs.flatMap((file) =>
      [...read(file).matchAll(/^export const (\w+Soak)\b/gm)].map(([, name]) => name ?? ""),
    );
    expect(names.length).toBeGreaterThan(15);
    const tests = repositoryFiles().filter(
      (file) => file.endsWith(".test.ts") && file !== "tests/repo/test-run.test.ts",
    );
    const texts = tests.map(read);
    const missing = names.filter((name) => {
      const means = PROVED_OTHERWISE[name] ?? [name];
      return !texts.some((text) => means.every((word) => text.includes(word)) && /seed/.test(text));
    });
    expect(missing).toEqual([]);
  });
});

/** Proofs whose part in the tests calls what the proof calls, and not the proof itself. */
const PROVED_OTHERWISE: Readonly<Record<string, readonly string[]>> = {
  editMutationsSoak: ["tryEdits"],
  eventStreamSoak: ["followEvents"],
  toolsInterleavingsSoak: ["runInterleaving"],
  webhookDeliveriesSoak: ["simulateDeliveries"],
  monitorYearsSoak: ["countSlots"],
};

/** Runs our own reporters over four files: one passes, one fails, one skips, one cannot be loaded. */
function runTests(environment: Readonly<Record<string, string>>): string {
  const folder = path.join(repositoryRoot, "node_modules", ".cache");
  mkdirSync(folder, { recursive: true });
  const root = mkdtempSync(path.join(folder, "closing-line-"));
  try {
    const head = `import { expect, it } from "vitest";`;
    const files = {
      "passes.test.ts": `${head} it("passes", () => expect(1).toBe(1));`,
      "fails.test.ts": `${head} it("fails", () => expect(1).toBe(2));`,
      "skips.test.ts": `${head} import { describe } from "vitest"; describe("a test", () => it("is skipped", ({ skip }) => skip("there is no browser")));`,
      "broken.test.ts": `throw new Error("cannot be loaded");`,
      "vitest.config.ts": `export default { test: { reporters: [${JSON.stringify(path.join(repositoryRoot, "tools", "closing-line-reporter.ts"))}] } };`,
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(path.join(root, name), text);
    const vitest = path.join(repositoryRoot, "node_modules", "vitest", "vitest.mjs");
    const ran = spawnSync(process.execPath, [vitest, "run", "--root", root], {
      encoding: "utf8",
      env: { ...withoutCi(), ...environment },
    });
    return `${ran.stdout}${ran.stderr}`;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function withoutCi(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => name !== "CI"));
}

function lastLineOf(text: string): string {
  return text.trimEnd().split("\n").at(-1) ?? "";
}
