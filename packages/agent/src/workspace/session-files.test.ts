import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { withFullDisk } from "../testing-disk.ts";
import { createSessionFiles } from "./session-files.ts";

let directory = "";
beforeEach(() => (directory = mkdtempSync(path.join(tmpdir(), "quarry-session-files-"))));
afterEach(() => rmSync(directory, { recursive: true, force: true }));

it("remembers what a full disk refused, and writes it down with the next note", async () => {
  const files = createSessionFiles(directory);
  await files.note("s", "/a", { contentId: "a1" });
  await withFullDisk(() => files.note("s", "/a", { contentId: "a2" }));
  expect(await files.of("s", "/a")).toEqual({ contentId: "a2" });
  await files.note("s", "/b", { contentId: "b1" });
  const reopened = createSessionFiles(directory);
  expect([await reopened.of("s", "/a"), await reopened.of("s", "/b")]).toEqual([
    { contentId: "a2" },
    { contentId: "b1" },
  ]);
});

it("reads a session again that could not be read once", async () => {
  await createSessionFiles(directory).note("s", "/a", { contentId: "a1" });
  const [name = ""] = readdirSync(directory);
  const [file, aside] = [path.join(directory, name), path.join(directory, "aside")];
  renameSync(file, aside);
  mkdirSync(file);
  const files = createSessionFiles(directory);
  await expect(files.of("s", "/a")).rejects.toThrow("EISDIR");
  rmSync(file, { recursive: true });
  renameSync(aside, file);
  expect(await files.of("s", "/a")).toEqual({ contentId: "a1" });
});
