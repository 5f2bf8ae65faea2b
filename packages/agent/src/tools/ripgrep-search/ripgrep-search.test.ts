import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { JsonObject } from "@bufbuild/protobuf";
import { verifies } from "@quarry/tests";
import { describe, expect, vi } from "vitest";
import { withWorkspace, type TestWorkspace } from "../../testing-workspace.ts";
import { ripgrepSearchTool } from "./ripgrep-search.ts";

interface Found {
  readonly results: readonly { readonly resource: string; readonly results: readonly Result[] }[];
  readonly exit: string;
  readonly limitHit: boolean;
  readonly messages: readonly { readonly text: string; readonly type: string }[];
  readonly textSearchStats: unknown;
}

interface Result {
  readonly match?: {
    readonly uri: string;
    readonly previewText: string;
    readonly rangeLocations: readonly { readonly source: unknown; readonly preview: unknown }[];
    readonly cellFragment?: string;
    readonly webviewIndex?: number;
  };
  readonly context?: { readonly text: string; readonly lineNumber: number };
}

async function search({ deps, run }: TestWorkspace, patternInfo: JsonObject, options: JsonObject = {}): Promise<Found> {
  const found = await run(ripgrepSearchTool(deps), { patternInfo, options });
  return found["internal"] as unknown as Found;
}

/** The files with a match, relative to the root. */
async function filesWith(
  workspace: TestWorkspace,
  patternInfo: JsonObject,
  options: JsonObject = {},
): Promise<readonly string[]> {
  const { results } = await search(workspace, patternInfo, options);
  return results.map(({ resource }) => resource.slice(pathToFileURL(workspace.root).href.length + 1));
}

/** The lines that match, of one file. */
async function linesWith(
  workspace: TestWorkspace,
  patternInfo: JsonObject,
  options: JsonObject = {},
): Promise<readonly string[]> {
  const { results } = await search(workspace, patternInfo, options);
  return results.flatMap(({ results: found }) => found.flatMap(({ match }) => match?.previewText ?? []));
}

describe("ripgrep_search: what is searched for", () => {
  verifies(
    [
      "tools:ripgrep-search:params:pattern-info-pattern",
      "tools:ripgrep-search:params:pattern-info-is-reg-exp",
      "tools:ripgrep-search:params:pattern-info-is-word-match",
      "tools:ripgrep-search:params:pattern-info-word-separators",
      "tools:ripgrep-search:params:pattern-info-is-case-sensitive",
      "tools:ripgrep-search:params:pattern-info-pattern-was-escaped",
      "tools:ripgrep-search:params:pattern-info-is-unicode",
      "tools:ripgrep-search:params:pattern-info-is-multiline",
      "tools:ripgrep-search:params:options-is-smart-case",
    ],
    "takes text or expressions, words by their bounds, and case as asked",
    () =>
      withWorkspace(
        { "a.txt": "a.b\naXb\nfoo bar\nfoobar\nfoo-bar\nFoo\nÄpfel\nfirst\nsecond\n" },
        async (workspace) => {
          const lines = (patternInfo: JsonObject, options: JsonObject = {}): Promise<readonly string[]> =>
            linesWith(workspace, patternInfo, options);
          expect(await lines({ pattern: "a.b" })).toEqual(["a.b"]);
          expect(await lines({ pattern: "a.b", isRegExp: true })).toEqual(["a.b", "aXb"]);
          expect(await lines({ pattern: "a\\.b", patternWasEscaped: true })).toEqual(["a.b"]);
          expect(await lines({ pattern: "a\\.b" })).toEqual([]);
          expect(await lines({ pattern: "foo", isWordMatch: true })).toEqual(["foo bar", "foo-bar", "Foo"]);
          // Without the dash among the separators, foo-bar is one word.
          expect(await lines({ pattern: "foo", isWordMatch: true, wordSeparators: ".," })).toEqual(["foo bar", "Foo"]);
          expect(await lines({ pattern: "foo", isWordMatch: true, wordSeparators: "-" })).toHaveLength(3);
          expect(await lines({ pattern: "FOO", isCaseSensitive: true })).toEqual([]);
          expect(await lines({ pattern: "Foo" })).toHaveLength(4);
          expect(await lines({ pattern: "Foo" }, { isSmartCase: true })).toEqual(["Foo"]);
          expect(await lines({ pattern: "foo" }, { isSmartCase: true })).toHaveLength(4);
          expect(await lines({ pattern: "\\wpfel", isRegExp: true })).toEqual(["Äpfel"]);
          expect(await lines({ pattern: "\\wpfel", isRegExp: true, isUnicode: false })).toEqual([]);
          expect(await lines({ pattern: "first\\nsecond", isRegExp: true, isMultiline: true })).toEqual([
            "first\nsecond",
          ]);
          await expect(lines({ pattern: "first\\nsecond", isRegExp: true })).rejects.toThrow(/\\n/);
        },
      ),
  );

  verifies(
    "tools:ripgrep-search:behaviour:bad-regex",
    "says what is wrong with a pattern and how to search for it literally",
    () =>
      withWorkspace({ "a.txt": "f(x)\n" }, async (workspace) => {
        const bad = search(workspace, { pattern: "f(", isRegExp: true });
        await expect(bad).rejects.toThrow(/unclosed group[^]*leave isRegExp unset/);
        expect(await filesWith(workspace, { pattern: "f(" })).toEqual(["a.txt"]);
      }),
  );
});

