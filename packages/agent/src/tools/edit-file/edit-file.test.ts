import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { JsonObject } from "@bufbuild/protobuf";
import type { ToolCall } from "@quarry/store";
import { verifies } from "@quarry/tests";
import { describe, expect } from "vitest";
import { endOf } from "../../end-call.ts";
import { showReview } from "../../show-review.ts";
import { withWorkspace, type TestWorkspace } from "../../testing-workspace.ts";
import { ToolFailure } from "../../tool-error.ts";
import type { LintProblem } from "../../workspace/lint-problem.ts";
import { readFileV2Tool } from "../read-file-v2/read-file-v2.ts";
import { editFileTool } from "./edit-file.ts";

const CODE = "class A {\n  run() {\n    return 1;\n  }\n\n  stop() {\n    return 1;\n  }\n}\n";

/** Edits one file and shows what it holds then. */
function editor({ root, deps, run }: TestWorkspace) {
  const tool = editFileTool(deps);
  return {
    tool,
    edit: (name: string, args: JsonObject) => run(tool, { relativeWorkspacePath: name, ...args }),
    read: (name: string) => readFileSync(path.join(root, name), "utf8"),
    failure: async (name: string, args: JsonObject) => {
      const failed: unknown = await run(tool, { relativeWorkspacePath: name, ...args }).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (!(failed instanceof ToolFailure)) throw new Error("it did not fail as an edit does", { cause: failed });
      return failed.toolError;
    },
  };
}

