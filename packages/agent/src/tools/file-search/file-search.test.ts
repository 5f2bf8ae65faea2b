import { verifies } from "@quarry/tests";
import { describe, expect } from "vitest";
import { withWorkspace } from "../../testing-workspace.ts";
import { fileSearchTool } from "./file-search.ts";

describe("file_search", () => {
  verifies(
    [
      "tools:file-search:params:query",
      "tools:file-search:result:files",
      "tools:file-search:result:files-uri",
      "tools:file-search:result:limit-hit",
      "tools:file-search:result:num-results",
    ],
    "finds paths by letters in order, best first, ten at most",
    () => {
      const many = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`notes/n${index}.md`, ""]));
      const files = { "src/components/Button.tsx": "", "src/core/subtotal.ts": "", ...many };
      return withWorkspace(files, async ({ deps, run }) => {
        const tool = fileSearchTool(deps);
        const found = await run(tool, { query: "srcbtn" });
        expect(found).toEqual({ files: [{ uri: "src/components/Button.tsx" }], limitHit: false, numResults: 1 });
        const all = await run(tool, { query: "notes" });
        expect(all).toMatchObject({ limitHit: true, numResults: 12 });
        expect(all["files"]).toHaveLength(10);
      });
    },
  );
});
