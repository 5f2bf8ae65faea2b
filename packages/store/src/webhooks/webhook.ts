import type { EventResource } from "../events.ts";

/** An address that wants to hear of events. */
export interface Webhook {
  readonly id: string;
  readonly teamId: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
  readonly status: "active" | "inactive";
  readonly secret: string;
  /** The one before, while it still counts. */
  readonly previousSecret: { readonly secret: string; readonly until: Date } | null;
  /** The one thing it hears of, and belongs to; null for one of the team's list. */
  readonly resource: EventResource | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export const WEBHOOK_COLUMNS = `id, team_id, url, events, metadata, status, secret, previous_secret,
  previous_secret_until, resource_kind, resource_id, created_at, updated_at`;

export interface WebhookRow {
  readonly id: string;
  readonly team_id: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
  readonly status: "active" | "inactive";
  readonly secret: string;
  readonly previous_secret: string | null;
  readonly previous_secret_until: Date | null;
  readonly resource_kind: string | null;
  readonly resource_id: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export function toWebhook(row: WebhookRow): Webhook {
  const { previous_secret: previous, previous_secret_until: until, resource_kind: kind, resource_id: id } = row;
  return {
    id: row.id,
    teamId: row.team_id,
    url: row.url,
    events: row.events,
    metadata: row.metadata,
    status: row.status,
    secret: row.secret,
    previousSecret: previous === null || until === null ? null : { secret: previous, until },
    resource: kind === null || id === null ? null : { kind, id },
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
