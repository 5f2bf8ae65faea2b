import {
  dropOldUsage,
  dropOldVersions,
  dropUnusedTexts,
  findUnknownSnapshots,
  noteBlobsRemoved,
  queueBlobRemoval,
  takeBlobsToRemove,
  type BlobStore,
  type Database,
  type RetentionPolicy,
} from "@quarry/store";
import { SNAPSHOT_PREFIX, snapshotKey } from "../snapshot-store.ts";

/** What retention needs from outside. */
export interface RetentionDeps {
  readonly database: Database;
  readonly blobs: BlobStore;
  readonly policy: RetentionPolicy;
  readonly now: () => Date;
}

/** What a run took away. */
export interface RetentionReport {
  readonly versions: number;
  readonly texts: number;
  readonly snapshots: number;
  readonly blobs: number;
  readonly usageRecords: number;
}

const BLOBS_AT_ONCE = 50;
const IDS_AT_ONCE = 1_000;

/**
 * Applies the policy: old versions, then texts and snapshots that nothing refers to any more, then their bytes, and old
 * usage. Each step stands by itself, so a run that dies is finished by the next. Rejects when `signal` aborts.
 */
export async function runRetention(deps: RetentionDeps, signal: AbortSignal): Promise<RetentionReport> {
  const { database, policy } = deps;
  const when = { now: deps.now(), signal };
  const versions = await dropOldVersions(database, policy, when);
  const { texts, snapshots } = await dropUnusedTexts(database, snapshotKey, when);
  await queueOrphans(deps, signal);
  const blobs = await removeBlobs(deps, signal);
  const usageRecords = await dropOldUsage(database, policy, when);
  return { versions, texts, snapshots, blobs, usageRecords };
}

/** Bytes that a crash left between their writing and their rows. */
async function queueOrphans({ database, blobs, now }: RetentionDeps, signal: AbortSignal): Promise<void> {
  let ids: string[] = [];
  const flush = async (): Promise<void> => {
    const unknown = await findUnknownSnapshots(database, ids);
    ids = [];
    if (unknown.length > 0) await queueBlobRemoval(database, unknown.map(snapshotKey), now());
  };
  for await (const key of blobs.list(SNAPSHOT_PREFIX)) {
    signal.throwIfAborted();
    const id = /\/([0-9a-f]{64})\.gz$/.exec(key)?.[1];
    if (id !== undefined) ids.push(id);
    if (ids.length >= IDS_AT_ONCE) await flush();
  }
  await flush();
}

async function removeBlobs({ database, blobs, now }: RetentionDeps, signal: AbortSignal): Promise<number> {
  let removed = 0;
  for (;;) {
    signal.throwIfAborted();
    const keys = await takeBlobsToRemove(database, BLOBS_AT_ONCE, now());
    if (keys.length === 0) return removed;
    for (const key of keys) await blobs.delete(key);
    await noteBlobsRemoved(database, keys, now());
    removed += keys.length;
  }
}
