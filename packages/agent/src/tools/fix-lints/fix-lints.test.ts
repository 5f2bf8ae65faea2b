import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { verifies } from "@quarry/tests";
import { describe, expect } from "vitest";
import { withWorkspace } from "../../testing-workspace.ts";
import { readLintsTool } from "../read-lints/read-lints.ts";
import { fixLintsTool } from "./fix-lints.ts";

const FILES = {
  "tsconfig.json":
    '{ "compilerOptions": { "strict": true, "types": [], "lib": ["es2022"], "allowJs": true, "module": "esnext", "moduleResolution": "bundler" } }',
  "eslint.config.mjs": 'export default [{ rules: { "no-var": "error", "no-console": "error" } }];\n',
  "src/price.js": "export function priceOf() {\n  return 1;\n}\n",
  "src/shop.js": "var sum = 1;\nconsole.log(sum);\n",
  "src/till.ts": "export const total: number = priceOf() + 1;\n",
  "src/good.ts": "export const good = 1;\n",
};

/** The ESLint that this repository is linted with, as if the workspace had installed it. */
function installEslint(root: string): void {
  const program = createRequire(import.meta.url).resolve("eslint/package.json");
  mkdirSync(path.join(root, "node_modules"));
  symlinkSync(path.dirname(program), path.join(root, "node_modules/eslint"));
}

const context = {
  teamId: "team",
  session: { id: "session", workspaceRoot: "", mode: "agent" as const },
  toolCallId: "call",
  signal: new AbortController().signal,
  earlierResults: () => Promise.resolve([]),
};

describe("fix_lints", () => {
  verifies(
    [
      "tools:fix-lints:params:paths",
      "tools:fix-lints:result:file-results",
      "tools:fix-lints:result:file-results-diff",
      "tools:fix-lints:result:file-results-is-applied",
      "tools:fix-lints:result:file-results-linter-errors",
    ],
    "mends what ESLint and the compiler can mend in the files it is bound to, and tells what remains",
    () =>
      withWorkspace(FILES, async ({ root, deps, run }) => {
        installEslint(root);
        const tool = fixLintsTool(deps);
        const text = (file: string) => readFileSync(path.join(root, file), "utf8");
        // ESLint does not run before it was allowed.
        const read = readLintsTool(deps);
        expect((await run(read, { path: "src/shop.js" }))["linterErrors"]).toEqual([]);
        expect(await tool.inspect({ paths: ["src/shop.js"] }, context)).toMatchObject({
          paths: ["src/shop.js"],
          risk: "high",
          notes: [expect.stringContaining("the workspace's own ESLint") as string],
          commands: ["eslint --fix"],
        });
        const { fileResults } = await run(tool, { paths: ["src/shop.js", "src/till.ts"] });
        expect(fileResults).toMatchObject([
          {
            filePath: "src/shop.js",
            diff: { chunks: [{ diffString: "-var sum = 1;\n+let sum = 1;\n console.log(sum);" }], editor: "EDITOR_AI" },
            isApplied: true,
            applyFailed: false,
            linterErrors: [{ message: "Unexpected console statement.", source: "eslint", isStale: false }],
          },
          { filePath: "src/till.ts", isApplied: true, applyFailed: false, linterErrors: [] },
        ]);
        expect(text("src/shop.js")).toBe("let sum = 1;\nconsole.log(sum);\n");
        expect(text("src/till.ts")).toBe(`import { priceOf } from "./price";\n\n${FILES["src/till.ts"]}`);
        expect(await run(tool, { paths: ["src/good.ts"] })).toEqual({
          fileResults: [{ filePath: "src/good.ts", isApplied: false, applyFailed: false, linterErrors: [] }],
        });
        expect((await run(read, { path: "src/shop.js" }))["linterErrors"]).toMatchObject([{ source: "eslint" }]);
        // Without paths it is about what the session changed, and each change can be taken back.
        expect((await tool.inspect({}, context)).paths).toEqual(["src/shop.js", "src/till.ts"]);
        expect((await deps.history.list("session")).map(({ before }) => before.kind)).toEqual(["file", "file"]);
      }),
    60_000,
  );

  verifies(
    ["tools:fix-lints:result:file-results-apply-failed", "tools:fix-lints:result:file-results-error"],
    "says why a file could not be mended and leaves it as it is",
    () =>
      withWorkspace(
        { ...FILES, "eslint.config.mjs": 'throw new Error("no such plug-in");\n' },
        async ({ root, deps, run }) => {
          installEslint(root);
          const { fileResults } = await run(fixLintsTool(deps), { paths: ["src/shop.js"] });
          expect(fileResults).toMatchObject([
            {
              isApplied: false,
              applyFailed: true,
              error: expect.stringMatching(/ESLint failed: .*no such plug-in/) as string,
            },
          ]);
          expect(readFileSync(path.join(root, "src/shop.js"), "utf8")).toBe(FILES["src/shop.js"]);
        },
      ),
    60_000,
  );
});
