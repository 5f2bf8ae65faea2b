import type { Queryable } from "../database.ts";
import { SHARED_TEAM } from "./document.ts";

/** What a team's index holds. */
export interface IndexStats {
  readonly documents: number;
  /** Those of all teams, which its searches find beside its own. */
  readonly sharedDocuments: number;
  readonly words: number;
  /** Documents that another one stands for. */
  readonly duplicates: number;
  readonly lastChangedAt: Date | null;
  /** Most used first. */
  readonly languages: readonly { readonly language: string | null; readonly documents: number }[];
  /** Largest first. */
  readonly hosts: readonly { readonly host: string; readonly documents: number }[];
  readonly hostCount: number;
  /** Of all versions the documents have had; bytes before compression. */
  readonly snapshots: { readonly count: number; readonly bytes: number };
  /** Changes that the index has yet to learn of. */
  readonly outbox: number;
  /** Passages whose vectors the index has. */
  readonly passages: number;
  /** Documents whose vectors it has yet to get. */
  readonly vectorOutbox: number;
}

interface TotalsRow {
  readonly documents: number;
  readonly shared_documents: number;
  readonly words: number;
  readonly duplicates: number;
  readonly last_changed_at: Date | null;
  readonly host_count: number;
  readonly snapshot_count: number;
  readonly snapshot_bytes: number;
  readonly outbox: number;
  readonly passages: number;
  readonly vector_outbox: number;
}

const HOST = "substring(doc.url FROM '^[a-z]+://([^/?#]+)')";

/** Counts what a team has; `most` bounds the lists. */
export async function readIndexStats(db: Queryable, teamId: string, most: number): Promise<IndexStats> {
  const [totals] = await db.query<TotalsRow>(
    `SELECT count(*)::bigint AS documents, coalesce(sum(doc.word_count), 0)::bigint AS words,
       count(doc.canonical_url)::bigint AS duplicates, max(doc.changed_at) AS last_changed_at,
       count(DISTINCT ${HOST})::bigint AS host_count,
       (SELECT count(*) FROM documents WHERE team_id = '${SHARED_TEAM}' AND deleted_at IS NULL) AS shared_documents,
       (SELECT count(*) FROM snapshots WHERE id IN (SELECT snapshot_id FROM document_history WHERE team_id = $1))
         AS snapshot_count,
       (SELECT coalesce(sum(byte_length), 0)::bigint FROM snapshots
         WHERE id IN (SELECT snapshot_id FROM document_history WHERE team_id = $1)) AS snapshot_bytes,
       (SELECT count(*) FROM index_outbox WHERE team_id = $1) AS outbox,
       (SELECT coalesce(sum(cardinality(hashes)), 0)::bigint FROM document_passages WHERE team_id = $1) AS passages,
       (SELECT count(*) FROM embedding_outbox WHERE team_id = $1) AS vector_outbox
     FROM documents AS doc WHERE doc.team_id = $1 AND doc.deleted_at IS NULL`,
    [teamId],
  );
  const languages = await db.query<{ language: string | null; documents: number }>(
    `SELECT doc.language, count(*)::bigint AS documents FROM documents AS doc
     WHERE doc.team_id = $1 AND doc.deleted_at IS NULL
     GROUP BY doc.language ORDER BY documents DESC, doc.language LIMIT $2`,
    [teamId, most],
  );
  const hosts = await db.query<{ host: string | null; documents: number }>(
    `SELECT ${HOST} AS host, count(*)::bigint AS documents FROM documents AS doc
     WHERE doc.team_id = $1 AND doc.deleted_at IS NULL GROUP BY 1 ORDER BY documents DESC, host LIMIT $2`,
    [teamId, most],
  );
  return {
    documents: totals?.documents ?? 0,
    sharedDocuments: totals?.shared_documents ?? 0,
    words: totals?.words ?? 0,
    duplicates: totals?.duplicates ?? 0,
    lastChangedAt: totals?.last_changed_at ?? null,
    languages,
    hosts: hosts.map(({ host, documents }) => ({ host: host ?? "", documents })),
    hostCount: totals?.host_count ?? 0,
    snapshots: { count: totals?.snapshot_count ?? 0, bytes: totals?.snapshot_bytes ?? 0 },
    outbox: totals?.outbox ?? 0,
    passages: totals?.passages ?? 0,
    vectorOutbox: totals?.vector_outbox ?? 0,
  };
}
