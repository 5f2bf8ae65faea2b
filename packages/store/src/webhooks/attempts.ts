import { AppError, decodeCursor, toPage, type Page } from "@quarry/base";
import type { Queryable } from "../database.ts";
import { toJsonb } from "../jsonb.ts";

/** One try to tell a webhook of an event. */
export interface WebhookAttempt {
  readonly id: string;
  readonly webhookId: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly url: string;
  readonly successful: boolean;
  /** 0 without an answer. */
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** Why it failed, in a sentence. */
  readonly error: string | null;
  /** From 1. */
  readonly attempt: number;
  readonly attemptedAt: Date;
  readonly durationMs: number;
}

/** Writes down an attempt; none of a webhook that was deleted while it was tried. */
export async function addAttempt(db: Queryable, attempt: WebhookAttempt): Promise<void> {
  await db.query(`${INSERT_ATTEMPT} WHERE EXISTS (SELECT FROM webhooks WHERE id = $2)`, attemptValues(attempt));
}

/** Takes `attemptValues` as $1 to $13; a FROM and a WHERE may follow. */
export const INSERT_ATTEMPT = `INSERT INTO webhook_attempts (id, webhook_id, event_id, event_type, url, successful,
    status_code, headers, body, error, attempt, attempted_at, duration_ms)
  SELECT $1::text, $2::text, $3::text, $4::text, $5::text, $6::boolean, $7::integer, $8::jsonb, $9::text, $10::text,
    $11::integer, $12::timestamptz, $13::integer`;

export function attemptValues(attempt: WebhookAttempt): readonly unknown[] {
  return [
    attempt.id,
    attempt.webhookId,
    attempt.eventId,
    attempt.eventType,
    attempt.url,
    attempt.successful,
    attempt.statusCode,
    toJsonb(attempt.headers),
    attempt.body?.replaceAll("\0", "\ufffd") ?? null,
    attempt.error,
    attempt.attempt,
    attempt.attemptedAt,
    attempt.durationMs,
  ];
}

/** The attempts of a webhook, newest first. */
export async function listAttempts(
  db: Queryable,
  webhookId: string,
  question: {
    readonly eventType?: string | undefined;
    readonly successful?: boolean | undefined;
    readonly cursor?: string | undefined;
    readonly limit: number;
  },
): Promise<Page<WebhookAttempt>> {
  const [at, id] = question.cursor === undefined ? [] : decodeCursor(question.cursor, 2);
  if (at !== undefined && Number.isNaN(Date.parse(at))) throw foreignCursor();
  const rows = await db.query<AttemptRow>(
    `SELECT id, webhook_id, event_id, event_type, url, successful, status_code, headers, body, error, attempt,
       attempted_at, duration_ms
     FROM webhook_attempts
     WHERE webhook_id = $1 AND ($2::text IS NULL OR event_type = $2) AND ($3::boolean IS NULL OR successful = $3)
       AND ($4::timestamptz IS NULL OR (attempted_at, id) < ($4, $5))
     ORDER BY attempted_at DESC, id DESC LIMIT $6`,
    [webhookId, question.eventType ?? null, question.successful ?? null, at ?? null, id ?? null, question.limit + 1],
  );
  return toPage(rows.map(toAttempt), question.limit, (attempt) => [attempt.attemptedAt.toISOString(), attempt.id]);
}

interface AttemptRow {
  readonly id: string;
  readonly webhook_id: string;
  readonly event_id: string;
  readonly event_type: string;
  readonly url: string;
  readonly successful: boolean;
  readonly status_code: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly error: string | null;
  readonly attempt: number;
  readonly attempted_at: Date;
  readonly duration_ms: number;
}

function toAttempt(row: AttemptRow): WebhookAttempt {
  return {
    id: row.id,
    webhookId: row.webhook_id,
    eventId: row.event_id,
    eventType: row.event_type,
    url: row.url,
    successful: row.successful,
    statusCode: row.status_code,
    headers: row.headers,
    body: row.body,
    error: row.error,
    attempt: row.attempt,
    attemptedAt: row.attempted_at,
    durationMs: row.duration_ms,
  };
}

function foreignCursor(): AppError {
  return new AppError(
    "invalid_request",
    "cursor: not one of this list; pass nextCursor of the page before, unchanged",
    {
      details: { field: "cursor" },
    },
  );
}
