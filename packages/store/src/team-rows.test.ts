import { verifies } from "@quarry/tests";
import { expect } from "vitest";
import { withDatabase } from "./testing.ts";

/** Tables whose rows belong to nobody, or to whom their parent row belongs; each with its reason. */
const WITHOUT_TEAM: Readonly<Record<string, string>> = {
  extracted_texts: "a reading of a snapshot: the same for every team that has the page",
  index_tasks: "the index's own list of what it has still to follow; documents name their team",
  job_lanes: "how many jobs of a key run now; jobs name their team",
  passage_vectors: "a cache by the hash of a text",
  removed_blobs: "files to be deleted, by hash",
  sample_load: "whether this data directory was given the sample",
  schema_migrations: "the schema's own history",
  snapshot_citations: "a mark on a snapshot that something cites it",
  snapshots: "contents by hash; documents name their team",
  teams: "the teams themselves",
};

verifies("store:teams:every-row-has-team", "every table names its rows' team, or hangs on one that does", () =>
  withDatabase(async (db) => {
    const rows = await db.query<{ table_name: string; has_team: boolean; parents: string[] }>(`
      SELECT t.table_name,
        EXISTS (SELECT FROM information_schema.columns c
          WHERE c.table_schema = t.table_schema AND c.table_name = t.table_name AND c.column_name = 'team_id') AS has_team,
        ARRAY(SELECT DISTINCT f.confrelid::regclass::text FROM pg_constraint f
          WHERE f.contype = 'f' AND f.conrelid = format('%I.%I', t.table_schema, t.table_name)::regclass) AS parents
      FROM information_schema.tables t WHERE t.table_schema = 'public' AND t.table_type = 'BASE TABLE'`);
    const owned = new Set(rows.flatMap((row) => (row.has_team ? [row.table_name] : [])));
    for (let size = -1; size !== owned.size;) {
      size = owned.size;
      for (const row of rows) if (row.parents.some((parent) => owned.has(parent))) owned.add(row.table_name);
    }
    const orphans = rows.filter((row) => !owned.has(row.table_name));
    expect(orphans.map(({ table_name: name }) => name).sort()).toEqual(Object.keys(WITHOUT_TEAM).sort());
  }),
);
