import { AppError } from "@quarry/base";
import type { Database, Queryable, Transaction } from "../database.ts";
import { enqueueJob } from "../jobs/enqueue-job.ts";
import { toJsonb, type Json } from "../jsonb.ts";

/** The kind of the jobs that do back-tests; the payload is `{backtestId}`. */
export const AGENT_BACKTEST_JOB = "agent-backtest";
const ATTEMPTS = 100;
/** Back-tests of one team at once. */
const PER_TEAM = 2;

/** A look at the past with a monitor's eyes. */
export interface AgentBacktest {
  readonly id: string;
  readonly teamId: string;
  /** Entities and fields, as the contract has them. */
  readonly request: Json;
  readonly startTime: Date;
  readonly endTime: Date;
  readonly status: "running" | "completed" | "failed";
  /** As the websets room wrote it. */
  readonly result: Json;
  readonly error: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** Makes a back-test and its job. The same id again changes nothing. */
export function createAgentBacktest(
  db: Database,
  backtest: Pick<AgentBacktest, "id" | "teamId" | "request" | "startTime" | "endTime" | "createdAt" | "expiresAt">,
): Promise<AgentBacktest> {
  const { id, teamId, request, startTime, endTime, createdAt, expiresAt } = backtest;
  return db.transaction(async (tx) => {
    const made = await tx.query(
      `INSERT INTO agent_monitor_backtests (id, team_id, request, start_time, end_time, status, created_at, expires_at)
       VALUES ($1, $2, $3, $4, $5, 'running', $6, $7) ON CONFLICT (id) DO NOTHING RETURNING 1`,
      [id, teamId, toJsonb(request), startTime, endTime, createdAt, expiresAt],
    );
    if (made.length === 1) {
      const job = { kind: AGENT_BACKTEST_JOB, teamId, payload: { backtestId: id }, maxAttempts: ATTEMPTS };
      await enqueueJob(tx, { ...job, key: `agent-backtest:${teamId}`, maxPerKey: PER_TEAM });
    }
    return getAgentBacktest(tx, teamId, id, createdAt);
  });
}

/** A back-test by its id, whoever's: for its job. */
export async function findAgentBacktest(db: Queryable, id: string): Promise<AgentBacktest | undefined> {
  const [row] = await db.query<AgentBacktest>(
    `SELECT id, team_id AS "teamId", request, start_time AS "startTime", end_time AS "endTime", status, result, error,
       created_at AS "createdAt", expires_at AS "expiresAt" FROM agent_monitor_backtests WHERE id = $1`,
    [id],
  );
  return row;
}

/** A back-test of the team that has not expired; throws `not_found`. */
export async function getAgentBacktest(db: Queryable, teamId: string, id: string, now: Date): Promise<AgentBacktest> {
  const found = await findAgentBacktest(db, id);
  if (found?.teamId === teamId && found.expiresAt > now) return found;
  throw new AppError("not_found", "there is no back-test with this id, or it has expired");
}

/** Ends a back-test that is under way. */
export async function endAgentBacktest(
  tx: Transaction,
  id: string,
  end: { readonly status: "completed"; readonly result: Json } | { readonly status: "failed"; readonly error: string },
): Promise<void> {
  const result = end.status === "completed" ? toJsonb(end.result) : null;
  const error = end.status === "failed" ? end.error : null;
  await tx.query(
    "UPDATE agent_monitor_backtests SET status = $2, result = $3, error = $4 WHERE id = $1 AND status = 'running'",
    [id, end.status, result, error],
  );
}

/** Forgets back-tests that have expired. */
export async function dropExpiredBacktests(db: Queryable, now: Date): Promise<void> {
  await db.query("DELETE FROM agent_monitor_backtests WHERE expires_at <= $1", [now]);
}
