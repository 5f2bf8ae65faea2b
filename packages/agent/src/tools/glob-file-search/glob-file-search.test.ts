import { utimesSync } from "node:fs";
import path from "node:path";
import { verifies } from "@quarry/tests";
import { describe, expect } from "vitest";
import { withWorkspace } from "../../testing-workspace.ts";
import { globFileSearchTool } from "./glob-file-search.ts";

describe("glob_file_search", () => {
  verifies(
    [
      "tools:glob-file-search:params:target-directory",
      "tools:glob-file-search:params:glob-pattern",
      "tools:glob-file-search:result:directories",
      "tools:glob-file-search:result:directories-abs-path",
      "tools:glob-file-search:result:directories-files",
      "tools:glob-file-search:result:directories-total-files",
      "tools:glob-file-search:result:directories-ripgrep-truncated",
      "tools:glob-file-search:result:files-rel-path",
    ],
    "finds files at any depth, newest first, without what is ignored",
    () => {
      const many = Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`many/${index}.md`, ""]));
      const files = { "a.ts": "", "src/deep/b.ts": "", ".github/c.ts": "", "out/d.ts": "", "e.js": "", ...many };
      return withWorkspace({ ...files, ".gitignore": "out/\n" }, async ({ root, deps, run }) => {
        const tool = globFileSearchTool(deps);
        for (const [index, name] of ["a.ts", ".github/c.ts", "src/deep/b.ts"].entries()) {
          utimesSync(path.join(root, name), 1_000 + index, 1_000 + index);
        }
        expect(await run(tool, { globPattern: "*.ts" })).toEqual({
          directories: [
            {
              absPath: root,
              files: ["src/deep/b.ts", ".github/c.ts", "a.ts"].map((relPath) => ({ relPath })),
              totalFiles: 3,
              ripgrepTruncated: false,
            },
          ],
        });
        expect(await run(tool, { targetDirectory: "src", globPattern: "**/*.ts" })).toMatchObject({
          directories: [{ absPath: `${root}/src`, files: [{ relPath: "deep/b.ts" }] }],
        });
        const { directories } = await run(tool, { globPattern: "*.md" });
        expect(directories).toMatchObject([{ totalFiles: 201, ripgrepTruncated: true }]);
      });
    },
  );
});