describe("edit_file", () => {
  verifies(
    [
      "tools:edit-file:params:relative-workspace-path",
      "tools:edit-file:params:old-string",
      "tools:edit-file:params:new-string",
      "tools:edit-file:params:allow-multiple-matches",
      "tools:edit-file:params:line-ranges",
      "tools:edit-file:result:diff",
      "tools:edit-file:result:is-applied",
      "tools:edit-file:result:num-matches",
      "tools:edit-file:result:num-lines-in-file",
      "tools:edit-file:behaviour:one-hit-only",
      "tools:edit-file:behaviour:ambiguous-lines",
    ],
    "replaces a text at the one place it stands, in the ranges given, or everywhere when told so",
    () =>
      withWorkspace({ "a.ts": CODE }, async (workspace) => {
        const { edit, read, failure } = editor(workspace);
        const many = await failure("a.ts", { oldString: "return 1;", newString: "return 2;" });
        expect(many.model).toMatch(/2 places of a\.ts: line 3, line 7\./);
        expect(read("a.ts")).toBe(CODE);
        const lineRanges = [{ startLineNumber: 6, endLineNumberInclusive: 8 }];
        expect(await edit("a.ts", { oldString: "return 1;", newString: "return 2;", lineRanges })).toMatchObject({
          isApplied: true,
          numMatches: 1,
          numLinesInFile: 9,
          diff: { chunks: [{ oldStart: 4, linesAdded: 1, linesRemoved: 1 }], editor: "EDITOR_AI" },
        });
        expect(read("a.ts")).toBe(CODE.replace(/1;\n {2}\}\n\}/, "2;\n  }\n}"));
        const all = await edit("a.ts", { oldString: "return ", newString: "yield ", allowMultipleMatches: true });
        expect([all["numMatches"], read("a.ts").match(/yield \d/g)]).toEqual([2, ["yield 1", "yield 2"]]);
      }),
  );

  verifies(
    [
      "tools:edit-file:params:use-whitespace-insensitive-fallback",
      "tools:edit-file:params:use-did-you-mean-fuzzy-match",
      "tools:edit-file:result:whitespace-insensitive-fallback-found-match",
      "tools:edit-file:behaviour:ladder",
    ],
    "climbs the ladder: line ends, trailing space, indent, punctuation, escapes, and likeness when allowed",
    () =>
      withWorkspace(
        {
          "ends.ts": "one\r\ntwo\r\nthree\r\n",
          "trail.ts": "if (a) {  \n  b();\t\n}\n",
          "indent.py": "class A:\n\tdef f(self):\n\t\treturn 1\n",
          "quote.ts": "say(“it’s”, 1);\n",
          "escape.ts": 'say("a");\nsay("b");\n',
          "like.ts":
            "function total(items) {\n  const sum = items.reduce(add, 0);\n  log(sum);\n  return sum * 1.2;\n}\nfunction other() {}\n",
        },
        async (workspace) => {
          const { edit, read, failure } = editor(workspace);
          await edit("ends.ts", { oldString: "one\ntwo", newString: "one\n1.5\ntwo" });
          expect(read("ends.ts")).toBe("one\r\n1.5\r\ntwo\r\nthree\r\n");
          const trailing = { oldString: "if (a) {\n  b();\n}", newString: "if (a) {\n  c();\n}" };
          await failure("trail.ts", { ...trailing, useWhitespaceInsensitiveFallback: false });
          const forgiven = await edit("trail.ts", { ...trailing, useWhitespaceInsensitiveFallback: true });
          expect(forgiven["whitespaceInsensitiveFallbackFoundMatch"]).toBe(true);
          expect(read("trail.ts")).toBe("if (a) {  \n  c();\n}\n");
          const indented = {
            oldString: "def f(self):\n    return 1",
            newString: "def f(self):\n    if self:\n        return 2\n    return 1",
          };
          await edit("indent.py", indented);
          expect(read("indent.py")).toBe("class A:\n\tdef f(self):\n\t\tif self:\n\t\t\treturn 2\n\t\treturn 1\n");
          await edit("quote.ts", { oldString: `say("it's", 1);`, newString: `say("it's", 2);` });
          expect(read("quote.ts")).toBe("say(“it’s”, 2);\n");
          await edit("escape.ts", {
            oldString: String.raw`say(\"a\");\nsay(\"b\");`,
            newString: String.raw`say(\"c\");\nsay(\"b\");`,
          });
          expect(read("escape.ts")).toBe('say("c");\nsay("b");\n');
          const like = {
            oldString:
              "function total(items) {\n  const sum = item.reduce(add, 0);\n  log(sum);\n  return sum * 1.2;\n}",
            newString:
              "function total(items) {\n  const sum = item.reduce(add, 0);\n  log(sum);\n  return sum * 1.3;\n}",
          };
          expect((await failure("like.ts", like)).model).toContain("closest region is lines 1 to 5");
          await edit("like.ts", { ...like, useDidYouMeanFuzzyMatch: true });
          expect(read("like.ts")).toContain("items.reduce(add, 0);\n  log(sum);\n  return sum * 1.3;");
        },
      ),
  );

  verifies(
    [
      "tools:edit-file:behaviour:closest-region",
      "tools:edit-file:behaviour:search-replace-details",
      "tools:edit-file:behaviour:file-error-details",
      "tools:edit-file:behaviour:identical-strings",
      "tools:edit-file:behaviour:placeholders",
    ],
    "says of a miss where the closest region is and how it differs, and how long the file is",
    () =>
      withWorkspace({ "a.ts": CODE, "b.ts": CODE }, async (workspace) => {
        const { read, failure } = editor(workspace);
        const missed = await failure("a.ts", { oldString: "  stop() {\n    return 3;", newString: "x" });
        expect(missed.model).toContain("closest region is lines 6 to 7");
        expect(missed.model).toContain("     6|  stop() {\n     7|    return 1;");
        expect(missed.model).toContain('line 7: the file has "    return 1;", you sent "    return 3;"');
        expect(missed.edit).toEqual({ kind: "search-replace", numLinesInFileBeforeEdit: 9 });
        expect((await failure("a.ts", { oldString: "run", newString: "run" })).model).toMatch(/nothing would change/);
        const lazy = await failure("a.ts", { oldString: "run() {", newString: "walk() {\n// ... rest of code ...\n" });
        expect(lazy.model).toMatch(/line 2 leaves code out/);
        const part = await failure("a.ts", { contents: "  stop() {\n    return 2;\n  }\n" });
        expect(part.edit).toEqual({ kind: "edit-file", numLinesInFileBeforeEdit: 9 });
        expect(part.model).toMatch(/look like a part of a\.ts/);
        expect((await failure("c.ts", { oldString: "x", newString: "y" })).model).toMatch(/did you mean a\.ts, b\.ts/);
        expect(read("a.ts")).toBe(CODE);
      }),
  );

  verifies(
    [
      "tools:edit-file:params:gracefully-handle-recoverable-errors",
      "tools:edit-file:result:recoverable-error",
      "tools:edit-file:result:apply-failed",
      "tools:edit-file:result:no-match-found-in-line-ranges",
    ],
    "answers a miss and an ambiguity instead of failing, when asked to",
    () =>
      withWorkspace({ "a.ts": CODE }, async (workspace) => {
        const { edit, read } = editor(workspace);
        const graceful = { newString: "x", gracefullyHandleRecoverableErrors: true };
        expect(await edit("a.ts", { ...graceful, oldString: "return 1;" })).toMatchObject({
          isApplied: false,
          applyFailed: true,
          numMatches: 2,
          recoverableError: { errorType: "RECOVERABLE_ERROR_TYPE_AMBIGUOUS_SEARCH_STRING" },
        });
        expect(await edit("a.ts", { ...graceful, oldString: "return 4;" })).toMatchObject({
          applyFailed: true,
          recoverableError: {
            errorType: "RECOVERABLE_ERROR_TYPE_SEARCH_STRING_NOT_FOUND",
            modelMessage: expect.stringContaining("closest region") as string,
          },
        });
        const lineRanges = [{ startLineNumber: 1, endLineNumberInclusive: 2 }];
        const outside = await edit("a.ts", { ...graceful, oldString: "stop()", lineRanges });
        expect(outside).toMatchObject({ noMatchFoundInLineRanges: true, applyFailed: true });
        expect(read("a.ts")).toBe(CODE);
      }),
  );

  verifies(
    [
      "tools:edit-file:params:contents",
      "tools:edit-file:behaviour:create",
      "tools:edit-file:behaviour:line-ends-kept",
      "tools:edit-file:params:should-edit-file-fail-for-large-files",
      "tools:workspace:text:fidelity",
    ],
    "writes whole files, fills in what they leave out, and keeps encoding, mark and line ends",
    () =>
      withWorkspace(
        {
          "a.ts": CODE,
          "marked.txt": Buffer.from("\uFEFFone\r\ntwo\nthree\r\n"),
          "latin.txt": Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a, 0x61, 0x0a]),
          "wide.txt": Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("one\ntwo\n", "utf16le")]),
          "large.txt": "x\n".repeat(10_001),
        },
        async (workspace) => {
          const { edit, read, failure } = editor(workspace);
          const bytes = (name: string) => readFileSync(path.join(workspace.root, name));
          await edit("a.ts", {
            contents: "class A {\n  // ... existing code ...\n\n  stop() {\n    return 2;\n  }\n}\n",
          });
          expect(read("a.ts")).toBe(CODE.replace("return 1;\n  }\n}", "return 2;\n  }\n}"));
          await edit("new/deep/b.ts", { oldString: "", newString: "made\n" });
          expect(read("new/deep/b.ts")).toBe("made\n");
          expect((await failure("new/deep/b.ts", { oldString: "", newString: "again" })).model).toMatch(
            /it is empty, but/,
          );
          await edit("marked.txt", { oldString: "two", newString: "2\n2.5" });
          expect(read("marked.txt")).toBe("\uFEFFone\r\n2\n2.5\nthree\r\n");
          await edit("latin.txt", { oldString: "\na\n", newString: "\nb\n" });
          expect(bytes("latin.txt")).toEqual(Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a, 0x62, 0x0a]));
          expect((await failure("latin.txt", { oldString: "b", newString: "日" })).model).toMatch(/lacks a character/);
          await edit("wide.txt", { oldString: "two", newString: "zwei" });
          expect(bytes("wide.txt")).toEqual(
            Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("one\nzwei\n", "utf16le")]),
          );
          const large = { oldString: "x\n", newString: "y\n", shouldEditFileFailForLargeFiles: true };
          expect((await failure("large.txt", large)).model).toMatch(/10001 lines/);
        },
      ),
  );

  verifies(
    [
      "tools:edit-file:params:notebook-cell-idx",
      "tools:edit-file:params:is-new-cell",
      "tools:edit-file:params:cell-language",
    ],
    "edits, replaces and inserts cells of a notebook, and drops output of changed code",
    () => {
      const cells = [
        { cell_type: "markdown", metadata: {}, source: ["# One\n", "text"] },
        { cell_type: "code", metadata: {}, source: "print(1)\n", outputs: [{ a: 1 }], execution_count: 3 },
      ];
      const notebook = { cells, metadata: { kernel: "x" }, nbformat: 4, nbformat_minor: 5 };
      const text = `${JSON.stringify(notebook, undefined, 1)}\n`;
      return withWorkspace({ "n.ipynb": text, "x.ipynb": "no" }, async (workspace) => {
        const { edit, read, failure } = editor(workspace);
        const parsed = () => JSON.parse(read("n.ipynb")) as { cells: JsonObject[]; metadata: JsonObject };
        await edit("n.ipynb", { notebookCellIdx: 1, oldString: "print(1)", newString: "print(2)" });
        expect(parsed().cells[1]).toEqual({ ...cells[1], source: ["print(2)\n"], outputs: [], execution_count: null });
        await edit("n.ipynb", { notebookCellIdx: 0, isNewCell: true, cellLanguage: "markdown", newString: "# Zero" });
        expect(parsed().cells[0]).toMatchObject({
          cell_type: "markdown",
          source: ["# Zero"],
          id: expect.any(String) as string,
        });
        await edit("n.ipynb", { notebookCellIdx: 2, contents: "select 1", cellLanguage: "sql" });
        expect(parsed().cells[2]).toMatchObject({ metadata: { vscode: { languageId: "sql" } }, source: ["select 1"] });
        expect([parsed().metadata, read("n.ipynb").startsWith('{\n "cells"')]).toEqual([{ kernel: "x" }, true]);
        expect((await failure("n.ipynb", { notebookCellIdx: 9, contents: "x" })).model).toMatch(/its cells are 0 to 2/);
        expect((await failure("x.ipynb", { notebookCellIdx: 0, contents: "x" })).model).toMatch(/is no notebook/);
      });
    },
  );

  verifies(
    [
      "tools:edit-file:params:blocking",
      "tools:edit-file:params:language",
      "tools:edit-file:params:should-eagerly-process-lints",
      "tools:edit-file:result:linter-errors",
      "tools:edit-file:result:should-eagerly-process-lints",
      "tools:edit-file:result:were-all-new-linter-errors-resolved-by-this-edit",
      "tools:edit-file:result:diff-became-no-op-due-to-on-save-fixes",
    ],
    "tells the problems an edit brought, when they are solved, and when saving put the file back",
    () =>
      withWorkspace({ "a.ts": "let a = 1;\nbad();\n" }, async (workspace) => {
        const file = path.join(workspace.root, "a.ts");
        const languages: (string | undefined)[] = [];
        let fixesOnSave = false;
        const problems = (_: readonly string[], __: AbortSignal, known?: ReadonlyMap<string, string>) => {
          languages.push(known?.get(file));
          const text = readFileSync(file, "utf8");
          if (fixesOnSave) writeFileSync(file, text.replaceAll("later", "a"));
          const found = [...text.matchAll(/bad\d*/g)].map(([word]): LintProblem => problem(file, word));
          return Promise.resolve(found);
        };
        const deps = { ...workspace.deps, lints: { problems, newProblems: problems } };
        const { edit } = editor({ ...workspace, deps });
        const worse = await edit("a.ts", {
          oldString: "a = 1",
          newString: "a = bad2",
          blocking: true,
          language: "flow",
        });
        expect(worse["linterErrors"]).toEqual([
          {
            message: "bad2",
            range: { startPosition: { line: 1, column: 1 }, endPosition: { line: 1, column: 2 } },
            source: "test",
            severity: "DIAGNOSTIC_SEVERITY_ERROR",
          },
        ]);
        expect(languages).toEqual(["flow", "flow"]);
        const solved = await edit("a.ts", { oldString: "bad2", newString: "2", shouldEagerlyProcessLints: true });
        expect(solved).toMatchObject({
          linterErrors: [],
          shouldEagerlyProcessLints: true,
          wereAllNewLinterErrorsResolvedByThisEdit: true,
        });
        fixesOnSave = true;
        const undone = await edit("a.ts", { oldString: "let a", newString: "let later", blocking: true });
        expect(undone).toMatchObject({ isApplied: false, diffBecameNoOpDueToOnSaveFixes: true });
        const quiet = await edit("a.ts", { oldString: "bad()", newString: "bad9()" });
        expect(quiet["linterErrors"]).toEqual([]);
      }),
  );

  verifies(
    [
      "tools:edit-file:params:instructions",
      "tools:edit-file:result:rejected",
      "tools:edit-file:result:human-review",
      "tools:edit-file:result:human-feedback",
      "tools:edit-file:result:human-review-v2",
      "tools:edit-file:result:is-subagent-edit",
    ],
    "shows the person the change and what it is for, and the caller what they said",
    () =>
      withWorkspace({ "a.ts": "one\n" }, async (workspace) => {
        const { tool } = editor(workspace);
        const args = { relativeWorkspacePath: "a.ts", oldString: "one", newString: "two", instructions: "count on" };
        const context = {
          teamId: "team",
          session: { id: "child", workspaceRoot: "", mode: "agent", parentId: "session" },
          toolCallId: "call",
          signal: new AbortController().signal,
          earlierResults: () => Promise.resolve([]),
        } as const;
        const facts = await tool.inspect(args, context);
        expect(facts).toMatchObject({ paths: ["a.ts"], risk: "medium", notes: ["what it is for: count on"] });
        expect(facts.diff).toContain("-one\n+two");
        const end = await tool.run(args, context).next();
        expect(end.value).toMatchObject({ kind: "succeeded", result: { isSubagentEdit: true, isApplied: true } });
        const review = { selectedOption: "skip", feedbackText: "no", submitFeedbackAsNewMessage: true, bubbleId: "b" };
        expect(showReview(tool.result, tool.refuse(args, "no"), { review, isAccepted: false })).toEqual({
          rejected: true,
          humanReviewV2: review,
          humanFeedback: review,
          humanReview: { isEditAccepted: false, textResult: "no", stopAndGetNewUserInput: true },
        });
      }),
  );

  verifies(
    ["tools:edit-file:quality:codex-cases", "tools:workspace:paths:symlink-out", "tools:workspace:paths:real-paths"],
    "applies a patch of several files, all of it or nothing, and never outside the workspace",
    () =>
      withWorkspace({ "a.txt": "one\ntwo\n", "b.txt": "gone\n", "c.txt": "x\nx\n" }, async (workspace) => {
        const { edit, read } = editor(workspace);
        const patch = (...lines: string[]) =>
          edit("a.txt", { contents: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") });
        const good = ["*** Update File: a.txt", "*** Move to: sub/a.txt", "@@", " one", "-two", "+2"];
        const bad = ["*** Update File: c.txt", "@@", "-x", "+y"];
        await expect(patch(...good, "*** Delete File: b.txt", ...bad)).rejects.toThrow(/c\.txt was not changed/);
        expect([read("a.txt"), read("b.txt")]).toEqual(["one\ntwo\n", "gone\n"]);
        const reply = await patch(...good, "*** Delete File: b.txt", "*** Add File: d.txt", "+new");
        expect(reply).toMatchObject({ isApplied: true, diff: { chunks: [{ linesRemoved: 2 }] } });
        expect([read("sub/a.txt"), read("d.txt")]).toEqual(["one\n2\n", "new\n"]);
        expect(["a.txt", "b.txt"].map((name) => existsSync(path.join(workspace.root, name)))).toEqual([false, false]);
        symlinkSync("/etc", path.join(workspace.root, "out"));
        for (const name of ["out/made.txt", "../made.txt", `${workspace.root}x/made.txt`]) {
          await expect(edit(name, { contents: "x" })).rejects.toThrow(/outside the workspace/);
        }
        await expect(edit(".env", { contents: "x" })).rejects.toThrow(/kept from tools/);
        await expect(edit(".quarry-policy.json", { contents: "x" })).rejects.toThrow(/decides what tools may do/);
      }),
  );

  verifies("tools:edit-file:params:edit-category", "keeps the word of an edit in the audit log", () => {
    const now = new Date("2030-01-01T00:00:00Z");
    const call = { id: "call_1", createdAt: now, startedAt: now, allowedBy: "rule", state: "running" };
    const entryOf = (runArgs: JsonObject) =>
      endOf({ ...call, runArgs } as unknown as ToolCall, { kind: "cancelled" }, { now }).audit;
    expect(entryOf({ editCategory: "refactor" })).toMatchObject({ callId: "call_1", editCategory: "refactor" });
    expect(entryOf({})).not.toHaveProperty("editCategory");
  });

  verifies(
    ["tools:edit-file-v2:behaviour:stale-check", "tools:workspace:locks:per-path"],
    "refuses to write over what the session has not seen, and lets one writer at a time at a file",
    () =>
      withWorkspace({ "a.txt": "one\n", "n.txt": "top\n" }, async (workspace) => {
        const { edit, read, failure } = editor(workspace);
        await workspace.run(readFileV2Tool(workspace.deps), { targetFile: "a.txt" });
        writeFileSync(path.join(workspace.root, "a.txt"), "mine\n");
        expect((await failure("a.txt", { contents: "two\n" })).model).toMatch(/has changed since you read it/);
        expect(read("a.txt")).toBe("mine\n");
        await workspace.run(readFileV2Tool(workspace.deps), { targetFile: "a.txt" });
        expect((await edit("a.txt", { contents: "two\n" }))["isApplied"]).toBe(true);
        const lines = Array.from({ length: 12 }, (_, index) => `line ${index}`);
        await Promise.all(lines.map((line) => edit("n.txt", { oldString: "top\n", newString: `top\n${line}\n` })));
        expect(read("n.txt").trim().split("\n").sort()).toEqual(["top", ...lines].sort());
      }),
  );
});

function problem(absolute: string, message: string): LintProblem {
  const at = { startLine: 1, startColumn: 1, endLine: 1, endColumn: 2 };
  return { absolute, ...at, message, source: "test", severity: "error" };
}
