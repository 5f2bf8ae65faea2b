import { existsSync, lstatSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { verifies } from "@quarry/tests";
import { describe, expect } from "vitest";
import { withWorkspace } from "../../testing-workspace.ts";
import { undoChange } from "../../workspace/undo-changes.ts";
import { deleteFileTool } from "./delete-file.ts";

const SESSION = { id: "session", workspaceRoot: "", mode: "agent" } as const;

describe("delete_file", () => {
  verifies(
    [
      "tools:delete-file:params:relative-workspace-path",
      "tools:delete-file:result:file-deleted-successfully",
      "tools:delete-file:result:file-non-existent",
      "tools:delete-file:result:rejected",
      "tools:delete-file:behaviour:directory-refused",
      "tools:delete-file:behaviour:symlink",
      "policy:rules:protected-file",
    ],
    "deletes a file or a link alone, no directory, and nothing that decides what tools may do",
    () =>
      withWorkspace(
        { "a.txt": "a", "dir/b.txt": "b", ".quarry-policy.json": "{}", ".git/config": "" },
        async ({ root, deps, run }) => {
          const tool = deleteFileTool(deps);
          const at = (relativeWorkspacePath: string) => run(tool, { relativeWorkspacePath });
          symlinkSync(path.join(root, "a.txt"), path.join(root, "link"));
          expect(await at("link")).toEqual({ fileDeletedSuccessfully: true });
          expect(existsSync(path.join(root, "a.txt"))).toBe(true);
          expect(await at("a.txt")).toEqual({ fileDeletedSuccessfully: true });
          expect(existsSync(path.join(root, "a.txt"))).toBe(false);
          expect(await at("a.txt")).toEqual({ fileNonExistent: true });
          await expect(at("dir")).rejects.toThrow(/is a directory/);
          for (const guarded of [".quarry-policy.json", ".git/config"]) {
            await expect(at(guarded)).rejects.toThrow(/decides what tools may do/);
          }
          expect(tool.refuse({}, "no")).toEqual({ rejected: true });
        },
      ),
  );

  verifies("tools:delete-file:behaviour:undo", "can be taken back, unless the file was made anew since", () =>
    withWorkspace({ "a.txt": "a\r\n" }, async ({ root, deps, run }) => {
      const file = path.join(root, "a.txt");
      const { mode } = lstatSync(file);
      await run(deleteFileTool(deps), { relativeWorkspacePath: "a.txt" });
      const [change] = await deps.history.list("session");
      const undo = (of: { readonly id: string } | undefined) => undoChange(deps, SESSION, of?.id ?? "");
      expect((await undo(change)).kind).toBe("undone");
      expect([readFileSync(file, "utf8"), lstatSync(file).mode]).toEqual(["a\r\n", mode]);
      // Taking back is itself a change that can be taken back.
      const undone = (await deps.history.list("session"))[1];
      expect((await undo(undone)).kind).toBe("undone");
      expect(existsSync(file)).toBe(false);
      writeFileSync(file, "mine");
      expect((await undo(change)).kind).toBe("changed-since");
      expect(readFileSync(file, "utf8")).toBe("mine");
    }),
  );
});
