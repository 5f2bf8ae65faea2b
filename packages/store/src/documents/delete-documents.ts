import type { Transaction } from "../database.ts";
import type { DocumentSource } from "./document.ts";
import { INDEX_OUTBOX_CHANNEL } from "./index-outbox.ts";
import { lockDocuments } from "./lock-documents.ts";
import { placeAnew } from "./place-anew.ts";

/**
 * Deletes a team's documents: each becomes a tombstone with a new version and is queued for the index; their duplicates
 * are placed anew. Returns the URLs that were there. Snapshots and texts stay until nothing refers to them.
 */
export async function deleteDocuments(
  tx: Transaction,
  teamId: string,
  urls: readonly string[],
  now: Date,
): Promise<readonly string[]> {
  const asked = urls.map((url) => ({ teamId, url, contentHash: null, canonicalUrl: null }));
  await lockDocuments(tx, asked);
  const rows = await tx.query<{ url: string }>(
    `WITH gone AS (
       UPDATE documents AS doc SET deleted_at = $3, version = nextval('document_versions'), details = '{}',
         simhash_keys = NULL
       WHERE doc.team_id = $1 AND doc.url = ANY ($2) AND doc.deleted_at IS NULL
       RETURNING doc.team_id, doc.url, doc.version),
     queued AS (
       INSERT INTO index_outbox (team_id, url, version, queued_at)
       SELECT team_id, url, version, $3 FROM gone
       ON CONFLICT (team_id, url) DO UPDATE SET version = excluded.version),
     told AS MATERIALIZED (SELECT pg_notify('${INDEX_OUTBOX_CHANNEL}', '') WHERE EXISTS (SELECT FROM gone))
     SELECT gone.url FROM gone LEFT JOIN told ON true`,
    [teamId, urls, now],
  );
  const gone = rows.map(({ url }) => url);
  await placeAnew(
    tx,
    gone.map((url) => ({ teamId, url })),
  );
  return gone;
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
