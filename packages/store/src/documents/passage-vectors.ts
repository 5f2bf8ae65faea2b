import { createHash } from "node:crypto";
import { AppError } from "@quarry/base";
import type { Database, Queryable } from "../database.ts";
import { packHalfFloats, unpackHalfFloats } from "./half-floats.ts";

/** A vector and the passage it stands for, by its hash. */
export interface PassageVector {
  /** As `hashPassage` makes it. */
  readonly hash: Uint8Array;
  readonly vector: Float32Array;
}

/** What tells one passage from another: the SHA-256 of exactly the text that is embedded. */
export function hashPassage(passage: string): Uint8Array {
  return createHash("sha256").update(passage, "utf8").digest();
}

/** The vectors that are known already, by hash in hexadecimal. */
export async function findPassageVectors(
  db: Queryable,
  model: string,
  hashes: readonly Uint8Array[],
): Promise<ReadonlyMap<string, Float32Array>> {
  const rows = await db.query<{ hash: Buffer; vector: Buffer }>(
    "SELECT hash, vector FROM passage_vectors WHERE model = $1 AND hash = ANY ($2::bytea[])",
    [model, hashes.map((hash) => Buffer.from(hash))],
  );
  return new Map(rows.map(({ hash, vector }) => [hash.toString("hex"), unpackHalfFloats(vector)]));
}

/**
 * Keeps vectors, so that whoever meets the same passages need not compute them: the indexer what it has computed, an
 * import what it brings ready-made. Vectors that are there already stay.
 */
export async function importChunkVectors(
  db: Queryable,
  { model, entries }: { readonly model: string; readonly entries: readonly PassageVector[] },
): Promise<void> {
  for (const { hash, vector } of entries) {
    if (hash.length === HASH_BYTES && vector.length > 0 && vector.every(Number.isFinite)) continue;
    throw new AppError("invalid_request", "a passage's vector needs a SHA-256 hash and finite numbers");
  }
  for (let start = 0; start < entries.length; start += BATCH) {
    const batch = entries.slice(start, start + BATCH);
    await db.query(
      `INSERT INTO passage_vectors (hash, model, vector, used_on)
       SELECT hash, $3, vector, current_date FROM unnest($1::bytea[], $2::bytea[]) AS given (hash, vector)
       ON CONFLICT (hash, model) DO NOTHING`,
      [batch.map(({ hash }) => Buffer.from(hash)), batch.map(({ vector }) => packHalfFloats(vector)), model],
    );
  }
}

/**
 * Drops vectors of passages that no document has had for KEPT_DAYS; those in use are marked anew first. Slow and safe
 * to stop at any moment; returns how many went.
 */
export async function sweepPassageVectors(db: Database, signal?: AbortSignal): Promise<number> {
  for (let after: { team_id: string; url: string } | undefined = { team_id: "", url: "" }; after !== undefined;) {
    signal?.throwIfAborted();
    const rows: readonly { team_id: string; url: string }[] = await db.query(
      `WITH page AS MATERIALIZED (
         SELECT team_id, url, model, hashes FROM document_passages
         WHERE (team_id, url) > ($1, $2) ORDER BY team_id, url LIMIT ${BATCH}),
       used AS (SELECT DISTINCT model, unnest(hashes) AS hash FROM page),
       marked AS (
         UPDATE passage_vectors AS known SET used_on = current_date FROM used
         WHERE known.hash = used.hash AND known.model = used.model AND known.used_on < current_date - ${MARK_AFTER_DAYS})
       SELECT team_id, url FROM page ORDER BY team_id, url`,
      [after.team_id, after.url],
    );
    after = rows.length < BATCH ? undefined : rows.at(-1);
  }
  let dropped = 0;
  for (;;) {
    signal?.throwIfAborted();
    const [row] = await db.query<{ count: number }>(
      `WITH old AS (
         SELECT hash, model FROM passage_vectors WHERE used_on < current_date - ${KEPT_DAYS} LIMIT ${BATCH}),
       gone AS (
         DELETE FROM passage_vectors AS known USING old
         WHERE known.hash = old.hash AND known.model = old.model RETURNING 1)
       SELECT count(*)::integer AS count FROM gone`,
    );
    const count = row?.count ?? 0;
    dropped += count;
    if (count < BATCH) return dropped;
  }
}

const HASH_BYTES = 32;
const BATCH = 500;
/** A vector is kept so long after its passage was last in a document: pages go and come back. */
const KEPT_DAYS = 60;
const MARK_AFTER_DAYS = 20;
