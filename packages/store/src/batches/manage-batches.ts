import { AppError, decodeCursor, toPage, type Page } from "@quarry/base";
import type { Database, Queryable, Transaction } from "../database.ts";
import { enqueueJob } from "../jobs/enqueue-job.ts";
import { toJsonb } from "../jsonb.ts";
import { BATCH_COLUMNS, isBatchOver, toBatch, type Batch, type BatchRequest, type BatchRow } from "./batch.ts";

/** The kind of the jobs that do a slice of a batch; the payload is `{batchId}`. */
export const BATCH_JOB = "batch";

/** A worker that dies under a slice is no fault of the batch. */
const BATCH_ATTEMPTS = 1_000;
/** Batches have time: whatever else waits goes first. */
const BATCH_PRIORITY = -100;

/** What a new batch is made of. */
export type NewBatch = Pick<Batch, "id" | "teamId" | "keyId" | "metadata" | "resultsSecret"> & {
  readonly requests: readonly Omit<BatchRequest, "number" | "tries">[];
};

/** Makes a batch, its requests and its first job. The same id again changes nothing. */
export function createBatch(db: Database, batch: NewBatch, now: Date): Promise<Batch> {
  return db.transaction(async (tx) => {
    const rows = await tx.query(
      `INSERT INTO batches (id, team_id, key_id, status, metadata, total, results_secret, created_at)
       VALUES ($1, $2, $3, 'in_progress', $4, $5, $6, $7) ON CONFLICT (id) DO NOTHING RETURNING 1`,
      [
        batch.id,
        batch.teamId,
        batch.keyId,
        batch.metadata === null ? null : toJsonb(batch.metadata),
        batch.requests.length,
        batch.resultsSecret,
        now,
      ],
    );
    if (rows.length === 1) {
      const requests = batch.requests.map(({ customId, url, body, runId }, index) => ({
        number: index + 1,
        custom_id: customId,
        url,
        body,
        run_id: runId,
      }));
      await tx.query(
        `INSERT INTO batch_requests (batch_id, number, custom_id, url, body, run_id, status)
         SELECT $1, number, custom_id, url, body, run_id, 'pending'
         FROM jsonb_to_recordset($2) AS (number int, custom_id text, url text, body jsonb, run_id text)`,
        [batch.id, toJsonb(requests)],
      );
      await enqueueBatchJob(tx, batch);
    }
    return getBatch(tx, batch.teamId, batch.id);
  });
}

/** Has a batch go on, at `runAt` at the earliest. One slice of a team at a time. */
export async function enqueueBatchJob(tx: Queryable, batch: Pick<Batch, "id" | "teamId">, runAt?: Date): Promise<void> {
  await enqueueJob(tx, {
    kind: BATCH_JOB,
    teamId: batch.teamId,
    payload: { batchId: batch.id },
    key: `batch:${batch.teamId}`,
    maxPerKey: 1,
    priority: BATCH_PRIORITY,
    maxAttempts: BATCH_ATTEMPTS,
    dedupeKey: batch.id,
    runAt,
  });
}

/** A batch by its id, whoever's: for its job, and for the address of its results, which has its own proof. */
export async function findBatch(db: Queryable, id: string): Promise<Batch | undefined> {
  const [row] = await db.query<BatchRow>(`SELECT ${BATCH_COLUMNS} FROM batches WHERE id = $1`, [id]);
  return row === undefined ? undefined : toBatch(row);
}

/** A batch of the team; throws `not_found`. */
export async function getBatch(db: Queryable, teamId: string, id: string): Promise<Batch> {
  const batch = await findBatch(db, id);
  if (batch?.teamId !== teamId) throw new AppError("not_found", "there is no batch with this id");
  return batch;
}

/** The team's batches, newest first. */
export async function listBatches(
  db: Queryable,
  teamId: string,
  page: { readonly limit: number; readonly cursor?: string | undefined },
): Promise<Page<Batch>> {
  const [before] = page.cursor === undefined ? [] : decodeCursor(page.cursor, 1);
  const rows = await db.query<BatchRow>(
    `SELECT ${BATCH_COLUMNS} FROM batches WHERE team_id = $1 AND ($2::text IS NULL OR id < $2) ORDER BY id DESC LIMIT $3`,
    [teamId, before ?? null, page.limit + 1],
  );
  return toPage(rows.map(toBatch), page.limit, ({ id }) => [id]);
}

/** The team's completed batches whose results are still there at `now`, those that expire first at the top. */
export async function listCompletedBatches(
  db: Queryable,
  teamId: string,
  page: { readonly limit: number; readonly cursor?: string | undefined; readonly now: Date },
): Promise<Page<Batch>> {
  const [expiry, id] = page.cursor === undefined ? [] : decodeCursor(page.cursor, 2);
  if (expiry !== undefined && Number.isNaN(Date.parse(expiry))) {
    throw new AppError("invalid_request", "cursor: not one of this list; use nextCursor of the page before, unchanged");
  }
  const rows = await db.query<BatchRow>(
    `SELECT ${BATCH_COLUMNS} FROM batches WHERE team_id = $1 AND status = 'completed' AND expires_at > $2
       AND ($3::timestamptz IS NULL OR (expires_at, id) > ($3, $4))
     ORDER BY expires_at, id LIMIT $5`,
    [teamId, page.now, expiry ?? null, id ?? null, page.limit + 1],
  );
  return toPage(rows.map(toBatch), page.limit, (batch) => [batch.expiresAt?.toISOString() ?? "", batch.id]);
}

/** Calls a batch off; its job closes it. One that is over stays as it is. */
export function cancelBatch(db: Database, teamId: string, id: string): Promise<Batch> {
  return db.transaction(async (tx) => {
    await getBatch(tx, teamId, id);
    const batch = await lockBatch(tx, id);
    if (batch === undefined) throw new AppError("not_found", "there is no batch with this id");
    if (batch.status !== "in_progress") return batch;
    await tx.query("UPDATE batches SET status = 'cancelling' WHERE id = $1", [id]);
    await enqueueBatchJob(tx, batch);
    return { ...batch, status: "cancelling" };
  });
}

/** Deletes a batch that is over, and its results; throws `conflict` for one that is not. */
export function deleteBatch(db: Database, teamId: string, id: string): Promise<void> {
  return db.transaction(async (tx) => {
    await getBatch(tx, teamId, id);
    const batch = await lockBatch(tx, id);
    if (batch !== undefined && !isBatchOver(batch.status)) {
      throw new AppError(
        "conflict",
        "this batch is still running: cancel it first, and delete it once it is cancelled",
      );
    }
    await tx.query("DELETE FROM batches WHERE id = $1", [id]);
  });
}

/** A batch, locked until the transaction ends. */
export async function lockBatch(tx: Transaction, id: string): Promise<Batch | undefined> {
  const [row] = await tx.query<BatchRow>(`SELECT ${BATCH_COLUMNS} FROM batches WHERE id = $1 FOR UPDATE`, [id]);
  return row === undefined ? undefined : toBatch(row);
}

/** Throws away what batches that expired before `now` were answered. */
export async function dropExpiredResults(db: Queryable, now: Date): Promise<void> {
  await db.query("DELETE FROM batch_requests USING batches WHERE batches.id = batch_id AND batches.expires_at <= $1", [
    now,
  ]);
}
