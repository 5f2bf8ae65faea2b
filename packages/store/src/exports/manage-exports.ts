import { AppError } from "@quarry/base";
import type { Queryable, Transaction } from "../database.ts";
import { enqueueJob } from "../jobs/enqueue-job.ts";
import { toWebsetExport, WEBSET_EXPORT_COLUMNS, type WebsetExport, type WebsetExportRow } from "./webset-export.ts";

/** The kind of the jobs that write files of websets; the payload is `{exportId}`. */
export const EXPORT_JOB = "webset-export";

/** A worker that dies under an export is no fault of the webset; what fails by itself is given up sooner. */
const EXPORT_ATTEMPTS = 1_000;
/** Files of one team that are written at once. */
const EXPORTS_PER_TEAM = 2;

/** What a new export is made of. */
export type NewWebsetExport = Pick<
  WebsetExport,
  "id" | "teamId" | "websetId" | "format" | "baseUrl" | "downloadSecret"
>;

/** Makes an export and its job. The same id again changes nothing; `isNew` says which it was. */
export async function createWebsetExport(
  tx: Transaction,
  wanted: NewWebsetExport,
  now: Date,
): Promise<{ readonly made: WebsetExport; readonly isNew: boolean }> {
  const rows = await tx.query(
    `INSERT INTO webset_exports (id, team_id, webset_id, format, status, base_url, download_secret, created_at, updated_at)
     VALUES ($1, $2, $3, $4, 'pending', $5, $6, $7, $7) ON CONFLICT (id) DO NOTHING RETURNING 1`,
    [wanted.id, wanted.teamId, wanted.websetId, wanted.format, wanted.baseUrl, wanted.downloadSecret, now],
  );
  if (rows.length === 1) {
    const job = await enqueueJob(tx, {
      kind: EXPORT_JOB,
      teamId: wanted.teamId,
      payload: { exportId: wanted.id },
      key: `export:${wanted.teamId}`,
      maxPerKey: EXPORTS_PER_TEAM,
      maxAttempts: EXPORT_ATTEMPTS,
    });
    await tx.query("UPDATE webset_exports SET job_id = $2 WHERE id = $1", [wanted.id, job.id]);
  }
  return { made: await getWebsetExport(tx, wanted.teamId, wanted.websetId, wanted.id), isNew: rows.length === 1 };
}

/** An export by its id, whoever's: for its job, and for the address of its file, which has its own proof. */
export async function findWebsetExport(db: Queryable, id: string): Promise<WebsetExport | undefined> {
  const [row] = await db.query<WebsetExportRow>(`SELECT ${WEBSET_EXPORT_COLUMNS} FROM webset_exports WHERE id = $1`, [
    id,
  ]);
  return row === undefined ? undefined : toWebsetExport(row);
}

/** An export of a team's webset; throws `not_found`. */
export async function getWebsetExport(
  db: Queryable,
  teamId: string,
  websetId: string,
  id: string,
): Promise<WebsetExport> {
  const found = await findWebsetExport(db, id);
  if (found?.teamId !== teamId || found.websetId !== websetId) {
    throw new AppError("not_found", "there is no export with this id of this webset");
  }
  return found;
}

/** How the writing of a file ended. */
export type WebsetExportEnd =
  | { readonly status: "completed"; readonly parts: number; readonly bytes: number; readonly keptUntil: Date }
  | { readonly status: "failed"; readonly message: string };

/** Ends an export and drops the copy it was written from; undefined when it has ended, or is gone. */
export async function finishWebsetExport(
  tx: Transaction,
  id: string,
  end: WebsetExportEnd,
  now: Date,
): Promise<WebsetExport | undefined> {
  const isDone = end.status === "completed";
  const [row] = await tx.query<WebsetExportRow>(
    `UPDATE webset_exports SET status = $2, parts = $3, bytes = $4, kept_until = $5, failed_message = $6, updated_at = $7
     WHERE id = $1 AND status IN ('pending', 'processing') RETURNING ${WEBSET_EXPORT_COLUMNS}`,
    [
      id,
      end.status,
      isDone ? end.parts : null,
      isDone ? end.bytes : null,
      isDone ? end.keptUntil : null,
      isDone ? null : end.message,
      now,
    ],
  );
  if (row === undefined) return undefined;
  await tx.query("DELETE FROM webset_export_rows WHERE export_id = $1", [id]);
  return toWebsetExport(row);
}

/** Exports whose files have lain long enough, at most `limit`. */
export async function listOldExports(db: Queryable, now: Date, limit: number): Promise<readonly WebsetExport[]> {
  const rows = await db.query<WebsetExportRow>(
    `SELECT ${WEBSET_EXPORT_COLUMNS} FROM webset_exports WHERE kept_until <= $1 ORDER BY kept_until LIMIT $2`,
    [now, limit],
  );
  return rows.map(toWebsetExport);
}

/** Notes that an export's file is gone. */
export async function forgetExportFile(db: Queryable, id: string): Promise<void> {
  await db.query("UPDATE webset_exports SET parts = NULL, kept_until = NULL WHERE id = $1", [id]);
}

/** Of these ids of exports and imports, those that are there. */
export async function findKnownFiles(db: Queryable, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ readonly id: string }>(
    "SELECT id FROM webset_exports WHERE id = ANY ($1) UNION ALL SELECT id FROM imports WHERE id = ANY ($1)",
    [ids],
  );
  return new Set(rows.map(({ id }) => id));
}
