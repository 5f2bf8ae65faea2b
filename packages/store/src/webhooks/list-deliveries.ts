import { AppError, decodeCursor, toPage, type Page } from "@quarry/base";
import type { Database, Queryable } from "../database.ts";
import type { DeliveryState } from "./delivery-state.ts";
import { WEBHOOKS_CHANNEL } from "./deliver.ts";

/** One event on its way to a webhook, or arrived, or given up. */
export interface WebhookDelivery {
  readonly webhookId: string;
  readonly eventId: string;
  readonly eventType: string;
  /** The event's place in the log. */
  readonly sequence: number;
  readonly state: DeliveryState;
  /** When it is tried next; means nothing once it is finished. */
  readonly dueAt: Date;
  readonly attempts: number;
  readonly error: string | null;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
}

/** The deliveries of a webhook, the newest events first. */
export async function listDeliveries(
  db: Queryable,
  webhookId: string,
  question: {
    readonly state?: DeliveryState | undefined;
    readonly cursor?: string | undefined;
    readonly limit: number;
  },
): Promise<Page<WebhookDelivery>> {
  const [before] = question.cursor === undefined ? [] : decodeCursor(question.cursor, 1);
  if (before !== undefined && !/^\d{1,18}$/.test(before)) {
    throw new AppError(
      "invalid_request",
      "cursor: not one of this list; pass nextCursor of the page before, unchanged",
    );
  }
  const rows = await db.query<DeliveryRow>(
    `SELECT webhook_id, event_id, event_type, sequence, state, due_at, attempts, error, created_at, finished_at
     FROM webhook_deliveries
     WHERE webhook_id = $1 AND ($2::text IS NULL OR state = $2) AND ($3::bigint IS NULL OR sequence < $3)
     ORDER BY sequence DESC LIMIT $4`,
    [webhookId, question.state ?? null, before ?? null, question.limit + 1],
  );
  return toPage(rows.map(toDelivery), question.limit, ({ sequence }) => [String(sequence)]);
}

/** Which events to send again. */
export type ReplayWish =
  | { readonly kind: "dead" }
  | { readonly kind: "events"; readonly eventIds: readonly string[] }
  /** Every event of the log from this time on that the webhook wants, whether it was told of it or not. */
  | { readonly kind: "since"; readonly since: Date; readonly until: Date };

/** More events than this are replayed in several calls. */
export const MAX_REPLAYED_EVENTS = 10_000;

/**
 * Queues events for a webhook again, each with its whole schedule of tries; those under way stay as they are. Returns
 * how many were queued: at most MAX_REPLAYED_EVENTS, the oldest first.
 */
export function replayDeliveries(
  db: Database,
  webhook: { readonly id: string; readonly teamId: string },
  wish: ReplayWish,
  now: Date,
): Promise<number> {
  return db.transaction(async (tx) => {
    const rows = await tx.query<{ event_id: string }>(
      `INSERT INTO webhook_deliveries (webhook_id, event_id, event_type, lane, sequence, state, due_at, created_at)
       SELECT $1, event.id, event.type, event.resource_kind || ':' || event.resource_id, event.sequence, 'waiting', $2, $2
       FROM webhooks AS hook CROSS JOIN LATERAL (
         ${WISHED[wish.kind]} ORDER BY sequence LIMIT ${MAX_REPLAYED_EVENTS}
       ) AS wished JOIN events AS event USING (sequence)
       WHERE hook.id = $1 AND hook.team_id = $3
       ON CONFLICT (webhook_id, event_id) DO UPDATE SET state = 'waiting', due_at = $2, attempts = 0, error = NULL,
         finished_at = NULL
       WHERE webhook_deliveries.state IN ('delivered', 'dead')
       RETURNING event_id`,
      [webhook.id, now, webhook.teamId, ...valuesOf(wish)],
    );
    await tx.query("SELECT pg_notify($1, '')", [WEBHOOKS_CHANNEL]);
    return rows.length;
  });
}

const IS_WANTED = `wanted.team_id = $3 AND wanted.type = ANY (hook.events)
  AND CASE WHEN hook.resource_id IS NULL THEN wanted.resource_kind <> 'search_monitor'
    ELSE wanted.resource_kind = hook.resource_kind AND wanted.resource_id = hook.resource_id END`;

const WISHED: Readonly<Record<ReplayWish["kind"], string>> = {
  dead: "SELECT sequence FROM webhook_deliveries WHERE webhook_id = hook.id AND state = 'dead'",
  events: `SELECT sequence FROM events AS wanted WHERE wanted.id = ANY ($4::text[]) AND ${IS_WANTED}`,
  since: `SELECT sequence FROM events AS wanted WHERE wanted.created_at BETWEEN $4 AND $5 AND ${IS_WANTED}`,
};

function valuesOf(wish: ReplayWish): readonly unknown[] {
  switch (wish.kind) {
    case "dead":
      return [];
    case "events":
      return [wish.eventIds];
    case "since":
      return [wish.since, wish.until];
  }
}

interface DeliveryRow {
  readonly webhook_id: string;
  readonly event_id: string;
  readonly event_type: string;
  readonly sequence: number;
  readonly state: DeliveryState;
  readonly due_at: Date;
  readonly attempts: number;
  readonly error: string | null;
  readonly created_at: Date;
  readonly finished_at: Date | null;
}

function toDelivery(row: DeliveryRow): WebhookDelivery {
  return {
    webhookId: row.webhook_id,
    eventId: row.event_id,
    eventType: row.event_type,
    sequence: row.sequence,
    state: row.state,
    dueAt: row.due_at,
    attempts: row.attempts,
    error: row.error,
    createdAt: row.created_at,
    finishedAt: row.finished_at,
  };
}
