import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gunzip, gzip, gzipSync } from "node:zlib";
import { AppError } from "@quarry/base";
import type { BlobStore } from "@quarry/store";

/** Keeps pages' bytes by their hash, each once, compressed. */
export interface SnapshotStore {
  /**
   * Keeps the bytes and answers their id: the SHA-256, in hexadecimal. What is there already is not written again,
   * unless `get` has found it damaged.
   */
  readonly put: (bytes: Uint8Array) => Promise<string>;
  /** As `put`, also where the bytes seem to be there: they may be on their way out. */
  readonly rewrite: (bytes: Uint8Array) => Promise<string>;
  /**
   * The bytes of a snapshot, or undefined when there is none. Throws `internal` rather than hand out bytes that are
   * not those of the id: a quote must never be checked against something else.
   */
  readonly get: (id: string) => Promise<Uint8Array | undefined>;
  readonly delete: (id: string) => Promise<void>;
}

const compressAside = promisify(gzip);
const decompress = promisify(gunzip);
/** What is no longer than this is compressed at once: a fifth of a millisecond, where a thread costs more than the work. */
const SMALL_BYTES = 16_384;
const LEVEL = 6;

/** A snapshot store on a blob store. */
export function createSnapshotStore(blobs: BlobStore): SnapshotStore {
  /** Not deleted: what was read wrong once may be read right the next time, and nobody may have the bytes again. */
  const damagedIds = new Set<string>();
  const write = async (id: string, bytes: Uint8Array): Promise<void> => {
    await blobs.put(snapshotKey(id), await compress(bytes));
    damagedIds.delete(id);
  };
  const damaged = (id: string, cause?: unknown): AppError => {
    damagedIds.add(id);
    return new AppError("internal", `snapshot ${id} is damaged in the blob store; crawl its page again`, { cause });
  };
  return {
    put: async (bytes) => {
      const id = hashOf(bytes);
      if (damagedIds.has(id) || !(await blobs.has(snapshotKey(id)))) await write(id, bytes);
      return id;
    },
    rewrite: async (bytes) => {
      const id = hashOf(bytes);
      await write(id, bytes);
      return id;
    },
    get: async (id) => {
      const packed = await blobs.get(snapshotKey(id));
      if (packed === undefined) return undefined;
      const bytes = await decompress(packed).catch((cause: unknown) => {
        throw damaged(id, cause);
      });
      if (hashOf(bytes) !== id) throw damaged(id);
      return bytes;
    },
    delete: async (id) => {
      await blobs.delete(snapshotKey(id));
      damagedIds.delete(id);
    },
  };
}

async function compress(bytes: Uint8Array): Promise<Uint8Array> {
  return bytes.byteLength <= SMALL_BYTES ? gzipSync(bytes, { level: LEVEL }) : compressAside(bytes, { level: LEVEL });
}

function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Where snapshots lie in the blob store. */
export const SNAPSHOT_PREFIX = "snapshots";

/** The key of a snapshot's blob; spread over 256 folders, so that none grows too large to list. */
export function snapshotKey(id: string): string {
  if (!/^[0-9a-f]{64}$/.test(id)) throw new AppError("invalid_request", `not a snapshot id: ${JSON.stringify(id)}`);
  return `${SNAPSHOT_PREFIX}/${id.slice(0, 2)}/${id}.gz`;
}

/** Whether `get` threw since the bytes are not those of their id, rather than since the blob store failed. */
export function isDamagedSnapshot(thrown: unknown): boolean {
  return thrown instanceof AppError && thrown.code === "internal";
}
