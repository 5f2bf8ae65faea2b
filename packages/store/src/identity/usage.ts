import type { UsageGroup } from "@quarry/contract";
import type { Queryable } from "../database.ts";

/** One request that a key made. */
export interface UsageRecord {
  readonly teamId: string;
  readonly keyId: string | null;
  /** Method and path pattern. */
  readonly endpoint: string;
  readonly status: number;
  readonly latencyMs: number;
  readonly tokens: number;
  readonly costDollars: number;
  readonly at: Date;
}

/** The sum over one group of requests. */
export interface UsageRow {
  readonly periodStart?: Date;
  readonly keyId?: string | null;
  readonly keyName?: string | null;
  readonly endpoint?: string;
  readonly requests: number;
  readonly errors: number;
  readonly tokens: number;
  readonly costDollars: number;
  readonly latencyMs: { readonly average: number; readonly p50: number; readonly p95: number; readonly max: number };
}

/** How stale `last_used_at` may be: a busy key's row is not written with every batch. */
const LAST_USED_GRAIN = "1 minute";

/**
 * Writes a batch of records in one statement, and with it what their keys have
 * spent and when they were last used.
 */
export async function writeUsage(db: Queryable, records: readonly UsageRecord[]): Promise<void> {
  if (records.length === 0) return;
  await db.query(
    `WITH written AS (
       INSERT INTO usage_records (team_id, key_id, endpoint, status, latency_ms, tokens, cost_dollars, at)
       SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::smallint[], $5::real[], $6::bigint[], $7::numeric[],
         $8::timestamptz[])
       RETURNING key_id, cost_dollars, at
     ), per_key AS (
       SELECT key_id, sum(cost_dollars) AS cost, max(at) AS last_at FROM written WHERE key_id IS NOT NULL GROUP BY key_id
     ), locked AS (
       -- Always in the same order, so that two processes that flush at once cannot deadlock.
       SELECT key.id, per_key.cost, per_key.last_at FROM api_keys AS key JOIN per_key ON per_key.key_id = key.id
       WHERE per_key.cost <> 0 OR key.last_used_at IS NULL
         OR key.last_used_at < per_key.last_at - interval '${LAST_USED_GRAIN}'
       ORDER BY key.id FOR UPDATE OF key
     )
     UPDATE api_keys AS key SET
       spent_dollars = key.spent_dollars + locked.cost,
       last_used_at = greatest(key.last_used_at, locked.last_at)
     FROM locked WHERE key.id = locked.id`,
    [
      records.map((record) => record.teamId),
      records.map((record) => record.keyId),
      records.map((record) => record.endpoint),
      records.map((record) => record.status),
      records.map((record) => record.latencyMs),
      records.map((record) => Math.round(record.tokens)),
      records.map((record) => record.costDollars),
      records.map((record) => record.at),
    ],
  );
}

/** Which use to sum up. */
export interface UsageQuestion {
  readonly teamId: string;
  readonly keyId?: string;
  /** With this instant. */
  readonly from: Date;
  /** Without this instant. */
  readonly to: Date;
  /** At most one of hour, day and month. */
  readonly groupBy: readonly UsageGroup[];
}

/** Sums up a team's use by group, in UTC; groups in the order of time, then of cost and number. */
export async function readUsage(db: Queryable, question: UsageQuestion): Promise<readonly UsageRow[]> {
  const period = question.groupBy.find((group) => group === "hour" || group === "day" || group === "month");
  const columns = [
    ...(period === undefined ? [] : [`date_trunc('${period}', record.at, 'UTC') AS period_start`]),
    ...(question.groupBy.includes("key") ? ["record.key_id", "key.name AS key_name"] : []),
    ...(question.groupBy.includes("endpoint") ? ["record.endpoint"] : []),
  ];
  const groups = columns.map((_, index) => index + 1);
  const rows = await db.query<UsageSqlRow>(
    `SELECT ${[...columns, ""].join(", ")}
       count(*)::int AS requests, count(*) FILTER (WHERE record.status >= 400)::int AS errors,
       coalesce(sum(record.tokens), 0)::bigint AS tokens, coalesce(sum(record.cost_dollars), 0) AS cost_dollars,
       avg(record.latency_ms) AS average_ms, max(record.latency_ms)::float8 AS max_ms,
       percentile_cont(ARRAY[0.5, 0.95]) WITHIN GROUP (ORDER BY record.latency_ms) AS percentiles_ms
     FROM usage_records AS record
     LEFT JOIN api_keys AS key ON key.id = record.key_id AND key.team_id = record.team_id
     WHERE record.team_id = $1 AND record.at >= $2 AND record.at < $3 AND ($4::text IS NULL OR record.key_id = $4)
     ${groups.length === 0 ? "HAVING count(*) > 0" : `GROUP BY ${groups.join(", ")}`}
     ORDER BY ${period === undefined ? "" : "1, "}cost_dollars DESC, requests DESC`,
    [question.teamId, question.from, question.to, question.keyId ?? null],
  );
  return rows.map(toUsageRow);
}

interface UsageSqlRow {
  readonly period_start?: Date;
  readonly key_id?: string | null;
  readonly key_name?: string | null;
  readonly endpoint?: string;
  readonly requests: number;
  readonly errors: number;
  readonly tokens: number;
  readonly cost_dollars: string;
  readonly average_ms: number;
  readonly max_ms: number;
  readonly percentiles_ms: readonly number[];
}

function toUsageRow(row: UsageSqlRow): UsageRow {
  return {
    ...(row.period_start === undefined ? {} : { periodStart: row.period_start }),
    ...(row.key_id === undefined ? {} : { keyId: row.key_id, keyName: row.key_name ?? null }),
    ...(row.endpoint === undefined ? {} : { endpoint: row.endpoint }),
    requests: row.requests,
    errors: row.errors,
    tokens: row.tokens,
    costDollars: Number(row.cost_dollars),
    latencyMs: {
      average: row.average_ms,
      p50: row.percentiles_ms[0] ?? 0,
      p95: row.percentiles_ms[1] ?? 0,
      max: row.max_ms,
    },
  };
}
