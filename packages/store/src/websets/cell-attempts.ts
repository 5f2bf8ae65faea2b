import type { CellAttempt } from "@quarry/contract";
import type { Queryable, Transaction } from "../database.ts";
import { toJsonb } from "../jsonb.ts";

/** Where a cell is. */
export interface CellPlace {
  readonly itemId: string;
  readonly enrichmentId: string;
}

/** Remembers a filling, beside the values that the cell has had. */
export async function recordCellAttempt(tx: Transaction, place: CellPlace, attempt: CellAttempt): Promise<void> {
  await tx.query("INSERT INTO webset_past_values (item_id, subject, entry) VALUES ($1, $2, $3)", [
    place.itemId,
    subjectOf(place),
    toJsonb({ ...attempt }),
  ]);
}

/** The fillings of a cell, oldest first. */
export async function listCellAttempts(db: Queryable, place: CellPlace): Promise<readonly CellAttempt[]> {
  const rows = await db.query<{ readonly entry: CellAttempt }>(
    "SELECT entry FROM webset_past_values WHERE item_id = $1 AND subject = $2 ORDER BY id",
    [place.itemId, subjectOf(place)],
  );
  return rows.map(({ entry }) => entry);
}

/** Apart from the subjects of values: an enrichment's id, or "criterion:" and its words. */
function subjectOf({ enrichmentId }: CellPlace): string {
  return `attempt:${enrichmentId}`;
}
