import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { verifies } from "@quarry/tests";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { BlobStore } from "./blob-store.ts";
import { createDirectoryBlobStore } from "./directory-blob-store.ts";

let directory = "";
let blobs: BlobStore;
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), "quarry-blobs-"));
  blobs = createDirectoryBlobStore(directory);
});
afterEach(() => rmSync(directory, { recursive: true }));

async function keysBelow(prefix: string): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const key of blobs.list(prefix)) keys.push(key);
  return keys.sort();
}

describe("createDirectoryBlobStore", () => {
  verifies("store:blobs:put-and-get", "keeps, replaces, lists and forgets", async () => {
    await blobs.put("a/b/one", Buffer.from("1"));
    await blobs.put("a/b/one", Buffer.from("1 again"));
    await blobs.put("a/two", new Uint8Array());
    expect(Buffer.from((await blobs.get("a/b/one")) ?? []).toString()).toBe("1 again");
    expect(await blobs.get("a/two")).toHaveLength(0);
    expect([await blobs.has("a/b/one"), await blobs.has("a/three"), await blobs.has("none")]).toEqual([
      true,
      false,
      false,
    ]);
    expect(await keysBelow("a")).toEqual(["a/b/one", "a/two"]);
    expect(await keysBelow("")).toEqual(["a/b/one", "a/two"]);
    await blobs.delete("a/b/one");
    await blobs.delete("a/b/one");
    expect(await blobs.get("a/b/one")).toBeUndefined();
    expect(await keysBelow("nowhere")).toEqual([]);
  });

  it("survives many writers of one key", async () => {
    await Promise.all(Array.from({ length: 50 }, (_, index) => blobs.put("same", Buffer.alloc(100_000, index))));
    const bytes = await blobs.get("same");
    expect(bytes).toHaveLength(100_000);
    expect(new Set(bytes).size).toBe(1);
    expect(await keysBelow("")).toEqual(["same"]);
  });

  it("does not list what a crash left half-written", async () => {
    writeFileSync(path.join(directory, "one.abc.draft"), "half");
    expect(await keysBelow("")).toEqual([]);
  });

  it.each(["", "/", "../up", "a/../b", "a//b", "A", "a b", ".", "a/.", "x.draft", "/etc/passwd"])(
    "refuses the key %j",
    async (key) => {
      await expect((async () => blobs.put(key, Buffer.from("x")))()).rejects.toThrow("not a blob key");
    },
  );
});
