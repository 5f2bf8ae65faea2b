import { AppError, decodeCursor, toPage, type Page } from "@quarry/base";
import type { Queryable, Transaction } from "../database.ts";
import { isUniqueViolation } from "../database-errors.ts";
import { toJsonb } from "../jsonb.ts";
import { asJson, toWebset, WEBSET_COLUMNS, type Webset, type WebsetPriority, type WebsetRow } from "./webset.ts";

/** What a new webset is made of. */
export type NewWebset = Pick<
  Webset,
  "id" | "teamId" | "externalId" | "title" | "metadata" | "excludes" | "imports" | "caps"
> & {
  /** medium unless given. */
  readonly priority?: WebsetPriority | undefined;
};

/**
 * Makes a webset. The same id again changes nothing and answers undefined; an externalId that another webset of the team
 * has is a `conflict`.
 */
export async function insertWebset(tx: Transaction, webset: NewWebset, now: Date): Promise<Webset | undefined> {
  try {
    const [row] = await tx.query<WebsetRow>(
      `INSERT INTO websets (id, team_id, external_id, title, metadata, excludes, imports, caps, priority, created_at,
         updated_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $10, $9, $9) ON CONFLICT (id) DO NOTHING RETURNING ${WEBSET_COLUMNS}`,
      [
        webset.id,
        webset.teamId,
        webset.externalId,
        webset.title,
        toJsonb(webset.metadata),
        toJsonb(asJson(webset.excludes)),
        toJsonb(asJson(webset.imports)),
        toJsonb(asJson(webset.caps)),
        now,
        webset.priority ?? "medium",
      ],
    );
    return row === undefined ? undefined : toWebset(row);
  } catch (error) {
    if (!isUniqueViolation(error, "websets_external_id")) throw error;
    throw new AppError(
      "conflict",
      `externalId: a webset with "${webset.externalId ?? ""}" exists already; choose another`,
      {
        cause: error,
        details: { field: "externalId" },
      },
    );
  }
}

/** Makes a webset more or less urgent; what is queued already keeps its place. */
export async function setWebsetPriority(tx: Transaction, id: string, priority: WebsetPriority): Promise<void> {
  await tx.query("UPDATE websets SET priority = $2 WHERE id = $1", [id, priority]);
}

/** A webset of the team by its id or its externalId; undefined when there is none. An id wins over an externalId. */
export async function findWebset(db: Queryable, teamId: string, reference: string): Promise<Webset | undefined> {
  const rows = await db.query<WebsetRow>(
    `SELECT ${WEBSET_COLUMNS} FROM websets WHERE team_id = $1 AND (id = $2 OR external_id = $2)`,
    [teamId, reference],
  );
  const row = rows.find(({ id }) => id === reference) ?? rows[0];
  return row === undefined ? undefined : toWebset(row);
}

/** As `findWebset`; throws `not_found`, also for another team's. */
export async function getWebset(db: Queryable, teamId: string, reference: string): Promise<Webset> {
  const webset = await findWebset(db, teamId, reference);
  if (webset === undefined) throw new AppError("not_found", "Webset not found");
  return webset;
}

/** Takes the webset for the rest of the transaction; undefined when it is gone. Everyone who changes a webset begins so. */
export async function lockWebset(tx: Transaction, id: string): Promise<Webset | undefined> {
  const [row] = await tx.query<WebsetRow>(`SELECT ${WEBSET_COLUMNS} FROM websets WHERE id = $1 FOR UPDATE`, [id]);
  return row === undefined ? undefined : toWebset(row);
}

/** The team's websets, newest first. `search` is looked for in id, externalId and title. */
export async function listWebsets(
  db: Queryable,
  teamId: string,
  page: { readonly limit: number; readonly cursor?: string | undefined; readonly search?: string | undefined },
): Promise<Page<Webset>> {
  const [before] = page.cursor === undefined ? [] : decodeCursor(page.cursor, 1);
  const pattern = page.search === undefined ? null : `%${page.search.replaceAll(/[\\%_]/g, "\\$&")}%`;
  const rows = await db.query<WebsetRow>(
    `SELECT ${WEBSET_COLUMNS} FROM websets WHERE team_id = $1 AND ($2::text IS NULL OR id < $2)
       AND ($3::text IS NULL OR id ILIKE $3 OR external_id ILIKE $3 OR title ILIKE $3)
     ORDER BY id DESC LIMIT $4`,
    [teamId, before ?? null, pattern, page.limit + 1],
  );
  return toPage(rows.map(toWebset), page.limit, ({ id }) => [id]);
}

