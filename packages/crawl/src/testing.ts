import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, it } from "vitest";

const REPOSITORY = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../..");

/**
 * Tests over a judged data set that is not part of the repository. `QUARRY_EVAL_DATA` says where the sets lie, by
 * default beside the repository; an absent one leaves a single skipped test that says so.
 */
export function describeData(name: string, run: (folder: string) => void): void {
  const root = process.env["QUARRY_EVAL_DATA"] ?? path.join(REPOSITORY, "../shared/data");
  const folder = path.join(root, name);
  if (!existsSync(folder)) {
    it.skip(`${name}: not found (set QUARRY_EVAL_DATA to the folder that holds it)`);
    return;
  }
  describe(name, () => run(folder));
}

/** Bytes as a stream gives them, in pieces of a size that splits whatever can be split. */
// eslint-disable-next-line @typescript-eslint/require-await -- a stream in memory has nothing to wait for
export async function* chunksOf(bytes: Uint8Array, chunkBytes: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.byteLength; start += chunkBytes) yield bytes.subarray(start, start + chunkBytes);
}

const TAR_BLOCK_BYTES = 512;

/** The plain files of a tar archive (ustar, as the data sets use), by name. */
export function filesOfTar(archive: Uint8Array): Map<string, Uint8Array> {
  const bytes = Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength);
  const textAt = (start: number, length: number): string =>
    bytes.toString("latin1", start, start + length).split("\0", 1)[0] ?? "";
  const files = new Map<string, Uint8Array>();
  for (let offset = 0; offset + TAR_BLOCK_BYTES <= bytes.byteLength && bytes[offset] !== 0;) {
    const size = Number.parseInt(textAt(offset + 124, 12).trim(), 8);
    const prefix = textAt(offset + 345, 155);
    const name = textAt(offset, 100);
    const start = offset + TAR_BLOCK_BYTES;
    if (["0", ""].includes(textAt(offset + 156, 1))) {
      files.set((prefix === "" ? name : `${prefix}/${name}`).replace(/^\.\//, ""), bytes.subarray(start, start + size));
    }
    offset = start + Math.ceil(size / TAR_BLOCK_BYTES) * TAR_BLOCK_BYTES;
  }
  return files;
}
