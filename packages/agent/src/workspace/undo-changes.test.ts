import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { JsonObject } from "@bufbuild/protobuf";
import { verifies } from "@quarry/tests";
import { describe, expect } from "vitest";
import { withWorkspace, type TestWorkspace } from "../testing-workspace.ts";
import type { Tool, ToolContext } from "../tool.ts";
import { deleteFileTool } from "../tools/delete-file/delete-file.ts";
import { editFileTool } from "../tools/edit-file/edit-file.ts";
import { editFileV2Tool } from "../tools/edit-file-v2/edit-file-v2.ts";
import { compareCheckpoint, listCheckpoints, restoreCheckpoint, undoChange } from "./undo-changes.ts";

const SESSION = { id: "session", workspaceRoot: "", mode: "agent" } as const;

/** Runs tools in turns, and shows all files. */
function turns({ root, deps }: TestWorkspace) {
  const call = async (tool: Tool, args: JsonObject, turnId: string): Promise<void> => {
    const context: ToolContext = {
      teamId: "team",
      session: SESSION,
      toolCallId: `${turnId}-call`,
      turnId,
      signal: new AbortController().signal,
      earlierResults: () => Promise.resolve([]),
    };
    const running = tool.run(args, context);
    for (;;) if ((await running.next()).done === true) return;
  };
  return {
    replace: (turn: string, name: string, oldString: string, newString: string) =>
      call(editFileTool(deps), { relativeWorkspacePath: name, oldString, newString }, turn),
    write: (turn: string, name: string, contentsAfterEdit: string) =>
      call(editFileV2Tool(deps), { relativeWorkspacePath: name, contentsAfterEdit }, turn),
    remove: (turn: string, name: string) => call(deleteFileTool(deps), { relativeWorkspacePath: name }, turn),
    undo: (id: string | undefined) => undoChange(deps, SESSION, id ?? ""),
    changes: () => deps.history.list("session"),
    put: (name: string, text: string) => writeFileSync(path.join(root, name), text),
    shown: (...names: string[]) =>
      names.map((name) => (existsSync(path.join(root, name)) ? readFileSync(path.join(root, name), "utf8") : null)),
  };
}

describe("taking changes back", () => {
  verifies(
    [
      "tools:undo:writes:every-write",
      "tools:undo:writes:created-file",
      "tools:undo:writes:undo-of-undo",
      "tools:undo:writes:changed-since",
    ],
    "undoes an edit, a creation and a deletion, an undo too, and nothing that someone else changed since",
    () =>
      withWorkspace({ "a.txt": "one\r\n", "b.txt": "b" }, async (workspace) => {
        const { replace, write, remove, undo, changes, put, shown } = turns(workspace);
        await replace("1", "a.txt", "one", "two");
        await write("2", "new/c.txt", "c");
        await remove("3", "b.txt");
        const [edited, created, deleted] = await changes();
        for (const change of [edited, created, deleted]) expect((await undo(change?.id)).kind).toBe("undone");
        expect(shown("a.txt", "new/c.txt", "b.txt")).toEqual(["one\r\n", null, "b"]);
        // Asked for again, there is nothing left to do.
        expect(await undo(edited?.id)).toEqual({ kind: "undone", changes: [] });
        const undone = (await changes()).find(({ undoes }) => undoes === created?.id);
        expect((await undo(undone?.id)).kind).toBe("undone");
        expect(shown("new/c.txt")).toEqual(["c"]);
        put("new/c.txt", "mine");
        expect(await undo(created?.id)).toMatchObject({ kind: "changed-since" });
        expect(shown("new/c.txt")).toEqual(["mine"]);
        await expect(undo("change_0")).rejects.toThrow(/there is no change/);
      }),
  );

  verifies(
    "tools:undo:checkpoints:list-diff-restore",
    "lists the turns, says what restoring one would change, restores all of it or nothing, and takes that back",
    () =>
      withWorkspace({ "a.txt": "0", "b.txt": "0" }, async (workspace) => {
        const { replace, write, remove, put, shown } = turns(workspace);
        const { deps, root } = workspace;
        const restore = (id: string | undefined) => restoreCheckpoint(deps, SESSION, id ?? "");
        await replace("one", "a.txt", "0", "1");
        await replace("two", "a.txt", "1", "2");
        await write("two", "c.txt", "2");
        await remove("three", "b.txt");
        const checkpoints = await listCheckpoints(deps, "session");
        expect(checkpoints.map(({ turnId, changes }) => [turnId, changes.length])).toEqual([
          ["one", 1],
          ["two", 2],
          ["three", 1],
        ]);
        const [, second] = checkpoints;
        const compared = await compareCheckpoint(deps, "session", second?.id ?? "");
        expect(compared.map(({ absolute, then, now }) => [path.relative(root, absolute), then.kind, now.kind])).toEqual(
          [
            ["a.txt", "file", "file"],
            ["c.txt", "nothing", "file"],
            ["b.txt", "file", "nothing"],
          ],
        );
        put("c.txt", "mine");
        expect(await restore(second?.id)).toEqual({ kind: "changed-since", files: [path.join(root, "c.txt")] });
        expect(shown("a.txt", "b.txt", "c.txt")).toEqual(["2", null, "mine"]);
        put("c.txt", "2");
        expect(await restore(second?.id)).toMatchObject({ kind: "undone", changes: [{}, {}, {}] });
        expect(shown("a.txt", "b.txt", "c.txt")).toEqual(["1", "0", null]);
        const restored = (await listCheckpoints(deps, "session")).at(-1);
        await restore(restored?.id);
        expect(shown("a.txt", "b.txt", "c.txt")).toEqual(["2", null, "2"]);
        await expect(restore("change_0")).rejects.toThrow(/there is no checkpoint/);
      }),
  );

  verifies("tools:workspace:paths:symlink-out", "puts nothing back through a directory that became a link", () =>
    withWorkspace({ "d/a.txt": "0" }, async (workspace) => {
      const { replace, undo, changes } = turns(workspace);
      const { root } = workspace;
      await replace("one", "d/a.txt", "0", "1");
      const outside = path.join(root, "../outside");
      mkdirSync(outside);
      renameSync(path.join(root, "d"), path.join(root, "e"));
      symlinkSync(outside, path.join(root, "d"));
      const [change] = await changes();
      await expect(undo(change?.id)).rejects.toThrow(/outside the workspace|lies elsewhere/);
      expect(existsSync(path.join(outside, "a.txt"))).toBe(false);
    }),
  );
});
