import { ClientSideToolV2 } from "@quarry/contract";
import { describe, expect, it } from "vitest";
import type { ToolContext } from "../tool.ts";
import { textOf, workspaceTool, type WorkspaceToolSpec } from "./workspace-tool.ts";

const traits = {
  name: "delete_file",
  clientTool: ClientSideToolV2.DELETE_FILE,
  title: "A tool",
  description: "A tool.",
  tier: "write",
  messages: "DeleteFile",
  properties: {},
  required: [],
  pathsOf: () => [],
} as const;

const context: ToolContext = {
  teamId: "team",
  session: { id: "session", workspaceRoot: "", mode: "agent" },
  toolCallId: "call",
  signal: new AbortController().signal,
  earlierResults: () => Promise.resolve([]),
};

/** Everything that a tool says, and its end. */
async function everything(spec: WorkspaceToolSpec): Promise<readonly unknown[]> {
  const said: unknown[] = [];
  const steps = workspaceTool({ rootsOf: () => [] }, spec).run({ path: "a" }, context);
  for (;;) {
    const step = await steps.next();
    said.push(step.value);
    if (step.done === true) return said;
  }
}

describe("a tool that works on files", () => {
  it("shows what it says on its way when it streams, and its result at the end", async () => {
    const spec: WorkspaceToolSpec = {
      ...traits,
      async *stream(args) {
        yield { kind: "output", channel: "stdout", text: `at ${textOf(args, "path")}` };
        yield await Promise.resolve({ kind: "progress", message: "half", fraction: 0.5 });
        return { fileDeletedSuccessfully: true };
      },
    };
    expect(await everything(spec)).toEqual([
      { kind: "output", channel: "stdout", text: "at a" },
      { kind: "progress", message: "half", fraction: 0.5 },
      { kind: "succeeded", result: { fileDeletedSuccessfully: true } },
    ]);
  });

  it("says nothing on its way when it runs at once", async () => {
    const spec: WorkspaceToolSpec = { ...traits, run: () => Promise.resolve({ fileNonExistent: true }) };
    expect(await everything(spec)).toEqual([{ kind: "succeeded", result: { fileNonExistent: true } }]);
  });

  it("rejects with what a stream throws after it said something", async () => {
    const spec: WorkspaceToolSpec = {
      ...traits,
      async *stream() {
        yield await Promise.resolve({ kind: "output", channel: "stderr", text: "so far" });
        throw new Error("broke");
      },
    };
    await expect(everything(spec)).rejects.toThrow("broke");
  });
});
