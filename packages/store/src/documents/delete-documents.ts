import type { Transaction } from "../database.ts";
import type { DocumentSource } from "./document.ts";
import { INDEX_OUTBOX_CHANNEL } from "./index-outbox.ts";

/**
 * Deletes a team's documents: each becomes a tombstone with a new version and is queued for the index. Returns the
 * URLs that were there. Snapshots and texts stay until nothing refers to them.
 */
export async function deleteDocuments(
  tx: Transaction,
  teamId: string,
  urls: readonly string[],
  now: Date,
): Promise<readonly string[]> {
  const rows = await tx.query<{ url: string }>(
    `WITH found AS (
       SELECT team_id, url FROM documents
       WHERE team_id = $1 AND url = ANY ($2) AND deleted_at IS NULL ORDER BY url FOR UPDATE),
     gone AS (
       UPDATE documents AS doc SET deleted_at = $3, version = nextval('document_versions'), details = '{}',
         simhash_keys = NULL
       FROM found WHERE doc.team_id = found.team_id AND doc.url = found.url
       RETURNING doc.team_id, doc.url, doc.version),
     queued AS (
       INSERT INTO index_outbox (team_id, url, version, queued_at)
       SELECT team_id, url, version, $3 FROM gone
       ON CONFLICT (team_id, url) DO UPDATE SET version = excluded.version),
     told AS MATERIALIZED (SELECT pg_notify('${INDEX_OUTBOX_CHANNEL}', '') WHERE EXISTS (SELECT FROM gone))
     SELECT gone.url FROM gone LEFT JOIN told ON true`,
    [teamId, urls, now],
  );
  return rows.map(({ url }) => url);
}

/** As `deleteDocuments`, for all of a team's documents that came one way. */
export async function deleteDocumentsOf(
  tx: Transaction,
  { teamId, source }: { readonly teamId: string; readonly source: DocumentSource },
  now: Date,
): Promise<readonly string[]> {
  const rows = await tx.query<{ url: string }>(
    "SELECT url FROM documents WHERE team_id = $1 AND source = $2 AND deleted_at IS NULL",
    [teamId, source],
  );
  return deleteDocuments(
    tx,
    teamId,
    rows.map(({ url }) => url),
    now,
  );
}
