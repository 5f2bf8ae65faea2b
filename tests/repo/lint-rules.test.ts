import path from "node:path";
import { ESLint } from "eslint";
import { describe, expect, it } from "vitest";
import { verifies } from "../requirements/verifies.ts";

const root = path.resolve(import.meta.dirname, "..", "..");
const eslint = new ESLint({ cwd: root });

/** The first run loads the type-checker's project, which takes seconds on a busy machine. */
const LINT_TIMEOUT_MS = 120_000;

/**
 * Lints `text` as if it stood in `file`. The file must exist and belong to the
 * TypeScript project, because the type-aware rules look it up there; its real
 * text is not read.
 */
async function brokenRules(text: string, file = "packages/base/src/clock.ts"): Promise<readonly string[]> {
  const [result] = await eslint.lintText(text, { filePath: path.join(root, file) });
  return [...new Set(result?.messages.map(({ ruleId, message }) => ruleId ?? message))].sort();
}

describe("eslint.config.js", () => {
  it(
    "passes text without faults",
    async () => {
      expect(await brokenRules("export const answer = 42;\n")).toEqual([]);
    },
    LINT_TIMEOUT_MS,
  );

  verifies(
    "workspace:lint:process-env",
    "refuses the environment outside a config module",
    async () => {
      const text = 'export const home = process.env["HOME"];\n';
      expect(await brokenRules(text)).toEqual(["no-restricted-syntax"]);
      expect(await brokenRules(text, "tools/closing-line-reporter.ts")).toEqual([]);
    },
    LINT_TIMEOUT_MS,
  );

  verifies(
    "workspace:lint:global-fetch",
    "refuses the global fetch in a package",
    async () => {
      const text = 'export const reply = fetch("http://127.0.0.1/");\n';
      expect(await brokenRules(text)).toEqual(["no-restricted-globals"]);
      expect(await brokenRules(text.replace("fetch(", "globalThis.fetch("))).toEqual(["no-restricted-globals"]);
    },
    LINT_TIMEOUT_MS,
  );

  verifies(
    "workspace:lint:default-export",
    "refuses a default export",
    async () => {
      expect(await brokenRules("export default 42;\n")).toEqual(["no-restricted-syntax"]);
    },
    LINT_TIMEOUT_MS,
  );

  verifies(
    "workspace:lint:export-star",
    "refuses export * everywhere, tools too",
    async () => {
      const text = 'export * from "node:path";\n';
      expect(await brokenRules(text)).toEqual(["no-restricted-syntax"]);
      expect(await brokenRules(text, "tools/closing-line-reporter.ts")).toEqual(["no-restricted-syntax"]);
    },
    LINT_TIMEOUT_MS,
  );

  verifies(
    "workspace:lint:any",
    "refuses any",
    async () => {
      expect(await brokenRules("export const parse = (text: any): string => String(text);\n")).toEqual([
        "@typescript-eslint/no-explicit-any",
      ]);
    },
    LINT_TIMEOUT_MS,
  );

  verifies(
    "workspace:lint:floating-promise",
    "refuses a promise that nobody awaits",
    async () => {
      expect(await brokenRules("Promise.resolve(1);\nexport {};\n")).toEqual([
        "@typescript-eslint/no-floating-promises",
      ]);
    },
    LINT_TIMEOUT_MS,
  );

  verifies(
    "workspace:lint:exhaustive-switch",
    "refuses a switch that forgets a member",
    async () => {
      const text = `export function toNumber(word: "one" | "two"): number {
  switch (word) {
    case "one":
      return 1;
  }
  return 2;
}
`;
      expect(await brokenRules(text)).toEqual(["@typescript-eslint/switch-exhaustiveness-check"]);
    },
    LINT_TIMEOUT_MS,
  );

  verifies(
    "workspace:lint:type-imports",
    "refuses a type imported as a value",
    async () => {
      const text = 'import { AppErrorOptions } from "./app-error.ts";\nexport type Options = AppErrorOptions;\n';
      expect(await brokenRules(text)).toEqual(["@typescript-eslint/consistent-type-imports"]);
    },
    LINT_TIMEOUT_MS,
  );

  verifies(
    "workspace:lint:max-lines",
    "refuses more than 400 lines of code, blank lines and comments not counted",
    async () => {
      const lines = (count: number): string => "export {};\n".repeat(count);
      expect(await brokenRules(`${lines(400)}${"\n// more\n".repeat(200)}`)).not.toContain("max-lines");
      expect(await brokenRules(lines(401))).toContain("max-lines");
    },
    LINT_TIMEOUT_MS,
  );

  verifies(
    "workspace:lint:non-null-assertion",
    "refuses a non-null assertion",
    async () => {
      const text = "export const first = (words: readonly string[]): string => words.at(0)!;\n";
      expect(await brokenRules(text)).toEqual(["@typescript-eslint/no-non-null-assertion"]);
    },
    LINT_TIMEOUT_MS,
  );

  verifies(
    "workspace:lint:unused-suppression",
    "refuses a suppression that suppresses nothing",
    async () => {
      const text = "// eslint-disable-next-line no-console -- nothing here\nexport const answer = 42;\n";
      expect(await brokenRules(text)).toEqual([expect.stringContaining("Unused eslint-disable directive")]);
    },
    LINT_TIMEOUT_MS,
  );
});
