import { sleep } from "@quarry/base";
import { areBlobsBusy, RemovedBlobsError, type Database } from "@quarry/store";
import type { PreparedPage } from "./prepare-page.ts";
import { snapshotKey, type SnapshotStore } from "./snapshot-store.ts";

/** A removal takes moments; one that takes longer has died, and another finishes it soon. */
const LOOK_AGAIN_MS = 200;
const MAX_LOOKS = 150;
/** Bytes written again are on their way out once more only by a rare chance. */
const MAX_TRIES = 5;

/**
 * Runs `write`, the transaction that refers to the pages' snapshots. Where retention removes one of them at the same
 * time, its bytes are written again and `write` is tried anew, so that no row ever points at bytes that are gone.
 */
export async function withWholeSnapshots<T>(
  deps: { readonly database: Database; readonly snapshots: SnapshotStore },
  prepared: readonly PreparedPage[],
  write: (rewritten: ReadonlySet<string>) => Promise<T>,
): Promise<T> {
  const rewritten = new Set<string>();
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await write(rewritten);
    } catch (thrown) {
      if (!(thrown instanceof RemovedBlobsError) || attempt >= MAX_TRIES) throw thrown;
      for (let look = 0; look < MAX_LOOKS && (await areBlobsBusy(deps.database, thrown.keys)); look += 1) {
        await sleep(LOOK_AGAIN_MS);
      }
      for (const one of prepared) {
        if (one.kind !== "to-keep" || !thrown.keys.includes(snapshotKey(one.snapshotId))) continue;
        const { content } = one.page;
        await deps.snapshots.rewrite(content.kind === "text" ? Buffer.from(content.text, "utf8") : content.bytes);
        rewritten.add(one.snapshotId);
      }
    }
  }
}
