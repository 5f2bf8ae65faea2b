import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { JsonObject } from "@bufbuild/protobuf";
import { verifies } from "@quarry/tests";
import { describe, expect } from "vitest";
import { withWorkspace, type TestWorkspace } from "../../testing-workspace.ts";
import type { Tool, ToolContext } from "../../tool.ts";
import { deleteFileTool } from "../delete-file/delete-file.ts";
import { editFileV2Tool } from "../edit-file-v2/edit-file-v2.ts";
import { applyAgentDiffTool } from "./apply-agent-diff.ts";

const BASE = "one\ntwo\nthree\nfour\nfive\n";
const FILES = Object.fromEntries(
  ["main", "copy"].flatMap((root) => [
    [`${root}/a.txt`, BASE],
    [`${root}/b.txt`, BASE],
    [`${root}/c.txt`, "gone\n"],
  ]),
);

/** A workspace and the copy that its sub-agent works in. */
function sides({ root, deps }: TestWorkspace) {
  const call = async (tool: Tool, args: JsonObject, session: Partial<ToolContext["session"]>): Promise<JsonObject> => {
    const context: ToolContext = {
      teamId: "team",
      session: { id: "parent", workspaceRoot: path.join(root, "main"), mode: "agent", ...session },
      toolCallId: "call",
      signal: new AbortController().signal,
      earlierResults: () => Promise.resolve([]),
    };
    const facts = await tool.inspect(args, context);
    const running = tool.run(args, context);
    for (;;) {
      const step = await running.next();
      if (step.done !== true) continue;
      if (step.value.kind !== "succeeded") throw new Error(step.value.error.model);
      return { ...step.value.result, facts: { ...facts } as unknown as JsonObject };
    }
  };
  const child = { id: "child", parentId: "parent", workspaceRoot: path.join(root, "copy") };
  return {
    main: (name: string) => path.join(root, "main", name),
    inCopy: (name: string, contentsAfterEdit: string) =>
      call(editFileV2Tool(deps), { relativeWorkspacePath: name, contentsAfterEdit }, child),
    deleteInCopy: (name: string) => call(deleteFileTool(deps), { relativeWorkspacePath: name }, child),
    apply: (agentId: string, session = {}) => call(applyAgentDiffTool(deps), { agentId }, session),
  };
}

describe("apply_agent_diff", () => {
  verifies(
    [
      "tools:apply-agent-diff:params:agent-id",
      "tools:apply-agent-diff:result:applied-changes",
      "tools:apply-agent-diff:behaviour:three-way",
    ],
    "merges what a sub-agent made, changed and deleted with what changed here meanwhile",
    () =>
      withWorkspace(FILES, async (workspace) => {
        const { main, inCopy, deleteInCopy, apply } = sides(workspace);
        mkdirSync(main("d"));
        await inCopy("a.txt", BASE.replace("one", "1"));
        await inCopy("a.txt", BASE.replace("one", "I"));
        await inCopy("new/n.txt", "new\n");
        await deleteInCopy("c.txt");
        writeFileSync(main("a.txt"), BASE.replace("five", "V"));
        const reply = await apply("child");
        expect(reply["facts"]).toMatchObject({ paths: ["a.txt", "new/n.txt", "c.txt"], notes: [] });
        expect(reply["success"]).toEqual({
          appliedChanges: [
            {
              path: "a.txt",
              changeType: "CHANGE_TYPE_MODIFIED",
              beforeContent: BASE.replace("five", "V"),
              afterContent: "I\ntwo\nthree\nfour\nV\n",
            },
            { path: "new/n.txt", changeType: "CHANGE_TYPE_CREATED", afterContent: "new\n" },
            { path: "c.txt", changeType: "CHANGE_TYPE_DELETED", beforeContent: "gone\n" },
          ],
        });
        expect([readFileSync(main("a.txt"), "utf8"), existsSync(main("c.txt"))]).toEqual([
          "I\ntwo\nthree\nfour\nV\n",
          false,
        ]);
        await expect(apply("nobody")).rejects.toThrow(/no sub-agent nobody/);
        await expect(apply("child", { id: "stranger" })).rejects.toThrow(/no sub-agent child/);
      }),
  );

  verifies(
    ["tools:apply-agent-diff:result:applied-changes-error", "tools:apply-agent-diff:result:error"],
    "writes nothing when one file conflicts, and says of each what became of it",
    () =>
      withWorkspace(FILES, async (workspace) => {
        const { main, inCopy, apply } = sides(workspace);
        await inCopy("a.txt", BASE.replace("one", "1"));
        await inCopy("b.txt", BASE.replace("two", "2"));
        writeFileSync(main("b.txt"), BASE.replace("two", "zwei"));
        const { error } = await apply("child");
        expect(error).toMatchObject({
          error: expect.stringContaining("nothing was written") as string,
          appliedChanges: [
            { path: "a.txt", error: "not written" },
            {
              path: "b.txt",
              error: "conflict: both sides changed what was line 2",
              messageForModel: expect.stringContaining("edit the file yourself") as string,
            },
          ],
        });
        expect([readFileSync(main("a.txt"), "utf8"), readFileSync(main("b.txt"), "utf8")]).toEqual([
          BASE,
          BASE.replace("two", "zwei"),
        ]);
      }),
  );
});
