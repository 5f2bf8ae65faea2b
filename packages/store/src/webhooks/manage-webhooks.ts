import { AppError, decodeCursor, toPage, type Page } from "@quarry/base";
import type { Queryable } from "../database.ts";
import type { EventResource } from "../events.ts";
import { toJsonb } from "../jsonb.ts";
import { toWebhook, WEBHOOK_COLUMNS, type Webhook, type WebhookRow } from "./webhook.ts";

/** What a new webhook is made of. */
export type NewWebhook = Pick<Webhook, "id" | "teamId" | "url" | "events" | "metadata" | "secret"> & {
  /** Bound to one resource: hears of events of that alone, and stands in no list. */
  readonly resource?: EventResource;
};

/** What can be changed of one. */
export type WebhookChange = Partial<Pick<Webhook, "url" | "events" | "metadata">>;

/** More of them would make each event slow to write. */
export const MAX_WEBHOOKS_PER_TEAM = 1_000;

/** Makes a webhook, which hears of events from now on. The same id again changes nothing. Throws `conflict` when the team has too many. */
export async function createWebhook(db: Queryable, webhook: NewWebhook, now: Date): Promise<Webhook> {
  const { id, teamId, resource } = webhook;
  await db.query(
    `INSERT INTO webhooks (id, team_id, url, events, metadata, status, secret, resource_kind, resource_id, created_at, updated_at)
     SELECT $1, $2, $3, $4, $5, 'active', $6, $7, $8, $9, $9
     WHERE $7::text IS NOT NULL
       OR (SELECT count(*) FROM webhooks WHERE team_id = $2 AND resource_id IS NULL) < $10
     ON CONFLICT (id) DO NOTHING`,
    [
      id,
      teamId,
      webhook.url,
      webhook.events,
      toJsonb(webhook.metadata),
      webhook.secret,
      resource?.kind ?? null,
      resource?.id ?? null,
      now,
      MAX_WEBHOOKS_PER_TEAM,
    ],
  );
  const made = await findWebhook(db, teamId, id);
  if (made !== undefined) return made;
  throw new AppError("conflict", `a team has at most ${MAX_WEBHOOKS_PER_TEAM} webhooks: delete one first`);
}

/** One webhook of the team; throws `not_found`, also for another team's. */
export async function getWebhook(db: Queryable, teamId: string, id: string): Promise<Webhook> {
  const webhook = await findWebhook(db, teamId, id);
  if (webhook === undefined) throw notFound();
  return webhook;
}

/** The team's webhooks, newest first, without those that belong to a resource. */
export async function listWebhooks(
  db: Queryable,
  teamId: string,
  page: { readonly limit: number; readonly cursor?: string | undefined },
): Promise<Page<Webhook>> {
  const [before] = page.cursor === undefined ? [] : decodeCursor(page.cursor, 1);
  const rows = await db.query<WebhookRow>(
    `SELECT ${WEBHOOK_COLUMNS} FROM webhooks
     WHERE team_id = $1 AND resource_id IS NULL AND ($2::text IS NULL OR id < $2)
     ORDER BY id DESC LIMIT $3`,
    [teamId, before ?? null, page.limit + 1],
  );
  return toPage(rows.map(toWebhook), page.limit, ({ id }) => [id]);
}

/** Changes a webhook and makes it active: whoever changes it wants it back. Queued deliveries go to the new URL. */
export async function updateWebhook(
  db: Queryable,
  teamId: string,
  id: string,
  change: WebhookChange & { readonly now: Date },
): Promise<Webhook> {
  const [row] = await db.query<WebhookRow>(
    `UPDATE webhooks SET url = coalesce($3, url), events = coalesce($4, events), metadata = coalesce($5, metadata),
       status = 'active', updated_at = $6
     WHERE team_id = $1 AND id = $2 RETURNING ${WEBHOOK_COLUMNS}`,
    [
      teamId,
      id,
      change.url ?? null,
      change.events ?? null,
      change.metadata === undefined ? null : toJsonb(change.metadata),
      change.now,
    ],
  );
  if (row === undefined) throw notFound();
  return toWebhook(row);
}

/** Removes a webhook with its deliveries and attempts, and returns it as it was. */
export async function deleteWebhook(db: Queryable, teamId: string, id: string): Promise<Webhook> {
  const [row] = await db.query<WebhookRow>(
    `DELETE FROM webhooks WHERE team_id = $1 AND id = $2 RETURNING ${WEBHOOK_COLUMNS}`,
    [teamId, id],
  );
  if (row === undefined) throw notFound();
  return toWebhook(row);
}

/** The webhook that belongs to a resource. */
export async function findWebhookOf(
  db: Queryable,
  teamId: string,
  resource: EventResource,
): Promise<Webhook | undefined> {
  const [row] = await db.query<WebhookRow>(
    `SELECT ${WEBHOOK_COLUMNS} FROM webhooks WHERE team_id = $1 AND resource_kind = $2 AND resource_id = $3
     ORDER BY id DESC LIMIT 1`,
    [teamId, resource.kind, resource.id],
  );
  return row === undefined ? undefined : toWebhook(row);
}

/** Makes a webhook inactive: it hears of nothing new, and what is queued still goes out. For a resource that ends. */
export async function retireWebhook(db: Queryable, teamId: string, id: string, now: Date): Promise<void> {
  await db.query("UPDATE webhooks SET status = 'inactive', updated_at = $3 WHERE team_id = $1 AND id = $2", [
    teamId,
    id,
    now,
  ]);
}

/** Gives a webhook a new secret; the one it had counts beside it until `previousUntil`. One older than that ends at once. */
export async function rotateWebhookSecret(
  db: Queryable,
  teamId: string,
  id: string,
  next: { readonly secret: string; readonly previousUntil: Date; readonly now: Date },
): Promise<Webhook> {
  const [row] = await db.query<WebhookRow>(
    `UPDATE webhooks SET previous_secret = secret, previous_secret_until = $4, secret = $3, updated_at = $5
     WHERE team_id = $1 AND id = $2 RETURNING ${WEBHOOK_COLUMNS}`,
    [teamId, id, next.secret, next.previousUntil, next.now],
  );
  if (row === undefined) throw notFound();
  return toWebhook(row);
}

async function findWebhook(db: Queryable, teamId: string, id: string): Promise<Webhook | undefined> {
  const [row] = await db.query<WebhookRow>(`SELECT ${WEBHOOK_COLUMNS} FROM webhooks WHERE team_id = $1 AND id = $2`, [
    teamId,
    id,
  ]);
  return row === undefined ? undefined : toWebhook(row);
}

function notFound(): AppError {
  return new AppError("not_found", "Webhook not found");
}
