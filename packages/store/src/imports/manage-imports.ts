import { AppError, decodeCursor, toPage, type Page } from "@quarry/base";
import type { Queryable, Transaction } from "../database.ts";
import { cancelJob } from "../jobs/cancel-jobs.ts";
import { enqueueJob } from "../jobs/enqueue-job.ts";
import { toJsonb } from "../jsonb.ts";
import { CLAIM_MS } from "./claim-upload.ts";
import { dropImportRows } from "./import-rows.ts";
import { moveImport, type ImportFailure } from "./import-state.ts";
import { IMPORT_COLUMNS, toImport, type Import, type ImportRecord } from "./import.ts";

/** The kind of the jobs that read uploaded files, or note that none came in time; the payload is `{importId}`. */
export const IMPORT_JOB = "import";

/** A worker that dies under an import is no fault of the file. */
const IMPORT_ATTEMPTS = 1_000;
/** Files of one team that are read at once. */
const IMPORTS_PER_TEAM = 2;

/** What a new import is made of. */
export interface NewImport extends Pick<
  Import,
  "id" | "teamId" | "title" | "entity" | "metadata" | "sizeBytes" | "identifierColumn"
> {
  readonly count: number;
  readonly uploadTokenHash: Buffer;
  readonly uploadValidUntil: Date;
  readonly now: Date;
}

/**
 * Makes an import that waits for its file. The same id again, of the same team and still waiting, only gets the new
 * token: a retry must be able to tell an address that works. `isNew` says which it was. A job looks at it once no upload
 * can come any more.
 */
export async function createImport(
  tx: Transaction,
  wanted: NewImport,
): Promise<{ readonly made: Import; readonly isNew: boolean }> {
  const [row] = await tx.query<ImportRecord & { readonly is_new: boolean }>(
    `INSERT INTO imports AS old (id, team_id, status, title, format, entity, metadata, size, announced_count,
       identifier_column, upload_token_hash, upload_valid_until, created_at, updated_at)
     VALUES ($1, $2, 'pending', $3, 'csv', $4, $5, $6, $7, $8, $9, $10, $11, $11)
     ON CONFLICT (id) DO UPDATE SET upload_token_hash = excluded.upload_token_hash
       WHERE old.team_id = excluded.team_id AND old.status = 'pending'
     RETURNING ${IMPORT_COLUMNS}, created_at = $11 AS is_new`,
    [
      wanted.id,
      wanted.teamId,
      wanted.title,
      toJsonb(wanted.entity),
      toJsonb(wanted.metadata),
      wanted.sizeBytes,
      wanted.count,
      wanted.identifierColumn,
      wanted.uploadTokenHash,
      wanted.uploadValidUntil,
      wanted.now,
    ],
  );
  if (row === undefined) throw new AppError("conflict", "an import with this id is already being read");
  if (!row.is_new) return { made: toImport(row), isNew: false };
  const job = await enqueueJob(tx, {
    kind: IMPORT_JOB,
    teamId: wanted.teamId,
    payload: { importId: wanted.id },
    // An upload that began in time may still be put away.
    runAt: new Date(wanted.uploadValidUntil.getTime() + CLAIM_MS),
  });
  await tx.query("UPDATE imports SET job_id = $2 WHERE id = $1", [wanted.id, job.id]);
  return { made: { ...toImport(row), jobId: job.id }, isNew: true };
}

/** One import of the team; throws `not_found`, also for another team's. */
export async function getImport(db: Queryable, teamId: string, id: string): Promise<Import> {
  const [row] = await db.query<ImportRecord>(`SELECT ${IMPORT_COLUMNS} FROM imports WHERE id = $1`, [id]);
  if (row?.team_id !== teamId) throw noImport();
  return toImport(row);
}

/** Those of the given imports that the team has, in no order. */
export async function findImports(db: Queryable, teamId: string, ids: readonly string[]): Promise<readonly Import[]> {
  const rows = await db.query<ImportRecord>(
    `SELECT ${IMPORT_COLUMNS} FROM imports WHERE team_id = $1 AND id = ANY ($2)`,
    [teamId, ids],
  );
  return rows.map(toImport);
}

/** The team's imports, newest first. */
export async function listImports(
  db: Queryable,
  teamId: string,
  page: { readonly limit: number; readonly cursor?: string | undefined },
): Promise<Page<Import>> {
  const [before] = page.cursor === undefined ? [] : decodeCursor(page.cursor, 1);
  const rows = await db.query<ImportRecord>(
    `SELECT ${IMPORT_COLUMNS} FROM imports WHERE team_id = $1 AND ($2::text IS NULL OR id < $2)
     ORDER BY id DESC LIMIT $3`,
    [teamId, before ?? null, page.limit + 1],
  );
  return toPage(rows.map(toImport), page.limit, ({ id }) => [id]);
}

