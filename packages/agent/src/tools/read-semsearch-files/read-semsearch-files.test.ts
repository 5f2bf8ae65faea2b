import { verifies } from "@quarry/tests";
import { describe, expect } from "vitest";
import { commitAll } from "../../testing-code.ts";
import { withWorkspace } from "../../testing-workspace.ts";
import { readSemsearchFilesTool } from "./read-semsearch-files.ts";

const FILES = {
  "a.ts": "one();\ntwo();\nthree();\n",
  "b.py": "pass\n",
  "big.txt": "x".repeat(1_100_000),
  ".env": "SECRET=1",
};
const block = (relativeWorkspacePath: string, start?: number, end?: number) => ({
  codeBlock: {
    relativeWorkspacePath,
    ...(start === undefined ? {} : { range: { startPosition: { line: start }, endPosition: { line: end ?? start } } }),
  },
  score: 0.25,
});

describe("read_semsearch_files", () => {
  verifies(
    [
      "tools:read-semsearch-files:params:repository-info",
      "tools:read-semsearch-files:params:code-results",
      "tools:read-semsearch-files:result:code-results",
      "tools:read-semsearch-files:result:all-files",
      "tools:read-semsearch-files:result:missing-files",
    ],
    "fills results with what the files say now, each file once, and names what it cannot show",
    () =>
      withWorkspace(FILES, async ({ deps, run }) => {
        const tool = readSemsearchFilesTool(deps);
        const result = await run(tool, {
          repositoryInfo: { repoName: "shop" },
          codeResults: [
            block("a.ts", 2, 9),
            block("a.ts", 1),
            block("b.py"),
            block("gone.ts"),
            block("big.txt"),
            block(".env"),
          ],
        });
        expect(result).toEqual({
          codeResults: [
            ["a.ts", 2, 3, "two();\nthree();", 9, 23],
            ["a.ts", 1, 1, "one();", 7, 23],
            ["b.py", 1, 1, "pass", 5, 5],
          ].map(([path, start, end, contents, column, length]) => ({
            codeBlock: {
              relativeWorkspacePath: path,
              range: { startPosition: { line: start, column: 1 }, endPosition: { line: end, column } },
              contents,
              fileContentsLength: length,
            },
            score: 0.25,
          })),
          allFiles: [
            { relativeWorkspacePath: "a.ts", contents: FILES["a.ts"] },
            { relativeWorkspacePath: "b.py", contents: FILES["b.py"] },
          ],
          missingFiles: [
            { relativeWorkspacePath: "gone.ts", missingReason: "MISSING_REASON_NOT_FOUND" },
            { relativeWorkspacePath: "big.txt", missingReason: "MISSING_REASON_TOO_LARGE" },
            { relativeWorkspacePath: ".env", missingReason: "MISSING_REASON_NOT_FOUND" },
          ],
        });
        await expect(run(tool, { codeResults: [block("../a.ts")] })).rejects.toThrow(/outside the workspace/);
      }),
  );

  verifies(
    [
      "tools:read-semsearch-files:params:query",
      "tools:read-semsearch-files:params:pr-references",
      "tools:read-semsearch-files:params:pr-search-on",
      "tools:read-semsearch-files:result:pr-results",
      "tools:read-semsearch-files:result:git-remote-url",
      "tools:read-semsearch-files:result:knowledge-results",
    ],
    "looks for knowledge and commits by the query, and fills pull requests by their number",
    () =>
      withWorkspace(
        { "a.ts": "one();\n", ".git/config": '[remote "origin"]\n\turl = git@git.example.org:shop.git\n' },
        async ({ root, deps, run }) => {
          const sha = commitAll(root, "Count to one (#7)");
          commitAll(root, "Water the plants");
          const tool = readSemsearchFilesTool(deps);
          expect(await run(tool, { prReferences: [{ prNumber: 7, score: 0.5 }, { prNumber: 8 }] })).toMatchObject({
            gitRemoteUrl: "git@git.example.org:shop.git",
            prResults: [{ sha, prNumber: 7, score: 0.5, title: "Count to one (#7)", changedFiles: ["a.ts"] }],
          });
          const found = await run(tool, { query: "watering plants", prSearchOn: true });
          expect(found["prResults"]).toMatchObject([{ title: "Water the plants" }]);
          expect(found["knowledgeResults"]).toEqual([{ title: "watering plants", knowledge: "twice a week" }]);
          expect(await run(tool, { query: "", prSearchOn: true })).not.toHaveProperty("prResults");
        },
        { code: { findKnowledge: ({ query }) => Promise.resolve([{ title: query, knowledge: "twice a week" }]) } },
      ),
  );

  verifies("tools:read-semsearch-files:result:pr-hydration-timed-out", "says when git did not answer in time", () =>
    withWorkspace(
      { "a.ts": "one();\n" },
      async ({ root, deps, run }) => {
        const sha = commitAll(root, "Count to one");
        const result = await run(readSemsearchFilesTool(deps), {
          prReferences: [{ sha }],
          codeResults: [block("a.ts")],
        });
        expect(result).toMatchObject({ prHydrationTimedOut: true, codeResults: [{}] });
      },
      { code: { gitTimeoutMs: 0 } },
    ),
  );
});