describe("ripgrep_search: what comes back", () => {
  verifies(
    [
      "tools:ripgrep-search:result:internal-results",
      "tools:ripgrep-search:result:internal-exit",
      "tools:ripgrep-search:result:internal-limit-hit",
      "tools:ripgrep-search:result:internal-stats",
      "tools:ripgrep-search:params:options-surrounding-context",
      "tools:ripgrep-search:params:options-max-results",
      "tools:ripgrep-search:params:options-preview-options",
    ],
    "groups matches by file with ranges from 0, a preview, and context",
    () =>
      withWorkspace(
        { "a.txt": "zero\näö one one\ntwo\n", "b.txt": `${"x".repeat(300)}one${"y".repeat(300)}\n` },
        async (workspace) => {
          const { root } = workspace;
          const uri = pathToFileURL(path.join(root, "a.txt")).href;
          const only = { includePattern: { pattern: "a.txt" } };
          const range = (line: number, start: number, end: number): object => ({
            startLineNumber: line,
            startColumn: start,
            endLineNumber: line,
            endColumn: end,
          });
          expect(await search(workspace, { pattern: "one" }, { ...only, surroundingContext: 1 })).toEqual({
            results: [
              {
                resource: uri,
                results: [
                  { context: { uri, text: "zero", lineNumber: 1 } },
                  {
                    match: {
                      uri,
                      rangeLocations: [
                        { source: range(1, 3, 6), preview: range(0, 3, 6) },
                        { source: range(1, 7, 10), preview: range(0, 7, 10) },
                      ],
                      previewText: "äö one one",
                    },
                  },
                  { context: { uri, text: "two", lineNumber: 3 } },
                ],
              },
            ],
            exit: "SEARCH_COMPLETION_EXIT_CODE_NORMAL",
            limitHit: false,
            messages: [],
            textSearchStats: { type: "TEXT_SEARCH_PROVIDER_TYPE_SEARCH_PROCESS" },
          });
          const limited = await search(workspace, { pattern: "e" }, { ...only, maxResults: 1 });
          expect([limited.limitHit, limited.results[0]?.results.length]).toEqual([true, 1]);
          expect((await search(workspace, { pattern: "e" }, { ...only, maxResults: 2 })).limitHit).toBe(false);

          const long = { includePattern: { pattern: "b.txt" }, previewOptions: { matchLines: 1, charsPerLine: 20 } };
          const [match] = (await search(workspace, { pattern: "one" }, long)).results[0]?.results ?? [];
          expect(match?.match).toMatchObject({
            previewText: `xxxxone${"y".repeat(13)}`.slice(0, 20),
            rangeLocations: [{ source: range(0, 300, 303), preview: range(0, 4, 7) }],
          });
          const spanning = { pattern: "zero\\n.*\\ntwo", isRegExp: true, isMultiline: true };
          const previewOptions = { matchLines: 2, charsPerLine: 100 };
          expect(await linesWith(workspace, spanning, { ...only, previewOptions })).toEqual(["zero\näö one one"]);
        },
      ),
  );

  verifies(
    [
      "tools:ripgrep-search:result:internal-messages",
      "tools:ripgrep-search:params:options-only-open-editors",
      "tools:ripgrep-search:params:options-only-file-scheme",
      "tools:ripgrep-search:params:options-extra-file-resources",
      "tools:ripgrep-search:params:options-reason",
    ],
    "tells what it could not do, and searches named files besides",
    () =>
      withWorkspace({ "a.txt": "one\n", "out/b.txt": "one\n", ".gitignore": "out/\n" }, async (workspace) => {
        const { root, deps } = workspace;
        const extraFileResources = { extraFileResources: [`file://${root}/out/b.txt`, "untitled:Untitled-1"] };
        expect(await filesWith(workspace, { pattern: "one" })).toEqual(["a.txt"]);
        expect(await filesWith(workspace, { pattern: "one" }, { extraFileResources })).toEqual(["a.txt", "out/b.txt"]);
        const said = async (options: JsonObject): Promise<readonly string[]> =>
          (await search(workspace, { pattern: "one" }, options)).messages.map(({ text }) => text);
        expect(await said({ extraFileResources })).toEqual([
          "untitled:Untitled-1 is no file on disk and was not searched",
        ]);
        expect(await said({ extraFileResources, onlyFileScheme: true })).toEqual([]);
        expect(await said({ onlyOpenEditors: true })).toEqual([
          "there are no open editors here, so the whole workspace was searched",
        ]);
        expect(await filesWith(workspace, { pattern: "one" }, { onlyOpenEditors: true })).toEqual(["a.txt"]);
        symlinkSync(path.join(root, "missing.txt"), path.join(root, "broken"));
        const followed = await search(workspace, { pattern: "one" }, { ignoreSymlinks: false });
        expect(followed.messages).toEqual([
          { text: expect.stringContaining("broken") as string, type: "TEXT_SEARCH_COMPLETE_MESSAGE_TYPE_WARNING" },
        ]);
        const args = { patternInfo: { pattern: "one" }, options: { reason: "find the caller" } };
        const context = { session: { id: "s", workspaceRoot: "", mode: "agent" } } as never;
        expect((await ripgrepSearchTool(deps).inspect(args, context)).notes).toEqual(["reason: find the caller"]);
      }),
  );
});

