import { appendFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import { createLints } from "../../code/lints/create-lints.ts";
import { withWorkspace } from "../../testing-workspace.ts";
import { readLintsTool } from "./read-lints.ts";

const FILES = {
  "tsconfig.json": '{ "compilerOptions": { "strict": true, "types": [], "lib": ["es2022"] } }',
  "src/price.ts": "export const price: number = 1;\n",
  "src/shop.ts": 'import { price } from "./price";\nconst text: string = price;\nexport { text };\n',
  "pay/tax.py": "def add(amount: int) -> str:\n    return amount\n",
  "notes.md": "# Notes\n",
};

const wrong = (line: number, isStale = false) => ({
  message: "Type 'number' is not assignable to type 'string'.",
  range: { startPosition: { line, column: 7 }, endPosition: { line, column: 11 } },
  source: "typescript",
  severity: "DIAGNOSTIC_SEVERITY_ERROR",
  isStale,
});

describe("read_lints", () => {
  verifies(
    [
      "tools:read-lints:params:path",
      "tools:read-lints:params:paths",
      "tools:read-lints:result:path",
      "tools:read-lints:result:linter-errors",
      "tools:read-lints:result:linter-errors-by-file",
    ],
    "tells the problems of TypeScript and Python files as they are now",
    () =>
      withWorkspace(FILES, async ({ root, deps, run }) => {
        const tool = readLintsTool(deps);
        const file = path.join(root, "src/shop.ts");
        expect(await run(tool, { path: "src/shop.ts" })).toEqual({
          path: "src/shop.ts",
          linterErrors: [wrong(2)],
          linterErrorsByFile: [
            { relativeWorkspacePath: "src/shop.ts", errors: [wrong(2)], fileContents: FILES["src/shop.ts"] },
          ],
        });
        // Nothing was changed in the session yet; then one file was.
        expect(await run(tool, {})).toEqual({ linterErrorsByFile: [] });
        const change = { sessionId: "session", toolCallId: "call", absolute: file };
        await deps.history.make(change, { kind: "file", bytes: Buffer.from(`\n${FILES["src/shop.ts"]}`) });
        expect(await run(tool, {})).toMatchObject({ path: "src/shop.ts", linterErrors: [wrong(3)] });
        // What another file says counts at once, one that is gone too.
        writeFileSync(path.join(root, "src/price.ts"), 'export const price: string = "1";\n');
        expect((await run(tool, { path: "src/shop.ts" }))["linterErrors"]).toEqual([]);
        rmSync(path.join(root, "src/price.ts"));
        expect((await run(tool, { path: "src/shop.ts" }))["linterErrors"]).toMatchObject([
          { message: expect.stringMatching(/^Cannot find module '.\/price'/) as string },
        ]);
        const many = await run(tool, { paths: ["src", "pay/tax.py"] });
        expect(many).not.toHaveProperty("path");
        expect(many["linterErrorsByFile"]).toMatchObject([
          { relativeWorkspacePath: "src/shop.ts", errors: [{ source: "typescript" }] },
          {
            relativeWorkspacePath: "pay/tax.py",
            errors: [
              {
                message: expect.stringMatching(/^Type "int" is not assignable to return type "str"/) as string,
                range: { startPosition: { line: 2, column: 12 }, endPosition: { line: 2, column: 18 } },
                source: "pyright",
                severity: "DIAGNOSTIC_SEVERITY_ERROR",
              },
            ],
          },
        ]);
        writeFileSync(path.join(root, "pay/tax.py"), "def add(amount: int) -> int:\n    return amount\n");
        expect((await run(tool, { path: "pay/tax.py" }))["linterErrors"]).toEqual([]);
        await expect(run(tool, { path: "gone.ts" })).rejects.toThrow(/there is no file gone\.ts/);
        await expect(run(tool, { path: "notes.md" })).rejects.toThrow(/nothing here lints such files/);
        expect(tool.toAgentResult({}, { kind: "succeeded", result: many })).toMatchObject({
          success: {
            totalFiles: 2,
            totalDiagnostics: 2,
            fileDiagnostics: [{ path: "src/shop.ts", diagnosticsCount: 1 }, {}],
          },
        });
      }),
    60_000,
  );

  const aProblem = (absolute: string) => ({
    absolute,
    ...{ startLine: 1, startColumn: 1, endLine: 1, endColumn: 1 },
    message: "wrong",
    source: "typescript",
    severity: "error" as const,
  });

  verifies(
    "tools:read-lints:behaviour:never-stale",
    "looks again when a file changes under the linters, and marks what is still older than the contents",
    () =>
      withWorkspace(FILES, async ({ root, deps, run }) => {
        const file = path.join(root, "src/shop.ts");
        let changes = 0;
        const typescript = {
          isWarm: () => true,
          close: () => Promise.resolve(),
          run: () => {
            if (changes > 0) appendFileSync(file, "\n");
            changes -= 1;
            return Promise.resolve([aProblem(file)]) as never;
          },
        };
        const lints = createLints({ typescript, python: deps.code.python }, [root]);
        const tool = readLintsTool({ ...deps, code: { ...deps.code, lints } });
        const staleness = async () =>
          ((await run(tool, { path: "src/shop.ts" }))["linterErrors"] as { isStale: boolean }[]).map(
            (error) => error.isStale,
          );
        expect(await staleness()).toEqual([false]);
        changes = 2;
        expect(await staleness()).toEqual([false]);
        changes = 9;
        expect(await staleness()).toEqual([true]);
        // An edit is told nothing of a text that is gone.
        changes = 9;
        expect(await lints.problems?.([file], new AbortController().signal)).toEqual([]);
      }),
  );

  it("lets no edit wait for a service that starts, nor takes what was there for new", () =>
    withWorkspace(FILES, async ({ root, deps }) => {
      const file = path.join(root, "src/shop.ts");
      let start = (): void => undefined;
      const started = new Promise<void>((resolve) => (start = resolve));
      const typescript = {
        isWarm: () => true,
        close: () => Promise.resolve(),
        run: () => started.then(() => [aProblem(file)]) as never,
      };
      const lints = createLints({ typescript, python: deps.code.python }, [root], { patienceMs: 1 });
      const look = async () => lints.problems?.([file], new AbortController().signal);
      await expect(look()).rejects.toThrow(/the language service is starting/);
      start();
      await lints.lint(root, [file], new AbortController().signal);
      await expect(look()).rejects.toThrow(/the language service is starting/); // the look after the same edit
      expect(await look()).toEqual([aProblem(file)]);
    }));

  it("tells edits which problems are new", () =>
    withWorkspace(FILES, async ({ root, deps }) => {
      const file = path.join(root, "src/shop.ts");
      const found = [aProblem(file)];
      const typescript = {
        isWarm: () => true,
        close: () => Promise.resolve(),
        run: () => Promise.resolve([...found]) as never,
      };
      const lints = createLints({ typescript, python: deps.code.python }, [root]);
      const { signal } = new AbortController();
      expect(await lints.newProblems([file, path.join(root, "notes.md")], signal)).toEqual([aProblem(file)]);
      expect(await lints.newProblems([file], signal)).toEqual([]);
      found.push({ ...aProblem(file), message: "worse" });
      expect(await lints.newProblems([file], signal)).toMatchObject([{ message: "worse" }]);
    }));
});
