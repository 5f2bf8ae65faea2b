import { verifies } from "@quarry/tests";
import { describe, expect } from "vitest";
import { withWorkspace } from "../../testing-workspace.ts";
import { listDirTool } from "./list-dir.ts";

describe("list_dir", () => {
  verifies(
    [
      "tools:list-dir:params:directory-path",
      "tools:list-dir:result:files",
      "tools:list-dir:result:directory-relative-workspace-path",
      "tools:list-dir:result:files-name",
      "tools:list-dir:result:files-is-directory",
      "tools:list-dir:result:files-size",
      "tools:list-dir:result:files-last-modified",
      "tools:list-dir:result:files-num-children",
      "tools:list-dir:result:files-num-lines",
    ],
    "lists directories first with what there is to know of each entry, and no secrets",
    () =>
      withWorkspace(
        { "src/z/a.ts": "1\n2\n", "src/b.ts": "1\n2\n3", "src/data.bin": Buffer.from([0, 1]), "src/.env": "x" },
        async ({ deps, run }) => {
          const tool = listDirTool(deps);
          const at = expect.stringMatching(/^\d{4}-/) as unknown;
          expect(await run(tool, { directoryPath: "src" })).toEqual({
            directoryRelativeWorkspacePath: "src",
            files: [
              { name: "z", isDirectory: true, lastModified: at, numChildren: 1 },
              { name: "b.ts", isDirectory: false, lastModified: at, size: "5", numLines: 3 },
              { name: "data.bin", isDirectory: false, lastModified: at, size: "2" },
            ],
          });
          await expect(run(tool, { directoryPath: "src/b.ts" })).rejects.toThrow(/is a file/);
          await expect(run(tool, { directoryPath: "none" })).rejects.toThrow(/no directory/);
        },
      ),
  );
});
