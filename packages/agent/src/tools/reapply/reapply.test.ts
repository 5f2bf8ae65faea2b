import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { verifies } from "@quarry/tests";
import { describe, expect } from "vitest";
import { withWorkspace } from "../../testing-workspace.ts";
import { editFileTool } from "../edit-file/edit-file.ts";
import { reapplyTool } from "./reapply.ts";

describe("reapply", () => {
  verifies(
    [
      "tools:reapply:params:relative-workspace-path",
      "tools:reapply:result:diff",
      "tools:reapply:result:is-applied",
      "tools:reapply:result:apply-failed",
      "tools:reapply:result:linter-errors",
      "tools:reapply:result:rejected",
      "tools:reapply:behaviour:nothing-stored",
    ],
    "does the last edit of a file again with every fallback, and says when it does not fit",
    () =>
      withWorkspace({ "a.ts": "if (a) {\n\trun();\n}\n", "b.ts": "" }, async ({ root, deps: base, run }) => {
        const file = path.join(root, "a.ts");
        const bad = { absolute: file, startLine: 1, startColumn: 1, endLine: 1, endColumn: 1 };
        const newProblems = () =>
          Promise.resolve([{ ...bad, message: "m", source: "test", severity: "hint" as const }]);
        const deps = { ...base, lints: { newProblems } };
        const again = (name: string) => run(reapplyTool(deps), { relativeWorkspacePath: name });
        await expect(again("b.ts")).rejects.toThrow(/nothing to reapply/);
        const edit = {
          relativeWorkspacePath: "a.ts",
          oldString: "if (a) {\n  run();",
          newString: "if (a) {\n  stop();",
        };
        const strict = { ...edit, useWhitespaceInsensitiveFallback: false };
        await expect(run(editFileTool(deps), strict)).rejects.toThrow(/was not changed/);
        expect(await again("a.ts")).toMatchObject({
          isApplied: true,
          diff: { chunks: [{ linesAdded: 1, linesRemoved: 1 }] },
          linterErrors: [{ message: "m", severity: "DIAGNOSTIC_SEVERITY_HINT" }],
        });
        expect(readFileSync(file, "utf8")).toBe("if (a) {\n\tstop();\n}\n");
        writeFileSync(file, "all else\n");
        expect(await again("a.ts")).toEqual({ isApplied: false, applyFailed: true });
        expect([readFileSync(file, "utf8"), reapplyTool(deps).refuse({}, "no")]).toEqual([
          "all else\n",
          { rejected: true },
        ]);
      }),
  );
});
