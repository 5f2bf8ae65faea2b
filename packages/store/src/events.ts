import { AppError, decodeCursor, makeId, toPage, type Page } from "@quarry/base";
import type { Queryable, Transaction } from "./database.ts";
import { toJsonb, type Json } from "./jsonb.ts";

/** The thing an event is about. */
export interface EventResource {
  readonly kind: string;
  readonly id: string;
}

/** An event as it is written. */
export interface NewEvent {
  readonly teamId: string;
  readonly type: string;
  readonly resource: EventResource;
  /** The resource as the wire shows it, at the moment of the event. */
  readonly data: Json;
}

/** An event as it stands in the log. */
export interface StoredEvent extends NewEvent {
  readonly id: string;
  /** Its place in the order of the log. */
  readonly sequence: number;
  readonly createdAt: Date;
}

/** Which events to list. */
export interface EventQuestion {
  readonly teamId: string;
  readonly types?: readonly string[];
  readonly resource?: EventResource;
  /** Only about these kinds of resources. */
  readonly kinds?: readonly string[];
  /** Both bounds are inclusive. */
  readonly createdAfter?: Date;
  readonly createdBefore?: Date;
  readonly order?: "oldest-first" | "newest-first";
  /**
   * Leaves out events before which another may still appear: numbers are handed out before
   * the commit. A reader that goes on from its cursor for ever asks for this.
   */
  readonly settledOnly?: boolean;
  readonly cursor?: string;
  readonly limit: number;
}

/** The NOTIFY channel that tells of new events; the payload is the team's id. */
export const EVENTS_CHANNEL = "quarry_events";

/** Writes an event in the transaction of the change it tells of. The log is append-only: this is the one way in. */
export async function appendEvent(tx: Transaction, event: NewEvent, now: Date = new Date()): Promise<StoredEvent> {
  const [stored] = await appendEvents(tx, [event], now);
  if (stored === undefined) throw new Error("one event in, none out");
  return stored;
}

/** Writes events in the order given, with one statement; for changes that come by the hundred. */
export async function appendEvents(
  tx: Transaction,
  events: readonly NewEvent[],
  now: Date = new Date(),
): Promise<readonly StoredEvent[]> {
  const inputs = events.map((event) => ({
    id: makeId("event", now),
    team_id: event.teamId,
    type: event.type,
    resource_kind: event.resource.kind,
    resource_id: event.resource.id,
    data: event.data,
  }));
  const rows = await tx.query<EventRow>(
    `INSERT INTO events (id, team_id, type, resource_kind, resource_id, data, created_at)
     SELECT input ->> 'id', input ->> 'team_id', input ->> 'type', input ->> 'resource_kind', input ->> 'resource_id',
            input -> 'data', $2
     FROM jsonb_array_elements($1::jsonb) WITH ORDINALITY AS given (input, place)
     ORDER BY place
     RETURNING ${COLUMNS}`,
    [toJsonb(inputs), now],
  );
  return rows.map(toEvent);
}

/** One event of the team; undefined when there is none by that id, or when it is another team's. */
export async function getEvent(db: Queryable, teamId: string, id: string): Promise<StoredEvent | undefined> {
  const [row] = await db.query<EventRow>(`SELECT ${COLUMNS} FROM events WHERE team_id = $1 AND id = $2`, [teamId, id]);
  return row === undefined ? undefined : toEvent(row);
}

/** Lists a team's events in the order of the log, oldest first unless asked otherwise. */
export async function listEvents(db: Queryable, question: EventQuestion): Promise<Page<StoredEvent>> {
  const { resource } = question;
  const newestFirst = question.order === "newest-first";
  const after = question.cursor === undefined ? null : readPosition(question.cursor);
  const settled = question.settledOnly === true ? await readSettledSequence(db) : null;
  const rows = await db.query<EventRow>(
    `SELECT ${COLUMNS} FROM events
     WHERE team_id = $1
       AND ($2::text[] IS NULL OR type = ANY ($2))
       AND ($3::text IS NULL OR (resource_kind = $3 AND resource_id = $4))
       AND ($5::timestamptz IS NULL OR created_at >= $5)
       AND ($6::timestamptz IS NULL OR created_at <= $6)
       AND ($7::bigint IS NULL OR sequence ${newestFirst ? "<" : ">"} $7)
       AND ($8::bigint IS NULL OR sequence <= $8)
       AND ($9::text[] IS NULL OR resource_kind = ANY ($9))
     ORDER BY sequence ${newestFirst ? "DESC" : "ASC"}
     LIMIT $10`,
    [
      question.teamId,
      question.types ?? null,
      resource?.kind ?? null,
      resource?.id ?? null,
      question.createdAfter ?? null,
      question.createdBefore ?? null,
      after,
      settled,
      question.kinds ?? null,
      question.limit + 1,
    ],
  );
  return toPage(rows.map(toEvent), question.limit, (event) => [String(event.sequence)]);
}

/**
 * The place in the log up to which nothing can appear any more. Two statements, in this order: whoever got a number up
 * to the first one's has told of it (`announce_event_writer`), or has ended by the second and can be seen by a third.
 */
export async function readSettledSequence(db: Queryable): Promise<number> {
  const [last] = await db.query<{ sequence: number }>(
    "SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END AS sequence FROM events_sequence_seq",
  );
  const [open] = await db.query<{ sequence: number | null }>(
    `SELECT min(((classid::bigint << 32) | objid::bigint) & ((1::bigint << 44) - 1)) AS sequence FROM pg_locks
     WHERE locktype = 'advisory' AND objsubid = 1 AND classid::bigint >> 12 = 7701
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  );
  if (last === undefined) throw new Error("the log's sequence has no row");
  return Math.min(last.sequence, open?.sequence ?? last.sequence);
}

const COLUMNS = "id, team_id, type, resource_kind, resource_id, sequence, data, created_at";

interface EventRow {
  readonly id: string;
  readonly team_id: string;
  readonly type: string;
  readonly resource_kind: string;
  readonly resource_id: string;
  readonly sequence: number;
  readonly data: Json;
  readonly created_at: Date;
}

function toEvent(row: EventRow): StoredEvent {
  return {
    id: row.id,
    teamId: row.team_id,
    type: row.type,
    resource: { kind: row.resource_kind, id: row.resource_id },
    sequence: row.sequence,
    data: row.data,
    createdAt: row.created_at,
  };
}

/** Throws `invalid_request` for a cursor that is not ours. */
function readPosition(cursor: string): string {
  const [position = ""] = decodeCursor(cursor, 1);
  if (/^\d{1,18}$/.test(position)) return position;
  throw new AppError("invalid_request", "cursor: not one of this list; pass nextCursor of the page before, unchanged", {
    details: { field: "cursor" },
  });
}
