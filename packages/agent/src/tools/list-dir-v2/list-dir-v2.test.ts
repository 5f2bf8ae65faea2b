import { mkdirSync } from "node:fs";
import path from "node:path";
import type { JsonObject } from "@bufbuild/protobuf";
import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import { withWorkspace } from "../../testing-workspace.ts";
import { textOf } from "../workspace-tool.ts";
import { chooseEntries, growTree, type ShownDirectory } from "./directory-tree.ts";
import { listDirV2Tool } from "./list-dir-v2.ts";

const FILES = {
  "README.md": "",
  "src/a.ts": "",
  "src/deep/b.ts": "",
  "src/deep/notes.md": "",
  "src/deep/LICENSE": "",
  "out/built.js": "",
  ".gitignore": "out/\n",
  ".env": "SECRET=1",
  "terminals/1.txt": [
    "---",
    "pid: 7",
    "cwd: /work",
    "command: npm test",
    "exit_code: 1",
    "started_at: 2026-11-16T00:00:00Z",
    "duration_ms: 250",
    "command: npm start",
    "---",
    "listening",
  ].join("\n"),
  "terminals/2.txt": "only text",
};

function find(node: JsonObject, name: string): JsonObject | undefined {
  if (path.basename(textOf(node, "absPath")) === name) return node;
  for (const child of node["childrenDirs"] as JsonObject[]) {
    const found = find(child, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

describe("list_dir_v2", () => {
  verifies(
    [
      "tools:list-dir-v2:params:target-directory",
      "tools:list-dir-v2:params:ignore-globs",
      "tools:list-dir-v2:params:depth",
      "tools:list-dir-v2:result:directory-tree-root",
      "tools:list-dir-v2:result:abs-path",
      "tools:list-dir-v2:result:children-dirs",
      "tools:list-dir-v2:result:children-files",
      "tools:list-dir-v2:result:children-were-processed",
      "tools:list-dir-v2:result:full-subtree-extension-counts",
      "tools:list-dir-v2:result:num-files",
      "tools:list-dir-v2:result:file-name",
    ],
    "shows a directory as a tree and counts what it leaves closed",
    () =>
      withWorkspace(FILES, async ({ root, deps, run }) => {
        const tool = listDirV2Tool(deps);
        mkdirSync(path.join(root, "empty"));
        expect(await run(tool, { targetDirectory: "src", ignoreGlobs: ["*.md"] })).toEqual({
          directoryTreeRoot: {
            absPath: `${root}/src`,
            childrenDirs: [
              {
                absPath: `${root}/src/deep`,
                childrenDirs: [],
                childrenFiles: [{ name: "LICENSE" }, { name: "b.ts" }],
                childrenWereProcessed: true,
                fullSubtreeExtensionCounts: {},
                numFiles: 2,
              },
            ],
            childrenFiles: [{ name: "a.ts" }],
            childrenWereProcessed: true,
            fullSubtreeExtensionCounts: {},
            numFiles: 3,
          },
        });
        const { directoryTreeRoot } = await run(tool, { depth: 1 });
        const tree = directoryTreeRoot as JsonObject;
        const names = (tree["childrenDirs"] as JsonObject[]).map((child) => path.basename(textOf(child, "absPath")));
        expect(names).toEqual(["empty", "src", "terminals"]);
        expect(tree["childrenFiles"]).toEqual([{ name: ".gitignore" }, { name: "README.md" }]);
        expect(find(tree, "src")).toEqual({
          absPath: `${root}/src`,
          childrenDirs: [],
          childrenFiles: [],
          childrenWereProcessed: false,
          fullSubtreeExtensionCounts: { ".ts": 2, ".md": 1, "(none)": 1 },
          numFiles: 4,
        });
      }),
  );

  verifies(
    ["tools:list-dir-v2:params:should-enrich-terminal-metadata", "tools:list-dir-v2:result:file-terminal-metadata"],
    "says of a terminal's transcript what ran there, when asked",
    () =>
      withWorkspace(FILES, async ({ deps, run }) => {
        const tool = listDirV2Tool(deps);
        const args = { targetDirectory: "terminals" };
        const plain = (await run(tool, args))["directoryTreeRoot"] as JsonObject;
        expect(plain["childrenFiles"]).toEqual([{ name: "1.txt" }, { name: "2.txt" }]);
        const rich = await run(tool, { ...args, shouldEnrichTerminalMetadata: true });
        expect((rich["directoryTreeRoot"] as JsonObject)["childrenFiles"]).toEqual([
          {
            name: "1.txt",
            terminalMetadata: {
              cwd: "/work",
              lastCommands: [
                {
                  command: "npm test",
                  exitCode: 1,
                  durationMs: "250",
                  timestampMs: String(Date.parse("2026-11-16T00:00:00Z")),
                },
              ],
              currentCommand: { command: "npm start" },
              lastModifiedMs: expect.stringMatching(/^\d+$/) as string,
            },
          },
          { name: "2.txt" },
        ]);
      }),
  );

  verifies("tools:list-dir-v2:behaviour:budget", "opens what fits, level by level", () => {
    const many = (name: string, count: number): readonly string[] =>
      Array.from({ length: count }, (_, index) => `${name}/f${index}.ts`);
    const tree = growTree(["top.md", ...many("a", 9), ...many("b", 3), ...many("b/c", 2)]);
    const shape = (node: ShownDirectory): string =>
      `${node.relative}${node.isOpen ? "" : "?"}(${[...node.directories.map(shape), ...node.files].join(" ")})`;
    // Three names at the top; nine in `a` do not fit in the seven left, four in `b` do, then two in `b/c`.
    expect(shape(chooseEntries(tree, { budget: 10, depth: 9 }))).toBe(
      "(a?() b(b/c(f0.ts f1.ts) f0.ts f1.ts f2.ts) top.md)",
    );
    expect(chooseEntries(tree, { budget: 10, depth: 9 }).directories[0]?.extensions).toEqual({ ".ts": 9 });
    expect(shape(chooseEntries(growTree(many("", 5).map((file) => file.slice(1))), { budget: 3, depth: 9 }))).toBe(
      "?(f0.ts f1.ts f2.ts)",
    );
  });

  it("refuses a file and a missing directory, and has its twin in agent.v1", () =>
    withWorkspace(FILES, async ({ root, deps, run }) => {
      const tool = listDirV2Tool(deps);
      await expect(run(tool, { targetDirectory: "README.md" })).rejects.toThrow(/is a file/);
      await expect(run(tool, { targetDirectory: "nope" })).rejects.toThrow(/no directory nope/);
      const args = tool.fromAgentArgs?.({ path: "src", ignore: ["deep"] }) ?? {};
      const result = await run(tool, args);
      expect(tool.toAgentResult(args, { kind: "succeeded", result })).toMatchObject({
        success: { directoryTreeRoot: { absPath: `${root}/src`, childrenDirs: [], numFiles: 1 } },
      });
    }));
});
