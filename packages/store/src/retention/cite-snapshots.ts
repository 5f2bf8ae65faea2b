import type { Transaction } from "../database.ts";
import { holdSnapshots } from "./snapshot-lock.ts";

/** A text that is quoted. */
export interface CitedText {
  readonly snapshotId: string;
  readonly extractorVersion: string;
}

/** What quotes it: a research report, an item's cell. */
export interface Citer {
  readonly kind: string;
  readonly id: string;
}

/**
 * Records that `citer` quotes these texts: retention keeps them, and the right to read them, until `dropCitations`.
 * Call it in the transaction that writes the quotes. A text that is not there is passed over; answers how many stand.
 */
export async function citeSnapshots(tx: Transaction, citer: Citer, texts: readonly CitedText[]): Promise<number> {
  if (texts.length === 0) return 0;
  await holdSnapshots(tx);
  const rows = await tx.query(
    `INSERT INTO snapshot_citations (snapshot_id, extractor_version, cited_by_kind, cited_by_id)
     SELECT DISTINCT text.snapshot_id, text.extractor_version, $3, $4
     FROM unnest($1::text[], $2::text[]) AS given (snapshot_id, extractor_version)
     JOIN extracted_texts AS text USING (snapshot_id, extractor_version)
     ON CONFLICT (snapshot_id, extractor_version, cited_by_kind, cited_by_id)
     DO UPDATE SET cited_by_id = excluded.cited_by_id RETURNING 1`,
    [
      texts.map(({ snapshotId }) => snapshotId),
      texts.map(({ extractorVersion }) => extractorVersion),
      citer.kind,
      citer.id,
    ],
  );
  return rows.length;
}

/** Forgets all that `citer` quotes: it is deleted. */
export async function dropCitations(tx: Transaction, citer: Citer): Promise<void> {
  await tx.query("DELETE FROM snapshot_citations WHERE cited_by_kind = $1 AND cited_by_id = $2", [
    citer.kind,
    citer.id,
  ]);
}
