import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { verifies } from "@quarry/tests";
import { expect, it } from "vitest";
import { createSnapshotStore } from "./snapshot-store.ts";
import { memoryBlobStore } from "./testing.ts";

const bytes = Buffer.from("<p>the page as it was read</p>".repeat(50));
const id = createHash("sha256").update(bytes).digest("hex");

verifies(
  ["snapshot:address:content-hash", "snapshot:storage:compressed", "snapshot:storage:deduplicated"],
  "keeps equal bytes once, compressed, under their hash",
  async () => {
    const blobs = new Map<string, Uint8Array>();
    const snapshots = createSnapshotStore(memoryBlobStore(blobs));
    expect(await Promise.all([snapshots.put(bytes), snapshots.put(bytes)])).toEqual([id, id]);
    expect(await snapshots.put(bytes)).toBe(id);
    expect([...blobs.keys()]).toEqual([`snapshots/${id.slice(0, 2)}/${id}.gz`]);
    expect([...blobs.values()][0]?.byteLength).toBeLessThan(bytes.byteLength / 5);
    expect(Buffer.from((await snapshots.get(id)) ?? [])).toEqual(bytes);
    await snapshots.delete(id);
    expect(await snapshots.get(id)).toBeUndefined();
  },
);

verifies(
  ["snapshot:read:integrity-checked", "durability:snapshot:integrity"],
  "reports a damaged blob and never hands it out",
  async () => {
    const blobs = new Map<string, Uint8Array>();
    const snapshots = createSnapshotStore(memoryBlobStore(blobs));
    await snapshots.put(bytes);
    const [[key, packed] = ["", new Uint8Array()]] = blobs;
    const flipped = Uint8Array.from(packed);
    flipped[20] = (flipped[20] ?? 0) ^ 1;
    for (const damage of [flipped, packed.subarray(0, 30), new Uint8Array(), gzipSync("another page")]) {
      blobs.set(key, damage);
      await expect(snapshots.get(id)).rejects.toMatchObject({
        code: "internal",
        message: `snapshot ${id} is damaged in the blob store; crawl its page again`,
      });
    }
  },
);

it("writes a blob anew that was found damaged, and no other", async () => {
  const blobs = new Map<string, Uint8Array>();
  const store = memoryBlobStore(blobs);
  const written: string[] = [];
  const snapshots = createSnapshotStore({
    ...store,
    put: (key, packed) => (written.push(key), store.put(key, packed)),
  });
  await snapshots.put(bytes);
  for (const key of blobs.keys()) blobs.set(key, Buffer.from("damaged"));
  await expect(snapshots.get(id)).rejects.toMatchObject({ code: "internal" });
  for (let time = 0; time < 2; time += 1) await snapshots.put(bytes);
  expect(Buffer.from((await snapshots.get(id)) ?? [])).toEqual(bytes);
  expect(written).toHaveLength(2);
});

it.each(["", "../../etc/passwd", id.toUpperCase(), `${id}0`])("refuses %j, which is no snapshot id", async (wrong) => {
  await expect(createSnapshotStore(memoryBlobStore()).get(wrong)).rejects.toMatchObject({ code: "invalid_request" });
});