describe("ripgrep_search: where it searches", () => {
  verifies(
    [
      "tools:ripgrep-search:params:options-include-pattern",
      "tools:ripgrep-search:params:options-exclude-pattern",
      "tools:ripgrep-search:params:options-expand-patterns",
      "tools:ripgrep-search:params:options-max-file-size",
      "tools:ripgrep-search:params:options-file-encoding",
    ],
    "keeps to patterns, sizes and encodings",
    () => {
      const files = {
        "a.ts": "one",
        "src/a.ts": "one",
        "src/deep/b.ts": "one",
        "lib/src/c.js": "one",
        "big.ts": `one${"x".repeat(500)}`,
        "utf16.txt": Buffer.from("drei", "utf16le"),
      };
      return withWorkspace(files, async (workspace) => {
        const found = (options: JsonObject, pattern = "one"): Promise<readonly string[]> =>
          filesWith(workspace, { pattern }, options);
        expect(await found({ includePattern: { pattern: "src/*.ts" } })).toEqual(["src/a.ts"]);
        expect(await found({ includePattern: { patterns: ["a.ts", "src/**"] } })).toEqual([
          "a.ts",
          "src/a.ts",
          "src/deep/b.ts",
        ]);
        const src = { includePattern: { pattern: "src" } };
        expect(await found(src)).toEqual([]);
        expect(await found({ ...src, expandPatterns: true })).toEqual(["lib/src/c.js", "src/a.ts", "src/deep/b.ts"]);
        const without = (pattern: JsonObject): JsonObject => ({ excludePattern: { excludePattern: [pattern] } });
        expect(await found({ ...without({ pattern: { pattern: "*.ts" } }), expandPatterns: true })).toEqual([
          "lib/src/c.js",
        ]);
        expect(await found(without({ uri: `file://${workspace.root}/src`, pattern: { pattern: "*.ts" } }))).toEqual([
          "a.ts",
          "big.ts",
          "lib/src/c.js",
          "src/deep/b.ts",
        ]);
        expect(await found({ maxFileSize: 100, includePattern: { pattern: "*.ts" } })).toEqual(["a.ts"]);
        expect(await found({}, "drei")).toEqual([]);
        expect(await found({ fileEncoding: "utf16le" }, "drei")).toEqual(["utf16.txt"]);
      });
    },
  );

  verifies(
    [
      "tools:ripgrep-search:params:options-disregard-ignore-files",
      "tools:ripgrep-search:params:options-disregard-global-ignore-files",
      "tools:ripgrep-search:params:options-disregard-parent-ignore-files",
      "tools:ripgrep-search:params:options-disregard-exclude-settings",
      "tools:ripgrep-search:params:options-disregard-search-exclude-settings",
      "tools:ripgrep-search:params:options-ignore-symlinks",
    ],
    "obeys ignore files and settings until told not to, and never shows what is kept from tools",
    () => {
      const files = {
        "a.txt": "one",
        "own.txt": "one",
        "global.txt": "one",
        "parent.txt": "one",
        "hidden.txt": "one",
        "excluded.txt": "one",
        "unsearched.txt": "one",
        ".gitignore": "own.txt\n",
        ".cursorignore": "hidden.txt\n",
        ".env": "one",
        ".vscode/settings.json":
          '{ // ours\n "files.exclude": {"excluded.txt": true}, "search.exclude": {"unsearched.txt": true,}\n}',
      };
      return withWorkspace(files, async (workspace) => {
        const { root } = workspace;
        const directory = path.dirname(root);
        mkdirSync(path.join(directory, "config", "git"), { recursive: true });
        writeFileSync(path.join(directory, "config", "git", "ignore"), "global.txt\n");
        writeFileSync(path.join(directory, ".gitignore"), "parent.txt\n");
        vi.stubEnv("XDG_CONFIG_HOME", path.join(directory, "config"));
        vi.stubEnv("HOME", directory);
        writeFileSync(path.join(directory, "outside.txt"), "one");
        symlinkSync(path.join(directory, "outside.txt"), path.join(root, "leaves.txt"));
        mkdirSync(path.join(root, "kept"));
        symlinkSync(path.join(root, "a.txt"), path.join(root, "kept", "link.txt"));
        try {
          const found = (options: JsonObject): Promise<readonly string[]> =>
            filesWith(workspace, { pattern: "one" }, options);
          expect(await found({})).toEqual(["a.txt"]);
          expect(await found({ disregardGlobalIgnoreFiles: true })).toEqual(["a.txt", "global.txt"]);
          expect(await found({ disregardParentIgnoreFiles: true })).toEqual(["a.txt", "parent.txt"]);
          expect(await found({ disregardIgnoreFiles: true })).toEqual(["a.txt", "global.txt", "own.txt", "parent.txt"]);
          expect(await found({ disregardExcludeSettings: true })).toEqual(["a.txt", "excluded.txt"]);
          expect(await found({ disregardSearchExcludeSettings: true })).toEqual(["a.txt", "unsearched.txt"]);
          expect(await found({ ignoreSymlinks: true })).toEqual(["a.txt"]);
          expect(await found({ ignoreSymlinks: false })).toEqual(["a.txt", "kept/link.txt"]);
        } finally {
          vi.unstubAllEnvs();
        }
      });
    },
  );

  verifies(
    [
      "tools:ripgrep-search:params:options-notebook-search-config",
      "tools:ripgrep-search:params:pattern-info-notebook-info",
    ],
    "searches the parts of notebooks that are asked for",
    () => {
      const notebook = {
        cells: [
          { cell_type: "markdown", source: ["# A **needle** heading\n", "and [needle](https://x.example)"] },
          { cell_type: "code", source: "needle = 1\nprint(needle)", outputs: [{ text: ["a needle comes out\n"] }] },
        ],
      };
      return withWorkspace({ "n.ipynb": JSON.stringify(notebook) }, async (workspace) => {
        const found = async (config: JsonObject | undefined, info?: JsonObject): Promise<readonly unknown[]> => {
          const { results } = await search(
            workspace,
            { pattern: "needle", ...(info === undefined ? {} : { notebookInfo: info }) },
            config === undefined ? {} : { notebookSearchConfig: config },
          );
          const matches = results.flatMap((file) => file.results.flatMap(({ match }) => match ?? []));
          return matches.map(({ cellFragment, previewText }) => `${cellFragment ?? "raw"}: ${previewText}`).sort();
        };
        expect(await found(undefined)).toEqual([expect.stringMatching(/^raw: \{"cells"/)]);
        expect(await found({ includeCodeInput: true })).toEqual(["cell-1: needle = 1", "cell-1: print(needle)"]);
        expect(await found({ includeOutput: true })).toEqual(["cell-1: a needle comes out"]);
        expect(await found({ includeMarkupInput: true })).toEqual([
          "cell-0: # A **needle** heading",
          "cell-0: and [needle](https://x.example)",
        ]);
        expect(await found({ includeMarkupPreview: true })).toEqual(["cell-0: A needle heading", "cell-0: and needle"]);
        expect(await found(undefined, { isInNotebookCellOutput: true })).toEqual(["cell-1: a needle comes out"]);
        const both = { includeOutput: true, includeCodeInput: true };
        expect(await found(both, { isInNotebookCellOutput: true })).toEqual(["cell-1: a needle comes out"]);
      });
    },
  );
});
