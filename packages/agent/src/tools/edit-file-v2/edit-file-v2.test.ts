import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { JsonObject } from "@bufbuild/protobuf";
import { verifies } from "@quarry/tests";
import { describe, expect } from "vitest";
import { showReview } from "../../show-review.ts";
import { withWorkspace, type TestWorkspace } from "../../testing-workspace.ts";
import type { ToolContext } from "../../tool.ts";
import type { LintProblem } from "../../workspace/lint-problem.ts";
import { createSessionFiles } from "../../workspace/session-files.ts";
import { contentIdOf } from "../../workspace/text-file.ts";
import { readFileV2Tool } from "../read-file-v2/read-file-v2.ts";
import { editFileV2Tool } from "./edit-file-v2.ts";

function writer({ root, deps, run }: TestWorkspace) {
  const tool = editFileV2Tool(deps);
  return {
    tool,
    write: (name: string, args: JsonObject) => run(tool, { relativeWorkspacePath: name, ...args }),
    read: (name: string) => readFileSync(path.join(root, name), "utf8"),
  };
}

const idOf = (text: string) => contentIdOf(Buffer.from(text));

describe("edit_file_v2", () => {
  verifies(
    [
      "tools:edit-file-v2:params:relative-workspace-path",
      "tools:edit-file-v2:params:contents-after-edit",
      "tools:edit-file-v2:params:waiting-for-file-contents",
      "tools:edit-file-v2:params:streaming-content",
      "tools:edit-file-v2:params:result-for-model",
      "tools:edit-file-v2:result:contents-before-edit",
      "tools:edit-file-v2:result:contents-after-edit",
      "tools:edit-file-v2:result:file-was-created",
      "tools:edit-file-v2:result:diff",
      "tools:edit-file-v2:result:eol-sequence",
      "tools:edit-file-v2:result:result-for-model",
      "tools:edit-file-v2:result:detected-language",
      "tools:edit-file-v2:result:before-content-id",
      "tools:edit-file-v2:result:after-content-id",
      "tools:edit-file-v2:behaviour:parents-created",
    ],
    "writes final contents with the file's line ends, and only shows what is still to come",
    () =>
      withWorkspace({ "a.py": "one\r\ntwo\r\n" }, async (workspace) => {
        const { write, read } = writer(workspace);
        const preview = await write("a.py", { streamingContent: "one\n", waitingForFileContents: true });
        expect(preview).toMatchObject({ contentsAfterEdit: "one\n", diff: { chunks: [{ linesRemoved: 1 }] } });
        expect([preview["resultForModel"], read("a.py")]).toEqual([
          expect.stringMatching(/^Not written yet/),
          "one\r\ntwo\r\n",
        ]);
        await expect(write("a.py", { streamingContent: "one\n" })).rejects.toThrow(/was not changed/);
        expect(await write("a.py", { contentsAfterEdit: "one\n2\n" })).toEqual({
          contentsBeforeEdit: "one\r\ntwo\r\n",
          contentsAfterEdit: "one\r\n2\r\n",
          beforeContentId: idOf("one\r\ntwo\r\n"),
          afterContentId: idOf("one\r\n2\r\n"),
          fileWasCreated: false,
          diff: {
            chunks: [
              {
                diffString: " one\n-two\n+2",
                oldStart: 1,
                newStart: 1,
                oldLines: 2,
                newLines: 2,
                linesRemoved: 1,
                linesAdded: 1,
              },
            ],
            editor: "EDITOR_AI",
          },
          linterErrors: [],
          sentBackLinterErrors: false,
          shouldAutoFixLints: false,
          eolSequence: "\r\n",
          detectedLanguage: "python",
          resultForModel:
            "Changed: a.py, 1 lines added and 1 removed.\n--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n one\n-two\n+2",
        });
        expect(read("a.py")).toBe("one\r\n2\r\n");
        const made = await write("x/y/b.txt", { contentsAfterEdit: "new\n", resultForModel: "it is done" });
        expect(made).toMatchObject({ fileWasCreated: true, resultForModel: "it is done", eolSequence: "\n" });
        expect([made["contentsBeforeEdit"], read("x/y/b.txt")]).toEqual([undefined, "new\n"]);
        await write("x/y/b.txt", { contentsAfterEdit: "" });
        expect(read("x/y/b.txt")).toBe("");
      }),
  );

  verifies(
    [
      "tools:edit-file-v2:params:text",
      "tools:edit-file-v2:params:code",
      "tools:edit-file-v2:params:no-codeblock",
      "tools:edit-file-v2:params:diff",
      "tools:edit-file-v2:params:cloud-agent-edit",
    ],
    "takes streamed text and code, and a diff, and keeps who made them",
    () =>
      withWorkspace({ "a.js": "f();\n\nfunction f() {\n  one();\n}\n\nfunction g() {}\n" }, async (workspace) => {
        const { tool, write, read } = writer(workspace);
        const fenced = "Here it is:\n```js\nlet a;\n```\nDone.\n";
        await write("b.js", { text: { text: fenced } });
        await write("c.md", { text: { text: fenced }, noCodeblock: true });
        expect([read("b.js"), read("c.md")]).toEqual(["let a;\n", fenced]);
        await write("a.js", {
          code: { code: "// ... existing code ...\n\nfunction f() {\n  two();\n}\n\n// ... existing code ...\n" },
        });
        expect(read("a.js")).toBe("f();\n\nfunction f() {\n  two();\n}\n\nfunction g() {}\n");
        const chunk = { diffString: " function f() {\n-  two();\n+  three();\n }", oldStart: 3 };
        const args = { relativeWorkspacePath: "a.js", diff: { chunks: [chunk] }, cloudAgentEdit: true };
        const facts = await tool.inspect(args, contextOf());
        expect([facts.notes, facts.diff]).toEqual([
          ["a remote agent made this edit"],
          expect.stringContaining("+  three();"),
        ]);
        await write("a.js", { diff: { chunks: [chunk] }, cloudAgentEdit: true });
        expect(read("a.js")).toContain("  three();");
        expect((await workspace.deps.history.list("session")).at(-1)?.editor).toBe("cloud-agent");
        await expect(write("a.js", { diff: { chunks: [chunk] } })).rejects.toThrow(/was not changed/);
      }),
  );

  verifies(
    [
      "tools:edit-file-v2:params:should-send-back-linter-errors",
      "tools:edit-file-v2:result:linter-errors",
      "tools:edit-file-v2:result:sent-back-linter-errors",
      "tools:edit-file-v2:result:should-auto-fix-lints",
    ],
    "sends back new problems when asked, after it has shown the change",
    () =>
      withWorkspace({ "a.ts": "ok\n" }, async (workspace) => {
        const file = path.join(workspace.root, "a.ts");
        const newProblems = () => {
          const isBad = readFileSync(file, "utf8").includes("bad");
          return Promise.resolve(isBad ? [problem(file, "bad word")] : []);
        };
        const { tool } = writer({ ...workspace, deps: { ...workspace.deps, lints: { newProblems } } });
        const args = { relativeWorkspacePath: "a.ts", contentsAfterEdit: "bad\n", shouldSendBackLinterErrors: true };
        const running = tool.run(args, contextOf());
        expect((await running.next()).value).toMatchObject({
          channel: "partial-result",
          text: expect.stringContaining("+bad") as string,
        });
        expect((await running.next()).value).toMatchObject({
          result: {
            linterErrors: [{ message: "bad word", severity: "DIAGNOSTIC_SEVERITY_WARNING" }],
            sentBackLinterErrors: true,
            shouldAutoFixLints: true,
            resultForModel: expect.stringContaining("New problems:\nline 1: warning: bad word (test)") as string,
          },
        });
      }),
  );

  verifies(
    [
      "tools:edit-file-v2:result:rejected",
      "tools:edit-file-v2:result:human-review-v2",
      "tools:edit-file-v2:behaviour:stale-check",
    ],
    "refuses what the session has not seen, also after a restart; agent.v1 has its own form",
    () =>
      withWorkspace({ "a.ts": "one\n" }, async (workspace) => {
        const { tool, write, read } = writer(workspace);
        await workspace.run(readFileV2Tool(workspace.deps), { targetFile: "a.ts" });
        await write("a.ts", { contentsAfterEdit: "two\n" }); // what it wrote itself it has seen
        writeFileSync(path.join(workspace.root, "a.ts"), "mine\n");
        const sessionFiles = createSessionFiles(path.join(workspace.root, "../history/sessions"));
        const restarted = writer({ ...workspace, deps: { ...workspace.deps, sessionFiles } });
        for (const each of [write, restarted.write]) {
          await expect(each("a.ts", { contentsAfterEdit: "three\n" })).rejects.toThrow(/was not changed/);
        }
        expect(read("a.ts")).toBe("mine\n");
        const outcome = { kind: "failed", error: { client: "short", model: "read it again" } } as const;
        expect(tool.toAgentResult({ relativeWorkspacePath: "a.ts" }, outcome)).toEqual({
          error: { path: "a.ts", error: "short", modelVisibleError: "read it again" },
        });
        expect(tool.fromAgentArgs?.({ path: "a.ts", streamContent: "x" })).toEqual({
          relativeWorkspacePath: "a.ts",
          code: { code: "x" },
        });
        const review = { selectedOption: "skip", feedbackText: "", submitFeedbackAsNewMessage: false, bubbleId: "" };
        const refused = showReview(tool.result, tool.refuse({}, "no"), { review, isAccepted: false });
        expect(refused).toEqual({ rejected: true, humanReviewV2: review });
      }),
  );
});

function contextOf(): ToolContext {
  return {
    teamId: "team",
    session: { id: "session", workspaceRoot: "", mode: "agent" },
    toolCallId: "call",
    signal: new AbortController().signal,
    earlierResults: () => Promise.resolve([]),
  };
}

function problem(absolute: string, message: string): LintProblem {
  const at = { startLine: 1, startColumn: 1, endLine: 1, endColumn: 2 };
  return { absolute, ...at, message, source: "test", severity: "warning", isFixable: true };
}
