import type { Database, Queryable } from "../database.ts";
import type { Json } from "../jsonb.ts";
import { attemptValues, INSERT_ATTEMPT, type WebhookAttempt } from "./attempts.ts";
import { toWebhook, WEBHOOK_COLUMNS, type Webhook, type WebhookRow } from "./webhook.ts";

/** The NOTIFY channel that tells of new deliveries. */
export const WEBHOOKS_CHANNEL = "quarry_webhooks";

/** A webhook that has something to send, and from when on. */
export interface DueWebhook {
  readonly webhookId: string;
  readonly dueAt: Date;
}

/** An event on its way, in the hands of one sender. */
export interface LeasedDelivery {
  readonly webhook: Webhook;
  readonly event: {
    readonly id: string;
    readonly type: string;
    readonly data: Json;
    readonly createdAt: Date;
  };
  /** Tries before this one. */
  readonly attempts: number;
  readonly lease: string;
}

/** What became of one try. */
export interface Settlement {
  readonly state: "delivered" | "dead" | "waiting";
  /** When to try again; for `waiting`. */
  readonly dueAt: Date;
  /** The receiver wants no more: its other deliveries die with this one, and it becomes inactive. */
  readonly isGone: boolean;
  readonly attempt: WebhookAttempt;
}

/** Every webhook with something to send, now or later, the soonest first. */
export async function listDueWebhooks(db: Queryable): Promise<readonly DueWebhook[]> {
  // By leaps through the index: one step for each webhook, however many deliveries wait.
  const rows = await db.query<{ webhook_id: string; due_at: Date }>(
    `WITH RECURSIVE hook AS (
       (SELECT webhook_id, due_at FROM webhook_deliveries WHERE state = 'waiting' ORDER BY webhook_id, due_at LIMIT 1)
       UNION ALL
       SELECT following.webhook_id, following.due_at FROM hook CROSS JOIN LATERAL (
         SELECT webhook_id, due_at FROM webhook_deliveries
         WHERE state = 'waiting' AND webhook_id > hook.webhook_id ORDER BY webhook_id, due_at LIMIT 1
       ) AS following
     )
     SELECT webhook_id, due_at FROM hook ORDER BY due_at`,
  );
  return rows.map((row) => ({ webhookId: row.webhook_id, dueAt: row.due_at }));
}

/** Leases up to `limit` deliveries of a webhook that are due and the first of their resource. */
export async function claimDeliveries(
  db: Database,
  webhookId: string,
  options: { readonly limit: number; readonly leaseMs: number; readonly now: Date },
): Promise<readonly LeasedDelivery[]> {
  const claimed = await db.query<{ event_id: string; attempts: number; lease_token: string }>(
    "SELECT event_id, attempts, lease_token FROM claim_webhook_deliveries($1, $2, $3, $4) ORDER BY sequence",
    [webhookId, options.limit, options.leaseMs, options.now],
  );
  if (claimed.length === 0) return [];
  // Apart from the claim: its own statement sees what was committed before it, and a claim may find what came since.
  const rows = await db.query<WebhookRow & EventColumns>(
    `SELECT ${WEBHOOK_COLUMNS}, event_id, event_type, event_data, event_created_at FROM webhooks CROSS JOIN (
       SELECT id AS event_id, type AS event_type, data AS event_data, created_at AS event_created_at
       FROM events WHERE id = ANY ($2)
     ) AS event WHERE id = $1`,
    [webhookId, claimed.map(({ event_id: id }) => id)],
  );
  const byEvent = new Map(rows.map((row) => [row.event_id, row]));
  return claimed.flatMap((delivery) => {
    const row = byEvent.get(delivery.event_id);
    if (row === undefined) return []; // the webhook was deleted since, with its deliveries
    const event = { id: row.event_id, type: row.event_type, data: row.event_data, createdAt: row.event_created_at };
    return [{ webhook: toWebhook(row), event, attempts: delivery.attempts, lease: delivery.lease_token }];
  });
}

interface EventColumns {
  readonly event_id: string;
  readonly event_type: string;
  readonly event_data: Json;
  readonly event_created_at: Date;
}

/** Writes down an attempt and what follows from it; false, and nothing kept, when the lease was lost meanwhile. */
export async function settleDelivery(db: Database, delivery: LeasedDelivery, settlement: Settlement): Promise<boolean> {
  if (!settlement.isGone) return settle(db, delivery, settlement);
  return db.transaction(async (tx) => {
    const isOurs = await settle(tx, delivery, settlement);
    if (isOurs) await dismiss(tx, delivery.webhook.id, settlement.attempt.attemptedAt);
    return isOurs;
  });
}

/** One statement, since there is one for every try. */
async function settle(db: Queryable, delivery: LeasedDelivery, settlement: Settlement): Promise<boolean> {
  const { attempt } = settlement;
  const [settled] = await db.query<{ is_ours: boolean }>(
    `WITH settled AS (
       SELECT settle_webhook_delivery($14, $15, $16, $17, $18, $10, $12) AS is_ours
     ), added AS (
       ${INSERT_ATTEMPT} FROM settled WHERE is_ours
     )
     SELECT is_ours FROM settled`,
    [
      ...attemptValues(attempt),
      delivery.webhook.id,
      delivery.event.id,
      delivery.lease,
      settlement.state,
      settlement.dueAt,
    ],
  );
  return settled?.is_ours === true;
}

async function dismiss(tx: Queryable, webhookId: string, at: Date): Promise<void> {
  await tx.query("UPDATE webhooks SET status = 'inactive', updated_at = $2 WHERE id = $1", [webhookId, at]);
  await tx.query(
    `UPDATE webhook_deliveries SET state = 'dead', error = 'the receiver answered 410 to an earlier event',
       finished_at = $2, lease_token = NULL, lease_expires_at = NULL
     WHERE webhook_id = $1 AND state IN ('waiting', 'behind', 'sending')`,
    [webhookId, at],
  );
}

/** Gives deliveries back whose sender is gone: their lease has run out. Returns how many. */
export async function requeueLostDeliveries(db: Queryable): Promise<number> {
  const rows = await db.query<{ event_id: string }>(
    `UPDATE webhook_deliveries SET state = 'waiting', lease_token = NULL, lease_expires_at = NULL
     WHERE state = 'sending' AND lease_expires_at < clock_timestamp() RETURNING event_id`,
  );
  return rows.length;
}

/** Hands back deliveries that were not tried, as if never claimed. */
export async function handBackDeliveries(db: Queryable, leases: readonly string[]): Promise<void> {
  await db.query(
    `UPDATE webhook_deliveries SET state = 'waiting', lease_token = NULL, lease_expires_at = NULL
     WHERE lease_token = ANY ($1::uuid[])`,
    [leases],
  );
}

/** Removes what was delivered, and attempts, from before `before`; dead letters stay until replayed. At most `limit` of each. */
export async function sweepDeliveries(db: Queryable, before: Date, limit: number): Promise<void> {
  await db.query(
    `DELETE FROM webhook_deliveries WHERE (webhook_id, event_id) IN (
       SELECT webhook_id, event_id FROM webhook_deliveries
       WHERE finished_at < $1 AND state = 'delivered' LIMIT $2)`,
    [before, limit],
  );
  await db.query(
    "DELETE FROM webhook_attempts WHERE id IN (SELECT id FROM webhook_attempts WHERE attempted_at < $1 LIMIT $2)",
    [before, limit],
  );
}
