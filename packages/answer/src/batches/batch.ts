import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { AppError, makeId, type Clock } from "@quarry/base";
import type { BatchWire, CreateBatchBody } from "@quarry/contract";
import {
  createBatch,
  findBatch,
  isBatchOver,
  listBatchResults,
  type Batch,
  type BatchResult,
  type Database,
  type Json,
} from "@quarry/store";

/** What batches need to be made and read. */
export interface BatchDeps {
  readonly database: Database;
  readonly clock: Clock;
}

/** How long an address of results works; reading the batch gives another. */
const LINK_MS = 60 * 60 * 1000;
const SECRET_BYTES = 32;
const RESULTS_PER_READ = 50;

/** Makes a batch, which jobs will do in the name of the key that asked for it. */
export function beginBatch(
  deps: BatchDeps,
  wish: { readonly id: string; readonly teamId: string; readonly keyId: string | null; readonly body: CreateBatchBody },
): Promise<Batch> {
  const { id, teamId, keyId, body } = wish;
  const now = deps.clock.now();
  const requests = body.requests.map(({ customId, url, body: asked }) => ({
    customId,
    url,
    body: asked as Json,
    runId: url === "/agent/runs" ? makeId("agent_run", now) : null,
  }));
  const batch = {
    id,
    teamId,
    keyId,
    metadata: body.metadata ?? null,
    resultsSecret: randomBytes(SECRET_BYTES),
    requests,
  };
  return createBatch(deps.database, batch, now);
}

/** A batch as the wire shows it at `now`, with an address of its results that works for an hour. */
export function showBatch(batch: Batch, now: Date, baseUrl: string): BatchWire {
  const isExpired = batch.expiresAt !== null && batch.expiresAt <= now;
  return {
    id: batch.id,
    object: "batch",
    status: isExpired ? "expired" : batch.status,
    requestCounts: { total: batch.total, completed: batch.completed, failed: batch.failed },
    createdAt: batch.createdAt.toISOString(),
    expiresAt: batch.expiresAt?.toISOString() ?? null,
    endedAt: batch.endedAt?.toISOString() ?? null,
    resultsUrl: isExpired ? null : linkOf(batch, now, baseUrl),
    metadata: batch.metadata as Record<string, string> | null,
  };
}

/** The batch whose results an address stands for. Throws `forbidden` for a signature that is not ours, `gone` for one that has expired. */
export async function openResults(
  deps: BatchDeps,
  id: string,
  proof: { readonly expires: string; readonly signature: string },
): Promise<Batch> {
  const batch = await findBatch(deps.database, id);
  const given = Buffer.from(proof.signature, "hex");
  const expected = batch === undefined ? undefined : sign(batch, proof.expires);
  if (batch === undefined || expected?.length !== given.length || !timingSafeEqual(expected, given)) {
    throw new AppError(
      "forbidden",
      "this address of results is not one of ours: use resultsUrl of the batch, unchanged",
    );
  }
  if (Number(proof.expires) * 1000 <= deps.clock.now().getTime()) {
    throw new AppError("gone", "this address of results has expired: read the batch for another");
  }
  return batch;
}

/** The results of a batch, one JSON line a request, in the order of the requests. */
export async function* writeResults(deps: BatchDeps, batch: Batch): AsyncGenerator<string> {
  for (let after = 0; ;) {
    const results = await listBatchResults(deps.database, batch.id, { after, limit: RESULTS_PER_READ });
    for (const result of results) yield `${JSON.stringify(toLine(result))}\n`;
    const last = results.at(-1);
    if (last === undefined || results.length < RESULTS_PER_READ) return;
    after = last.number;
  }
}

function toLine({ customId, response, error }: BatchResult): Readonly<Record<string, Json>> {
  return error === null ? { customId, response } : { customId, error };
}

function linkOf(batch: Batch, now: Date, baseUrl: string): string | null {
  if (!isBatchOver(batch.status) || batch.expiresAt === null) return null;
  const endMs = Math.min(now.getTime() + LINK_MS, batch.expiresAt.getTime());
  const expires = String(Math.floor(endMs / 1000));
  return `${baseUrl}/batches/${batch.id}/results?expires=${expires}&signature=${sign(batch, expires).toString("hex")}`;
}

function sign(batch: Batch, expires: string): Buffer {
  return createHmac("sha256", batch.resultsSecret).update(`${batch.id}.${expires}`).digest();
}
