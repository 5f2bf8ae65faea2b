import { AppError } from "@quarry/base";
import type { Queryable } from "../database.ts";
import { IMPORT_COLUMNS, toImport, type Import, type ImportRecord } from "./import.ts";

/** How long an upload may take to be put away before another may be tried. */
export const CLAIM_MS = 120_000;

/**
 * Lets one upload at a time through an import's address. Throws `forbidden` for a token that is not the import's,
 * `gone` when the address has expired, `conflict` when the file is there or is being put away by someone else.
 */
export async function claimUpload(
  db: Queryable,
  id: string,
  claim: { readonly tokenHash: Buffer; readonly by: string; readonly now: Date },
): Promise<Import> {
  const [row] = await db.query<ImportRecord>(
    `UPDATE imports SET upload_claim = $3, upload_claimed_until = $4
     WHERE id = $1 AND status = 'pending' AND upload_token_hash = $2 AND upload_valid_until > $5
       AND (upload_claimed_until IS NULL OR upload_claimed_until <= $5)
     RETURNING ${IMPORT_COLUMNS}`,
    [id, claim.tokenHash, claim.by, new Date(claim.now.getTime() + CLAIM_MS), claim.now],
  );
  if (row !== undefined) return toImport(row);
  throw await explainRefusal(db, id, claim);
}

/** Another upload may be tried at once: this one came to nothing. */
export async function giveUpUpload(db: Queryable, id: string, by: string): Promise<void> {
  await db.query(
    "UPDATE imports SET upload_claim = NULL, upload_claimed_until = NULL WHERE id = $1 AND upload_claim = $2",
    [id, by],
  );
}

async function explainRefusal(
  db: Queryable,
  id: string,
  claim: { readonly tokenHash: Buffer; readonly now: Date },
): Promise<AppError> {
  const [row] = await db.query<{
    readonly status: string;
    readonly is_known: boolean | null;
    readonly is_over: boolean;
  }>(
    `SELECT status, upload_token_hash = $2 AS is_known, upload_valid_until <= $3 AS is_over FROM imports WHERE id = $1`,
    [id, claim.tokenHash, claim.now],
  );
  // A used address and a wrong one look alike from here: neither tells a stranger more than that.
  if (row?.is_known !== true) {
    return row !== undefined && row.status !== "pending"
      ? new AppError("conflict", "this upload address was used: an import takes one file, create another import")
      : new AppError(
          "forbidden",
          "this upload address is not one of ours: use uploadUrl as the import's creation told it",
        );
  }
  return row.is_over
    ? new AppError("gone", "this upload address has expired: create another import and upload within an hour")
    : new AppError("conflict", "this upload address is in use: wait for the upload under way", { retryable: true });
}
