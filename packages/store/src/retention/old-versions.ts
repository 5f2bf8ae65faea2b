import type { Database, Queryable } from "../database.ts";
import { isUnreferenced, readReferences, type Reference } from "./references.ts";
import { DELETED_GRACE_HOURS, type RetentionPolicy } from "./retention-policy.ts";

const ROWS_PER_STATEMENT = 1_000;
const MAX_STATEMENTS = 1_000;

/** Tables that hold what documents are and were; all others that refer to a text cite it. */
const OWN_TABLES: ReadonlySet<string> = new Set(["documents", "document_history", "extracted_texts"]);

/** Who cites texts and snapshots, beside documents and their history. */
export interface Citations {
  readonly ofTexts: readonly Reference[];
  readonly ofSnapshots: readonly Reference[];
}

/** Reads which tables cite. */
export async function readCitations(db: Queryable): Promise<Citations> {
  const cites = ({ table }: Reference): boolean => !OWN_TABLES.has(table);
  return {
    ofTexts: (await readReferences(db, "extracted_texts")).filter(cites),
    ofSnapshots: (await readReferences(db, "snapshots")).filter(cites),
  };
}

/**
 * SQL for the versions that the policy drops; takes `$1` versions, `$2` the time before which the others go, `$3` the
 * time before which a document must have been deleted. Left out are those of a document as it is, and all that is cited:
 * the row is the team's right to read the snapshot.
 */
export function oldVersionsQuery({ ofTexts, ofSnapshots }: Citations): string {
  const ofSnapshot = ofSnapshots.map((reference) => ({ ...reference, targets: ["snapshot_id"] }));
  return `SELECT past.team_id, past.url, past.version
    FROM (SELECT *, row_number() OVER (PARTITION BY team_id, url ORDER BY version DESC) AS place
          FROM document_history) AS past
    LEFT JOIN documents AS doc ON doc.team_id = past.team_id AND doc.url = past.url
    WHERE ((past.place > $1 AND past.seen_at < $2) OR doc.deleted_at < $3 OR doc.url IS NULL)
      AND (doc.url IS NULL OR doc.deleted_at IS NOT NULL
        OR (doc.snapshot_id, doc.extractor_version) <> (past.snapshot_id, past.extractor_version))
      AND ${isUnreferenced(ofTexts, "past")} AND ${isUnreferenced(ofSnapshot, "past")}`;
}

/** The parameters of `oldVersionsQuery`. */
export function oldVersionsParameters(policy: RetentionPolicy, now: Date): readonly unknown[] {
  const before = (hours: number): Date => new Date(now.getTime() - hours * 60 * 60 * 1000);
  return [policy.versions, before(policy.versionDays * 24), before(DELETED_GRACE_HOURS)];
}

/** Forgets the versions that the policy drops, and which texts long-deleted documents had; answers how many. */
export async function dropOldVersions(
  db: Database,
  policy: RetentionPolicy,
  { now, signal }: { readonly now: Date; readonly signal: AbortSignal },
): Promise<number> {
  const citations = await readCitations(db);
  const parameters = oldVersionsParameters(policy, now);
  let dropped = 0;
  for (let statement = 0; statement < MAX_STATEMENTS; statement += 1) {
    signal.throwIfAborted();
    const rows = await db.query(
      `DELETE FROM document_history AS past
       USING (${oldVersionsQuery(citations)} LIMIT ${ROWS_PER_STATEMENT}) AS old
       WHERE past.team_id = old.team_id AND past.url = old.url AND past.version = old.version RETURNING 1`,
      [...parameters],
    );
    dropped += rows.length;
    if (rows.length < ROWS_PER_STATEMENT) break;
  }
  await db.query(
    `UPDATE documents AS doc SET snapshot_id = NULL, extractor_version = NULL, content_hash = NULL
     WHERE doc.deleted_at < $1 AND doc.snapshot_id IS NOT NULL
       AND NOT EXISTS (SELECT FROM index_outbox AS wait WHERE wait.team_id = doc.team_id AND wait.url = doc.url)`,
    [parameters[2]],
  );
  return dropped;
}
