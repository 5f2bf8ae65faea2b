import { readFileSync } from "node:fs";
import path from "node:path";
import { verifies } from "@quarry/tests";
import { expect, it } from "vitest";
import { withWorkspace } from "../testing-workspace.ts";
import { editFileTool } from "../tools/edit-file/edit-file.ts";
import { readFileV2Tool } from "../tools/read-file-v2/read-file-v2.ts";
import { createPathLocks } from "./path-locks.ts";

it("does what was asked for first, first, also for several paths at once and after a failure", async () => {
  const locks = createPathLocks();
  const done: string[] = [];
  const work = (name: string) => async () => {
    await Promise.resolve();
    done.push(name);
    if (name === "bad") throw new Error("bad");
  };
  const all = [
    locks.hold(["a"], work("one")),
    locks.hold(["a", "b"], work("bad")),
    locks.hold(["b"], work("two")),
    locks.hold(["b", "a"], work("three")),
  ];
  await Promise.allSettled(all);
  expect(done).toEqual(["one", "bad", "two", "three"]);
});

verifies(
  "tools:workspace:parallel:reads-at-once",
  "reads go on while a writer works; writers wait for each other",
  () =>
    withWorkspace({ "a.txt": "top\n" }, async ({ root, deps, run }) => {
      const file = path.join(root, "a.txt");
      const read = () => run(readFileV2Tool(deps), { targetFile: "a.txt" });
      const add = (line: string) =>
        run(editFileTool(deps), { relativeWorkspacePath: "a.txt", oldString: "top\n", newString: `top\n${line}\n` });
      let release = (): void => undefined;
      const held = deps.locks.hold([file], () => new Promise<void>((resolve) => (release = resolve)));
      const writers = Promise.all(["one", "two", "three"].map(add));
      const seen = await Promise.all(Array.from({ length: 4 }, read)); // answered while nobody may write
      expect(seen.map(({ contents }) => contents)).toEqual(["top", "top", "top", "top"]);
      release();
      await Promise.all([held, writers]);
      expect(readFileSync(file, "utf8").trim().split("\n").sort()).toEqual(["one", "three", "top", "two"]);
    }),
);
