import { execFileSync } from "node:child_process";
import path from "node:path";
import type { JsonObject } from "@bufbuild/protobuf";
import { verifies } from "@quarry/tests";
import { describe, expect } from "vitest";
import { withWorkspace } from "../testing-workspace.ts";
import type { ToolContext } from "../tool.ts";
import { toToolError } from "../tool-error.ts";
import { workspaceTools } from "./workspace-tools.ts";

const context: ToolContext = {
  teamId: "team",
  session: { id: "session", workspaceRoot: "", mode: "agent" },
  toolCallId: "call",
  signal: new AbortController().signal,
  earlierResults: () => Promise.resolve([]),
};

/** Ways to look at what `.cursorignore` lists, by every tool that looks at files. */
const LOOKS: readonly (readonly [tool: string, args: JsonObject])[] = [
  ["read_file", { relativeWorkspacePath: "kept/plan.md" }],
  ["read_file_v2", { targetFile: "kept/plan.md" }],
  ["edit_file", { relativeWorkspacePath: "kept/plan.md", oldString: "TOPSECRET", newString: "" }],
  ["edit_file_v2", { relativeWorkspacePath: "kept/plan.md", contentsAfterEdit: "gone" }],
  ["delete_file", { relativeWorkspacePath: "kept/plan.md" }],
  ["ripgrep_search", { patternInfo: { pattern: "TOP" }, options: { disregardIgnoreFiles: true } }],
  ["ripgrep_raw_search", { pattern: "TOP" }],
  ["ripgrep_raw_search", { pattern: "TOP", path: "kept" }],
  ["glob_file_search", { globPattern: "**/*" }],
  ["file_search", { query: "plan" }],
  ["list_dir", { directoryPath: "kept" }],
  ["list_dir_v2", {}],
];

describe("the tools of a workspace", () => {
  verifies(
    "tools:workspace:ignore:every-tool",
    "show and change nothing that an ignore file keeps from them",
    () =>
      withWorkspace(
        { "kept/plan.md": "TOPSECRET", ".cursorignore": "kept/\n", "a.md": "open" },
        async ({ root, deps }) => {
          const tools = workspaceTools(deps);
          const said = async (name: string, args: JsonObject): Promise<string> => {
            const tool = tools.find((each) => each.name === name);
            if (tool === undefined) throw new Error(`there is no tool ${name}`);
            try {
              await tool.inspect(args, context);
              const steps = tool.run(args, context);
              for (;;) {
                const step = await steps.next();
                if (step.done === true) return JSON.stringify(step.value);
              }
            } catch (error) {
              return toToolError(name, error).model;
            }
          };
          for (const [name, args] of LOOKS) {
            const answer = await said(name, args);
            expect([name, answer.includes("TOPSECRET"), answer.includes('plan.md"')]).toEqual([name, false, false]);
          }
          if ((await deps.terminals.sandbox()).kind !== "none") {
            expect(await said("run_terminal_command_v2", { command: "cat kept/plan.md; cat a.md" })).not.toContain(
              "TOPSECRET",
            );
          }
          expect(execFileSync("cat", [path.join(root, "kept/plan.md")], { encoding: "utf8" })).toBe("TOPSECRET");
          await deps.terminals.close();
        },
      ),
    60_000,
  );
});