/** Changes what a person may change of a webset; the caller holds its lock. */
export async function changeWebset(
  tx: Transaction,
  id: string,
  change: {
    readonly title?: string | null | undefined;
    readonly metadata?: Readonly<Record<string, string>> | undefined;
    readonly pausedAt?: Date | null;
  },
  now: Date,
): Promise<Webset> {
  const [row] = await tx.query<WebsetRow>(
    `UPDATE websets SET title = CASE WHEN $2 THEN $3::text ELSE title END, metadata = coalesce($4::jsonb, metadata),
       paused_at = CASE WHEN $5 THEN $6::timestamptz ELSE paused_at END, updated_at = $7
     WHERE id = $1 RETURNING ${WEBSET_COLUMNS}`,
    [
      id,
      change.title !== undefined,
      change.title ?? null,
      change.metadata === undefined ? null : toJsonb(change.metadata),
      change.pausedAt !== undefined,
      change.pausedAt ?? null,
      now,
    ],
  );
  if (row === undefined) throw new AppError("not_found", "Webset not found");
  return toWebset(row);
}

/** Removes a webset and all that hangs below it; the events that tell of it stay. */
export async function deleteWebset(tx: Transaction, id: string): Promise<void> {
  await tx.query(
    `DELETE FROM snapshot_citations WHERE cited_by_kind = 'webset_item'
       AND cited_by_id IN (SELECT id FROM webset_items WHERE webset_id = $1)`,
    [id],
  );
  await tx.query("DELETE FROM websets WHERE id = $1", [id]);
}

/** What a unit is about to use. */
export interface WebsetExpense {
  readonly pages?: number;
  readonly tokens?: number;
  readonly costDollars?: number;
}

/**
 * Books an expense before it is made, in one statement: false, and nothing booked, when it would pass a cap. So no cap is
 * passed, also by units that run side by side; a unit that dies has booked too much, never too little.
 */
export async function bookExpense(db: Queryable, websetId: string, expense: WebsetExpense): Promise<boolean> {
  const rows = await db.query(
    `UPDATE websets SET spent_pages = spent_pages + $2::integer, spent_tokens = spent_tokens + $3::bigint,
       spent_dollars = spent_dollars + $4::double precision
     WHERE id = $1
       AND (($2::integer <= 0) OR spent_pages + $2 <= coalesce((caps ->> 'pages')::bigint, 2147483647))
       AND (($3::bigint <= 0) OR spent_tokens + $3 <= coalesce((caps ->> 'tokens')::bigint, 9007199254740991))
       AND (($4::double precision <= 0) OR spent_dollars + $4 <= coalesce((caps ->> 'costDollars')::double precision, 'infinity'))
     RETURNING 1`,
    [websetId, expense.pages ?? 0, expense.tokens ?? 0, expense.costDollars ?? 0],
  );
  return rows.length === 1;
}

/** Names work of others that keeps a webset running; the caller holds the webset's lock. */
export async function beginWebsetWork(
  tx: Transaction,
  work: { readonly websetId: string; readonly kind: "import" | "monitor_run"; readonly id: string },
  now: Date,
): Promise<void> {
  await tx.query(
    "INSERT INTO webset_work (webset_id, kind, id, begun_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
    [work.websetId, work.kind, work.id, now],
  );
}

/** Ends what `beginWebsetWork` began; true when it was open. The caller then says whether the webset has become idle. */
export async function endWebsetWork(
  tx: Transaction,
  work: { readonly websetId: string; readonly kind: "import" | "monitor_run"; readonly id: string },
): Promise<boolean> {
  const rows = await tx.query("DELETE FROM webset_work WHERE webset_id = $1 AND kind = $2 AND id = $3 RETURNING 1", [
    work.websetId,
    work.kind,
    work.id,
  ]);
  return rows.length === 1;
}
