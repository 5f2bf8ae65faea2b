import type { Transaction } from "../database.ts";
import type { CitedText } from "../retention/cite-snapshots.ts";

/** Shows an item with a newer text of its page. The caller holds the webset's lock and has cited the text. */
export async function updateItemContent(tx: Transaction, itemId: string, text: CitedText, now: Date): Promise<void> {
  await tx.query(
    `UPDATE webset_items SET content_snapshot_id = $2, content_extractor_version = $3, updated_at = $4 WHERE id = $1`,
    [itemId, text.snapshotId, text.extractorVersion, now],
  );
}
