import type { Queryable } from "../database.ts";
import { oldVersionsParameters, oldVersionsQuery, readCitations } from "./old-versions.ts";
import { isUnreferenced, readReferences } from "./references.ts";
import type { RetentionPolicy } from "./retention-policy.ts";

/** What the policy would take away now. */
export interface RetentionPlan {
  readonly versions: number;
  readonly texts: number;
  readonly snapshots: number;
  /** Of the snapshots, before compression. */
  readonly snapshotBytes: number;
  readonly usageRecords: number;
}

/** Counts what a run would take away, and takes nothing. */
export async function planRetention(db: Queryable, policy: RetentionPolicy, now: Date): Promise<RetentionPlan> {
  const stays = (table: string): string =>
    table !== "document_history"
      ? ""
      : " AND NOT EXISTS (SELECT FROM old WHERE old.team_id = ref.team_id AND old.url = ref.url AND old.version = ref.version)";
  const tombstones = (table: string): string =>
    table === "documents" ? " AND (ref.deleted_at IS NULL OR ref.deleted_at >= $3)" : "";
  const except = (table: string): string => stays(table) + tombstones(table);
  const ofTexts = isUnreferenced(await readReferences(db, "extracted_texts"), "text", except);
  const ofSnapshots = isUnreferenced(await readReferences(db, "snapshots"), "snapshot", (table) =>
    table === "extracted_texts"
      ? " AND NOT EXISTS (SELECT FROM lone WHERE lone.snapshot_id = ref.snapshot_id AND lone.extractor_version = ref.extractor_version)"
      : tombstones(table),
  );
  const [row] = await db.query<RetentionPlan>(
    `WITH old AS MATERIALIZED (${oldVersionsQuery(await readCitations(db))}),
     lone AS MATERIALIZED (SELECT text.snapshot_id, text.extractor_version FROM extracted_texts AS text WHERE ${ofTexts}),
     gone AS MATERIALIZED (SELECT snapshot.byte_length FROM snapshots AS snapshot WHERE ${ofSnapshots})
     SELECT (SELECT count(*)::integer FROM old) AS versions, (SELECT count(*)::integer FROM lone) AS texts,
       (SELECT count(*)::integer FROM gone) AS snapshots,
       (SELECT coalesce(sum(byte_length), 0)::float8 FROM gone) AS "snapshotBytes",
       (SELECT count(*)::integer FROM usage_records WHERE at < $4) AS "usageRecords"`,
    [...oldVersionsParameters(policy, now), usageBefore(policy, now)],
  );
  return row ?? { versions: 0, texts: 0, snapshots: 0, snapshotBytes: 0, usageRecords: 0 };
}

/** The time before which usage records go. */
export function usageBefore(policy: RetentionPolicy, now: Date): Date {
  return new Date(now.getTime() - policy.usageDays * 24 * 60 * 60 * 1000);
}
