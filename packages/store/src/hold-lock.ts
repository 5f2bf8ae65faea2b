import { AppError, sleep } from "@quarry/base";
import pg from "pg";
import { isConnectionFailure, toDatabaseError } from "./database-errors.ts";
import { toClientConfig, type DatabaseAddress } from "./open-database.ts";

/** A lock that one process of all that share a database holds. */
export interface HeldLock {
  /** Aborts when the lock may be somebody else's: the connection that held it is gone. */
  readonly lost: AbortSignal;
  readonly release: () => Promise<void>;
}

/** Who waits for a lock asks so often. */
const ASK_EVERY_MS = 500;
/** A connection that died without a word is found by asking so often, and waiting so long. */
const BEAT_EVERY_MS = 3_000;
const BEAT_PATIENCE_MS = 5_000;

/**
 * Waits until this process has the lock `id` to itself. PostgreSQL frees it the moment its holder's connection ends,
 * however that comes about: whoever dies is replaced within ASK_EVERY_MS. Rejects when `signal` aborts.
 */
export async function holdLock(address: DatabaseAddress, id: number, signal: AbortSignal): Promise<HeldLock> {
  for (;;) {
    signal.throwIfAborted();
    try {
      return await takeLock(address, id, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (!isConnectionFailure(error)) throw toDatabaseError(error);
    }
    await sleep(ASK_EVERY_MS, signal);
  }
}

async function takeLock(address: DatabaseAddress, id: number, signal: AbortSignal): Promise<HeldLock> {
  const client = new pg.Client({ ...toClientConfig({ address }), application_name: "quarry lock" });
  const lost = new AbortController();
  const lose = (): void => lost.abort(new AppError("unavailable", "the connection that held a lock is gone"));
  client.on("error", lose);
  client.on("end", lose);
  const beat = setInterval(() => {
    const query: pg.QueryConfig & { query_timeout: number } = { text: "SELECT 1", query_timeout: BEAT_PATIENCE_MS };
    client.query(query).catch(lose);
  }, BEAT_EVERY_MS);
  beat.unref();
  const release = async (): Promise<void> => {
    clearInterval(beat);
    await client.end().catch(() => undefined); // it is gone already, and the lock with it
  };
  try {
    await client.connect();
    for (;;) {
      const { rows } = await client.query<{ held: boolean }>("SELECT pg_try_advisory_lock($1) AS held", [id]);
      if (rows[0]?.held === true) break;
      await sleep(ASK_EVERY_MS, signal);
    }
  } catch (error) {
    await release();
    throw error;
  }
  return { lost: lost.signal, release };
}
