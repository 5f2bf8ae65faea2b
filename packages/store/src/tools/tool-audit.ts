import { createHash } from "node:crypto";
import { decodeCursor, toPage, type Page } from "@quarry/base";
import type { Queryable } from "../database.ts";

/** What the log says of one call. */
export interface AuditEntry {
  readonly at: string;
  readonly callId: string | null;
  readonly sessionId: string | null;
  readonly toolCallId: string;
  readonly tool: string;
  readonly argsHash: string;
  /** allow, ask or deny, and what decided. */
  readonly decision: string;
  readonly decidedBy: string;
  readonly who: string;
  readonly result: string;
  readonly durationMs: number;
  readonly isInternal: boolean;
  /** The word that the caller gave an edit, where it gave one. */
  readonly editCategory?: string;
}

/** One link of the chain as it stands in the log. */
export interface AuditRecord {
  readonly sequence: number;
  /** The JSON of an AuditEntry, letter for letter as it was hashed. */
  readonly entry: string;
  /** Hexadecimal. */
  readonly hash: string;
}

/** Appends an entry to the team's log. The log is append-only: this, and the end of a call, are the ways in. */
export async function appendAudit(db: Queryable, teamId: string, entry: AuditEntry): Promise<void> {
  await db.query("SELECT append_tool_audit($1, $2)", [teamId, JSON.stringify(entry)]);
}

/** The team's log, oldest first. */
export async function listAudit(
  db: Queryable,
  teamId: string,
  page: { readonly limit: number; readonly cursor?: string | undefined },
): Promise<Page<AuditRecord>> {
  const [after] = page.cursor === undefined ? [] : decodeCursor(page.cursor, 1);
  const rows = await db.query<{ sequence: number; entry: string; hash: Buffer }>(
    `SELECT sequence, entry, hash FROM tool_audit WHERE team_id = $1 AND sequence > $2::bigint
     ORDER BY sequence LIMIT $3`,
    [teamId, after !== undefined && /^\d{1,18}$/.test(after) ? after : "0", page.limit + 1],
  );
  const records = rows.map((row) => ({ sequence: row.sequence, entry: row.entry, hash: row.hash.toString("hex") }));
  return toPage(records, page.limit, ({ sequence }) => [String(sequence)]);
}

/** Where a chain is broken. */
export interface ChainBreak {
  readonly sequence: number;
  readonly problem: "missing" | "changed";
}

/**
 * Checks a stretch of the log, which goes on after the hash `after` (zeros at the
 * start). The log's end cannot be checked by itself: keep the last hash elsewhere.
 */
export function findChainBreak(
  records: readonly AuditRecord[],
  after: { readonly sequence: number; readonly hash: string } = { sequence: 0, hash: "00".repeat(32) },
): ChainBreak | undefined {
  let { sequence, hash } = after;
  for (const record of records) {
    sequence += 1;
    if (record.sequence !== sequence) return { sequence, problem: "missing" };
    hash = createHash("sha256")
      .update(Buffer.from(hash, "hex"))
      .update(`${sequence}\n${record.entry}`, "utf8")
      .digest("hex");
    if (hash !== record.hash) return { sequence, problem: "changed" };
  }
  return undefined;
}