/** Changes what a person may change of an import. */
export async function updateImport(
  tx: Transaction,
  teamId: string,
  id: string,
  change: {
    readonly title?: string | undefined;
    readonly metadata?: Readonly<Record<string, string>> | undefined;
    readonly now: Date;
  },
): Promise<Import> {
  const [row] = await tx.query<ImportRecord>(
    `UPDATE imports SET title = coalesce($3, title), metadata = coalesce($4, metadata), updated_at = $5
     WHERE id = $1 AND team_id = $2 RETURNING ${IMPORT_COLUMNS}`,
    [id, teamId, change.title ?? null, change.metadata === undefined ? null : toJsonb(change.metadata), change.now],
  );
  if (row === undefined) throw noImport();
  return toImport(row);
}

/** Takes an import away with its rows, and ends its job. The caller removes its blob once this has committed. */
export async function deleteImport(tx: Transaction, teamId: string, id: string): Promise<Import> {
  const [row] = await tx.query<ImportRecord>(
    `DELETE FROM imports WHERE id = $1 AND team_id = $2 RETURNING ${IMPORT_COLUMNS}`,
    [id, teamId],
  );
  if (row === undefined) throw noImport();
  if (row.job_id !== null) await cancelJob(tx, row.job_id);
  return toImport(row);
}

/** The uploaded file is kept at `blobKey`: the import is read from now on, by a job made here. */
export async function startImport(tx: Transaction, id: string, blobKey: string, now: Date): Promise<Import> {
  const waiting = await lockImport(tx, id);
  if (moveImport(waiting.status, "receive") === undefined)
    throw new AppError("conflict", "the file was uploaded before");
  if (waiting.jobId !== null) await cancelJob(tx, waiting.jobId);
  const job = await enqueueJob(tx, {
    kind: IMPORT_JOB,
    teamId: waiting.teamId,
    payload: { importId: id },
    key: `import:${waiting.teamId}`,
    maxPerKey: IMPORTS_PER_TEAM,
    maxAttempts: IMPORT_ATTEMPTS,
  });
  const [row] = await tx.query<ImportRecord>(
    `UPDATE imports SET status = 'processing', blob_key = $2, job_id = $3, upload_token_hash = NULL,
       upload_claim = NULL, upload_claimed_until = NULL, updated_at = $4
     WHERE id = $1 RETURNING ${IMPORT_COLUMNS}`,
    [id, blobKey, job.id, now],
  );
  if (row === undefined) throw noImport();
  return toImport(row);
}

/** Fails the import, or all of them when none is named, whose address has expired before a file came. */
export async function failMissedImports(db: Queryable, now: Date, id?: string): Promise<void> {
  await db.query(
    `UPDATE imports SET status = 'failed', failed_reason = 'invalid_file_content', failed_at = $1, updated_at = $1,
       failed_message = 'no file was uploaded before the address expired: create another import and upload within an hour'
     WHERE status = 'pending' AND upload_valid_until <= $1 AND ($2::text IS NULL OR id = $2)
       AND (upload_claimed_until IS NULL OR upload_claimed_until <= $1)`,
    [now, id ?? null],
  );
}

/** Ends the reading of a file; undefined when someone has ended it before. A failed import keeps no rows. */
export async function finishImport(
  tx: Transaction,
  id: string,
  end:
    | { readonly kind: "completed"; readonly now: Date }
    | { readonly kind: "failed"; readonly reason: ImportFailure; readonly message: string; readonly now: Date },
): Promise<Import | undefined> {
  const read = await lockImport(tx, id);
  const status = moveImport(read.status, end.kind === "completed" ? "complete" : "fail");
  if (status === undefined) return undefined;
  if (end.kind === "failed") await dropImportRows(tx, id);
  const [row] = await tx.query<ImportRecord>(
    `UPDATE imports SET status = $2, updated_at = $3, failed_reason = $4, failed_message = $5,
       failed_at = CASE WHEN $2 = 'failed' THEN $3::timestamptz END,
       rows_kept = CASE WHEN $2 = 'failed' THEN 0 ELSE rows_kept END
     WHERE id = $1 RETURNING ${IMPORT_COLUMNS}`,
    [id, status, end.now, end.kind === "failed" ? end.reason : null, end.kind === "failed" ? end.message : null],
  );
  return row === undefined ? undefined : toImport(row);
}

async function lockImport(tx: Transaction, id: string): Promise<Import> {
  const [row] = await tx.query<ImportRecord>(`SELECT ${IMPORT_COLUMNS} FROM imports WHERE id = $1 FOR UPDATE`, [id]);
  if (row === undefined) throw noImport();
  return toImport(row);
}

function noImport(): AppError {
  return new AppError("not_found", "there is no import with this id");
}
