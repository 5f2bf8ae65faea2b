import { chmodSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { JsonObject } from "@bufbuild/protobuf";
import { verifies } from "@quarry/tests";
import { describe, expect, it, vi } from "vitest";
import { withWorkspace, type TestWorkspace } from "../../testing-workspace.ts";
import { createRipgrep, MAX_AT_ONCE } from "../../workspace/ripgrep.ts";
import { resolvePath } from "../../workspace/resolve-path.ts";
import { findLines } from "./find-lines.ts";
import { ripgrepRawSearchTool } from "./ripgrep-raw-search.ts";
import { sortPaths } from "./sort-files.ts";

const FILES = {
  "a.ts": "const one = 1;\nconst two = 2;\nconst Three = 3;\n",
  "b.py": "one = 1\n",
  ".github/ci.yml": "one: 1\n",
  "out/built.ts": "const one = 1;\n",
  ".gitignore": "out/\n",
  ".env": "one=1\n",
  "long.txt": `${"x".repeat(600)} one\n`,
  "multi.txt": "begin\nend\n",
};

async function search({ root, deps, run }: TestWorkspace, args: JsonObject): Promise<JsonObject> {
  const { success } = (await run(ripgrepRawSearchTool(deps), args)) as { success: JsonObject };
  const results = success["workspaceResults"] as Record<string, JsonObject>;
  expect(Object.keys(results)).toEqual([root]);
  return results[root] ?? {};
}

describe("ripgrep_raw_search", () => {
  verifies(
    [
      "tools:ripgrep-raw-search:params:pattern",
      "tools:ripgrep-raw-search:params:path",
      "tools:ripgrep-raw-search:params:glob",
      "tools:ripgrep-raw-search:params:output-mode",
      "tools:ripgrep-raw-search:params:type",
      "tools:ripgrep-raw-search:params:ignore-globs",
      "tools:ripgrep-raw-search:params:case-insensitive",
      "tools:ripgrep-raw-search:params:multiline",
      "tools:ripgrep-raw-search:params:sort",
      "tools:ripgrep-raw-search:params:sort-ascending",
      "tools:ripgrep-raw-search:result:files",
      "tools:ripgrep-raw-search:result:files-with-meta",
      "tools:ripgrep-raw-search:result:count",
      "tools:ripgrep-raw-search:behaviour:hidden-files",
      "tools:ripgrep-raw-search:behaviour:ignore-files",
    ],
    "names and counts files, by path, glob and type, without what is ignored or secret",
    () =>
      withWorkspace(FILES, async (workspace) => {
        const names = async (args: JsonObject): Promise<unknown> => {
          const wish = { pattern: "one", outputMode: "files_with_matches", sort: "path", ...args };
          return ((await search(workspace, wish))["files"] as JsonObject)["files"];
        };
        expect(await names({})).toEqual([".github/ci.yml", "a.ts", "b.py", "long.txt"]);
        expect(await names({ sortAscending: false })).toEqual(["long.txt", "b.py", "a.ts", ".github/ci.yml"]);
        expect(await names({ glob: "*.py" })).toEqual(["b.py"]);
        expect(await names({ type: "ts" })).toEqual(["a.ts"]);
        expect(await names({ ignoreGlobs: ["*.txt", ".github/**"] })).toEqual(["a.ts", "b.py"]);
        expect(await names({ path: "out" })).toEqual(["out/built.ts"]);
        expect(await names({ pattern: "three" })).toEqual([]);
        expect(await names({ pattern: "three", caseInsensitive: true })).toEqual(["a.ts"]);
        expect(await names({ pattern: "begin.end", multiline: true })).toEqual(["multi.txt"]);
        expect(await search(workspace, { pattern: "const", outputMode: "count" })).toMatchObject({
          count: { counts: [{ file: "a.ts", count: 3 }], totalFiles: 1, totalMatches: 3, clientTruncated: false },
        });
        const { files } = await search(workspace, { pattern: "Three", outputMode: "files_with_matches" });
        expect(files).toMatchObject({ filesWithMeta: [{ file: "a.ts", isOutOfWorkspace: false, isDirty: false }] });
      }),
  );

  verifies(
    [
      "tools:ripgrep-raw-search:params:context-before",
      "tools:ripgrep-raw-search:params:context-after",
      "tools:ripgrep-raw-search:params:context",
      "tools:ripgrep-raw-search:params:head-limit",
      "tools:ripgrep-raw-search:params:offset",
      "tools:ripgrep-raw-search:result:content",
      "tools:ripgrep-raw-search:result:head-limit-applied",
      "tools:ripgrep-raw-search:result:offset-applied",
      "tools:ripgrep-raw-search:result:success-pattern",
      "tools:ripgrep-raw-search:result:success-path",
      "tools:ripgrep-raw-search:result:success-output-mode",
      "tools:ripgrep-raw-search:result:success-workspace-results",
      "tools:ripgrep-raw-search:behaviour:long-lines",
      "tools:ripgrep-raw-search:behaviour:no-match",
    ],
    "shows lines with their surroundings, page by page; no match is an empty success",
    () =>
      withWorkspace(FILES, async (workspace) => {
        const lines = async (args: JsonObject): Promise<unknown> => {
          const { content } = await search(workspace, { path: "a.ts", ...args });
          const matches = (content as { matches: { matches: JsonObject[] }[] }).matches;
          return matches.flatMap((file) =>
            file.matches.map(
              ({ lineNumber, isContextLine }) => `${Number(lineNumber)}${isContextLine === true ? "-" : ":"}`,
            ),
          );
        };
        expect(await lines({ pattern: "two" })).toEqual(["2:"]);
        expect(await lines({ pattern: "two", contextBefore: 1 })).toEqual(["1-", "2:"]);
        expect(await lines({ pattern: "two", contextAfter: 1 })).toEqual(["2:", "3-"]);
        expect(await lines({ pattern: "two", context: 1 })).toEqual(["1-", "2:", "3-"]);
        expect(await lines({ pattern: "const", headLimit: 2 })).toEqual(["1:", "2:"]);
        expect(await lines({ pattern: "const", headLimit: 2, offset: 2 })).toEqual(["3:"]);
        expect(await search(workspace, { pattern: "const", path: "a.ts", headLimit: 1, offset: 1 })).toMatchObject({
          content: { clientTruncated: true, headLimitApplied: 1, offsetApplied: 1, totalMatchedLines: 1 },
        });
        const { content } = await search(workspace, { pattern: "x{9}", path: "long.txt" });
        expect(content).toMatchObject({
          matches: [{ matches: [{ contentTruncated: true, content: "x".repeat(500) }] }],
        });
        const nothing = await workspace.run(ripgrepRawSearchTool(workspace.deps), { pattern: "nowhere at all" });
        expect(nothing).toMatchObject({
          success: {
            pattern: "nowhere at all",
            outputMode: "content",
            workspaceResults: { [workspace.root]: { content: { matches: [], totalLines: 0 } } },
          },
        });
      }),
  );

  verifies(
    ["tools:ripgrep-raw-search:params:seed-case-sensitive", "tools:ripgrep-raw-search:params:seed-max-results"],
    "takes the names of older notes",
    () =>
      withWorkspace(FILES, async (workspace) => {
        const older = await search(workspace, { pattern: "THREE", case_sensitive: false, max_results: 1 });
        expect(older).toMatchObject({ content: { matches: [{ file: "a.ts" }] } });
      }),
  );

  verifies(
    ["tools:ripgrep-raw-search:result:error", "tools:ripgrep-raw-search:result:success-active-editor-result"],
    "tells a bad pattern in the engine's words, and never a result of an editor that is not there",
    () =>
      withWorkspace(FILES, async ({ deps, run }) => {
        const tool = ripgrepRawSearchTool(deps);
        for (const args of [{ pattern: "(" }, { pattern: "(", outputMode: "count" }]) {
          expect(await run(tool, args)).toEqual({
            error: { error: expect.stringContaining("unclosed group") as string },
          });
        }
        expect(await run(tool, { pattern: "one", type: "nonsense" })).toMatchObject({
          error: { error: expect.stringContaining("unrecognized file type") as string },
        });
        const { success } = await run(tool, { pattern: "one" });
        expect(Object.keys(success as JsonObject).sort()).toEqual([
          "outputMode",
          "path",
          "pattern",
          "workspaceResults",
        ]);
        await expect(run(tool, { pattern: "one", path: "nowhere" })).rejects.toThrow(/no nowhere to search/);
      }),
  );

  it("pages through sorted files and lines without losing or repeating any", () => {
    const files = Object.fromEntries(
      Array.from({ length: 150 }, (_, index) => [`f${index}.txt`, "hit\nmiss\nhit\n".repeat((index % 3) + 1)]),
    );
    return withWorkspace(files, async (workspace) => {
      const shown = async (args: JsonObject): Promise<readonly string[]> => {
        const { content } = await search(workspace, { pattern: "hit", ...args });
        const matches = (content as { matches: { file: string; matches: { lineNumber: number }[] }[] }).matches;
        return matches.flatMap(({ file, matches: lines }) => lines.map(({ lineNumber }) => `${file}:${lineNumber}`));
      };
      const all = await shown({ headLimit: 2_000 });
      expect(all).toHaveLength(600);
      const names = all.map((place) => place.slice(0, place.indexOf(":")));
      expect(names).toEqual(names.toSorted());
      const pages = await Promise.all([0, 250, 500].map((offset) => shown({ headLimit: 250, offset })));
      expect(pages.flat()).toEqual(all);
    });
  });

  it("shows the same lines of a frequent word, whichever of two searches is first, and none that are hidden", () => {
    const name = (index: number): string => `${["b", "a-1", "a"][index % 3] ?? ""}/f${index}.txt`;
    const files = Object.fromEntries(Array.from({ length: 900 }, (_, index) => [name(index), "hit\n"]));
    return withWorkspace({ ...files, "a/.cursorignore": "f2.txt\n" }, async (workspace) => {
      const asked = { place: await resolvePath([workspace.root], "."), mode: "content", isNamed: false } as const;
      const search = { asked: { ...asked, args: { pattern: "hit" } }, wanted: 600, isFile: false };
      const signal = new AbortController().signal;
      const shown = Object.keys(files).filter((file) => file !== "a/f2.txt");
      const expected = sortPaths(shown).slice(0, 600);
      expect(expected.slice(0, 2)).toEqual(["a/f101.txt", "a/f104.txt"]);
      // Each search alone: the other one never comes to an end.
      for (const stuck of ["--files-with-matches", "--sort"]) {
        const ripgrep: typeof workspace.deps.ripgrep = async (options, onLine, within) => {
          const end = await workspace.deps.ripgrep(options, onLine, within);
          return options.args.includes(stuck) ? new Promise(() => undefined) : end;
        };
        const { lines } = await findLines({ ...workspace.deps, ripgrep }, search, signal);
        expect(lines.slice(0, 600).map(({ file }) => file)).toEqual(expected);
      }
    });
  });

  verifies(
    ["agent-protocol:parallel:ripgrep-five", "tools:ripgrep-raw-search:behaviour:timeout"],
    "runs five searches at once and no more; one that takes too long says to narrow it",
    () =>
      // A stand-in for ripgrep that says a line and lives until it is told to end.
      withWorkspace(
        { "stand-in": '#!/bin/sh\necho started\nwhile [ ! -e "$PWD/go" ]; do sleep 0.02; done\necho ended\n' },
        async ({ root }) => {
          const program = path.join(root, "stand-in");
          chmodSync(program, 0o755);
          const signal = new AbortController().signal;
          const ripgrep = createRipgrep({ program });
          let running = 0;
          let most = 0;
          const onLine = (line: string): boolean => {
            running += line === "started" ? 1 : -1;
            most = Math.max(most, running);
            return true;
          };
          const all = Array.from({ length: 8 }, () => ripgrep({ cwd: root, args: [] }, onLine, signal));
          await vi.waitFor(() => expect(running).toBe(MAX_AT_ONCE), 5_000);
          const slow = createRipgrep({ program, timeoutMs: 300 });
          await expect(slow({ cwd: root, args: [] }, () => true, signal)).rejects.toThrow(/narrower path/);
          writeFileSync(path.join(root, "go"), "");
          const ends = await Promise.all(all);
          expect([ends.length, running, most]).toEqual([8, 0, MAX_AT_ONCE]);
        },
      ),
  );
});
