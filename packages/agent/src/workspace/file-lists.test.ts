import { existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { withWorkspace } from "../testing-workspace.ts";
import { createFileLists } from "./file-lists.ts";
import type { Ripgrep } from "./ripgrep.ts";

const signal = new AbortController().signal;
const OLD = new Date(Date.now() - 3_600_000);

/** Makes everything look as if it had been there for an hour. */
function settle(root: string, names: readonly string[]): void {
  const rules = [".gitignore", ".cursorignore"].filter((name) => existsSync(path.join(root, name)));
  for (const name of [...names, ...rules, "."]) utimesSync(path.join(root, name), OLD, OLD);
}

describe("the lists of files", () => {
  it("are used again while nothing changed, and made anew for every change", () =>
    withWorkspace(
      { "a/one.ts": "", "b/two.ts": "", ".gitignore": "*.log\n", "left/out.log": "" },
      async ({ root, deps }) => {
        let walks = 0;
        const ripgrep: Ripgrep = (...given) => {
          walks += 1;
          return deps.ripgrep(...given);
        };
        const lists = createFileLists({ ripgrep, protectedPaths: deps.protectedPaths });
        const directories = ["a", "b", "left", "empty", "empty/below"];
        mkdirSync(path.join(root, "empty", "below"), { recursive: true });
        const listed = async (): Promise<readonly string[]> => [...(await lists.of(root, signal)).files].sort();
        const first = [".gitignore", "a/one.ts", "b/two.ts"];

        settle(root, directories);
        expect([await listed(), await listed(), walks]).toEqual([first, first, 1]);

        const changes: readonly (readonly [change: () => void, after: readonly string[]])[] = [
          [() => writeFileSync(path.join(root, "a/new.ts"), ""), [".gitignore", "a/new.ts", "a/one.ts", "b/two.ts"]],
          [() => rmSync(path.join(root, "a/new.ts")), first],
          [
            () => writeFileSync(path.join(root, "empty/below/deep.ts"), ""),
            [".gitignore", "a/one.ts", "b/two.ts", "empty/below/deep.ts"],
          ],
          [() => writeFileSync(path.join(root, ".gitignore"), "*.log\nempty/\n"), first],
          [() => writeFileSync(path.join(root, "left/in.ts"), ""), [...first, "left/in.ts"]],
          [
            () => writeFileSync(path.join(root, ".cursorignore"), "b/\n"),
            [".cursorignore", ".gitignore", "a/one.ts", "left/in.ts"],
          ],
        ];
        for (const [change, after] of changes) {
          change();
          expect(await listed()).toEqual(after);
          settle(root, directories);
          const before = walks;
          await listed(); // the times changed with it
          expect([await listed(), walks]).toEqual([after, before + 1]);
        }
      },
    ));

  it("are not trusted when something changed while they were made", () =>
    withWorkspace({ "a/one.ts": "" }, async ({ root, deps }) => {
      settle(root, ["a"]);
      const ripgrep: Ripgrep = async (...given) => {
        const end = await deps.ripgrep(...given);
        writeFileSync(path.join(root, "a", `${Date.now()}.ts`), "");
        return end;
      };
      const lists = createFileLists({ ripgrep, protectedPaths: deps.protectedPaths });
      await lists.of(root, signal);
      expect((await lists.of(root, signal)).files.length).toBeGreaterThan(1);
    }));
});
