import { execFileSync } from "node:child_process";
import type { JsonObject } from "@bufbuild/protobuf";
import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import { withWorkspace } from "../../testing-workspace.ts";
import { readFileTool } from "./read-file.ts";

/** A program of 600 lines with a class at line 2, its method at line 3, and a function at line 590. */
const LONG = Array.from({ length: 600 }, (_, index) => {
  const [line = `  // line ${index + 1}`] = [
    { 1: "export class Store {", 2: "  open(name: string) {", 589: "function last() {" }[index],
  ].filter((text) => text !== undefined);
  return line;
}).join("\n");
const FILES = {
  "src/long.ts": LONG,
  "short.txt": "one\ntwo\nthree\nfour\nfive\n",
  ".cursor/rules/code.mdc": "---\ndescription: Code\nglobs: src/**\n---\nShort functions.\n",
};

describe("read_file", () => {
  verifies(
    [
      "tools:read-file:params:relative-workspace-path",
      "tools:read-file:params:start-line-one-indexed",
      "tools:read-file:params:end-line-one-indexed-inclusive",
      "tools:read-file:params:min-lines",
      "tools:read-file:result:contents",
      "tools:read-file:result:start-line-one-indexed",
      "tools:read-file:result:end-line-one-indexed-inclusive",
      "tools:read-file:result:relative-workspace-path",
      "tools:read-file:result:total-lines",
      "tools:read-file:result:read-full-file",
      "tools:read-file:behaviour:range-past-end",
    ],
    "reads a range, widens a short one, and says what it really read",
    () =>
      withWorkspace(FILES, async ({ deps, run }) => {
        const tool = readFileTool(deps);
        const shown = async (args: JsonObject): Promise<readonly unknown[]> => {
          const read = await run(tool, { relativeWorkspacePath: "./short.txt", ...args });
          expect(read).toMatchObject({ relativeWorkspacePath: "short.txt", totalLines: 5 });
          return [
            read["contents"],
            read["startLineOneIndexed"],
            read["endLineOneIndexedInclusive"],
            read["readFullFile"],
          ];
        };
        const range = (startLineOneIndexed: number, endLineOneIndexedInclusive: number): JsonObject => ({
          startLineOneIndexed,
          endLineOneIndexedInclusive,
        });
        expect(await shown(range(2, 3))).toEqual(["two\nthree", 2, 3, false]);
        expect(await shown({ startLineOneIndexed: 4 })).toEqual(["four\nfive", 4, 5, false]);
        expect(await shown({ endLineOneIndexedInclusive: 1 })).toEqual(["one", 1, 1, false]);
        expect(await shown({ ...range(2, 2), minLines: 3 })).toEqual(["two\nthree\nfour", 2, 4, false]);
        expect(await shown({ ...range(5, 5), minLines: 3 })).toEqual(["three\nfour\nfive", 3, 5, false]);
        expect(await shown(range(1, 5))).toEqual(["one\ntwo\nthree\nfour\nfive", 1, 5, true]);
        expect(await shown(range(4, 99))).toEqual(["four\nfive", 4, 5, false]);
        expect(await shown(range(50, 60))).toEqual(["", 6, 5, false]);
      }),
  );

  verifies(
    [
      "tools:read-file:params:read-entire-file",
      "tools:read-file:params:file-is-allowed-to-be-read-entirely",
      "tools:read-file:params:max-lines",
      "tools:read-file:params:max-chars",
      "tools:read-file:result:did-downgrade-to-line-range",
      "tools:read-file:result:did-shorten-line-range",
      "tools:read-file:result:did-set-default-line-range",
      "tools:read-file:result:did-shorten-char-range",
      "tools:read-file:result:full-file-contents",
    ],
    "reads a long file whole only where that is allowed, keeps every limit, and says which one cut",
    () =>
      withWorkspace(FILES, async ({ deps, run }) => {
        const tool = readFileTool(deps);
        const said = async (args: JsonObject): Promise<readonly unknown[]> => {
          const read = await run(tool, { relativeWorkspacePath: "src/long.ts", ...args });
          const flags = [
            "didDowngradeToLineRange",
            "didSetDefaultLineRange",
            "didShortenLineRange",
            "didShortenCharRange",
          ];
          return [
            ...flags.filter((flag) => read[flag] === true),
            read["endLineOneIndexedInclusive"],
            read["fullFileContents"],
          ];
        };
        const whole = { readEntireFile: true };
        const allowed = { ...whole, fileIsAllowedToBeReadEntirely: true };
        expect(await said({})).toEqual(["didSetDefaultLineRange", 250, undefined]);
        expect(await said(whole)).toEqual(["didDowngradeToLineRange", 250, undefined]);
        expect(await said(allowed)).toEqual([600, LONG]);
        expect(await said({ ...allowed, maxLines: 10 })).toEqual(["didShortenLineRange", 10, undefined]);
        expect(await said({ ...allowed, maxChars: 12 })).toEqual(["didShortenCharRange", 2, undefined]);
        expect(await said({ startLineOneIndexed: 1, endLineOneIndexedInclusive: 50, maxLines: 7 })).toEqual([
          "didShortenLineRange",
          7,
          undefined,
        ]);
        const short = await run(tool, { relativeWorkspacePath: "short.txt", ...whole });
        expect(short).toMatchObject({ fullFileContents: FILES["short.txt"], readFullFile: true });
        expect(short["didDowngradeToLineRange"]).toBe(false);
      }),
  );

  verifies(
    [
      "tools:read-file:result:outline",
      "tools:read-file:result:matching-cursor-rules",
      "tools:read-file:result:file-git-context",
    ],
    "shows where the rest stands: definitions with their lines, the rules, the last commits",
    () =>
      withWorkspace(FILES, async ({ root, deps, run }) => {
        const git = (...args: string[]): string =>
          execFileSync("git", ["-c", "user.name=Ada", "-c", "user.email=a@example.com", ...args], {
            cwd: root,
            encoding: "utf8",
          });
        git("init", "-q");
        git("add", "src");
        git("commit", "-q", "-m", "Keep a store\n\nThe body.");
        const tool = readFileTool(deps);
        const read = await run(tool, { relativeWorkspacePath: "src/long.ts" });
        expect(read["outline"]).toBe("     2|export class Store\n     3|  open(name: string)\n   590|function last()");
        expect(read["matchingCursorRules"]).toMatchObject([{ name: "code", body: "Short functions." }]);
        expect(read["fileGitContext"]).toEqual({
          commits: [
            {
              commit: git("rev-parse", "HEAD").trim(),
              author: "Ada",
              date: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string,
              message: "Keep a store",
            },
          ],
        });
        // A new commit is seen although the file was asked about before; a file that no commit has has none.
        git("commit", "-q", "--allow-empty", "-m", "Nothing");
        git("mv", "src/long.ts", "src/moved.ts");
        git("commit", "-q", "-m", "Move it");
        const moved = await run(tool, { relativeWorkspacePath: "src/moved.ts" });
        expect(moved["fileGitContext"]).toMatchObject({ commits: [{ message: "Move it" }] });
        expect((await run(tool, { relativeWorkspacePath: "short.txt" }))["fileGitContext"]).toBeUndefined();
      }),
  );

  it("sends images to the tool that shows them", () =>
    withWorkspace({ "a.gif": Buffer.from("R0lGODlhAQABAAAAACw=", "base64") }, async ({ deps, run }) => {
      await expect(run(readFileTool(deps), { relativeWorkspacePath: "a.gif" })).rejects.toThrow(/read_file_v2/);
    }));
});
