import { randomBytes } from "node:crypto";
import * as fs from "node:fs";
import { access, mkdir, opendir, readFile, rename, rm } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { DRAFT_SUFFIX, requireBlobKey } from "./blob-key.ts";
import type { BlobStore } from "./blob-store.ts";

/** Files by their number: a bulk load writes a thousand a second, and a FileHandle each costs as much as the writing. */
const openFile = promisify(fs.open);
const writeFile = promisify(fs.writeFile);
const syncFile = promisify(fs.fdatasync);
const closeFile = promisify(fs.close);

/** A blob store in a directory of this machine: a file a blob, written aside, flushed to the disk, then renamed. */
export function createDirectoryBlobStore(directory: string): BlobStore {
  const made = new Set<string>();
  const fileOf = (key: string): string => path.join(directory, ...requireBlobKey(key).split("/"));
  return {
    put: async (key, bytes) => {
      const place = fileOf(key);
      const parent = path.dirname(place);
      if (!made.has(parent)) {
        await mkdir(parent, { recursive: true, mode: 0o700 });
        made.add(parent);
      }
      const draft = `${place}.${randomBytes(6).toString("hex")}${DRAFT_SUFFIX}`;
      try {
        const file = await openFile(draft, "wx", 0o600);
        try {
          await writeFile(file, bytes);
          await syncFile(file);
        } finally {
          await closeFile(file);
        }
        await rename(draft, place);
      } catch (error) {
        await rm(draft, { force: true }).catch(() => undefined); // the write's own error says more
        throw error;
      }
    },
    get: async (key) => {
      try {
        return await readFile(fileOf(key));
      } catch (error) {
        if (isAbsent(error)) return undefined;
        throw error;
      }
    },
    has: async (key) => {
      try {
        await access(fileOf(key));
        return true;
      } catch (error) {
        if (isAbsent(error)) return false;
        throw error;
      }
    },
    delete: (key) => rm(fileOf(key), { force: true }),
    list: async function* (prefix) {
      yield* listBelow(
        path.join(directory, ...prefix.split("/").filter((part) => part !== "")),
        prefix.replace(/\/$/, ""),
      );
    },
  };
}

async function* listBelow(folder: string, prefix: string): AsyncIterable<string> {
  let entries;
  try {
    entries = await opendir(folder);
  } catch (error) {
    if (isAbsent(error)) return;
    throw error;
  }
  for await (const entry of entries) {
    const key = prefix === "" ? entry.name : `${prefix}/${entry.name}`;
    if (entry.isDirectory()) yield* listBelow(path.join(folder, entry.name), key);
    else if (!entry.name.endsWith(DRAFT_SUFFIX)) yield key;
  }
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
