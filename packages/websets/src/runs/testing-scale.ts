import type { Database } from "@quarry/store";

/** The id of the large webset. */
export const LARGE_WEBSET = "webset_00000000000000000000000000";
/** The id of its search. */
export const LARGE_SEARCH = "wsearch_00000000000000000000000000";
/** Enrichments it has. */
export const CELLS_PER_ITEM = 5;
const TEXT_CHARACTERS = 4_000;

/** Writes a webset of many items as a run would leave it, straight into the tables: for measuring. */
export async function insertLargeWebset(db: Database, teamId: string, count: number): Promise<void> {
  await db.query(
    `INSERT INTO websets (id, team_id, title, metadata, excludes, imports, caps, item_count, created_at, updated_at)
     VALUES ($1, $2, 'Bench', '{}', '[]', '[]', '{}', $3, now(), now())`,
    [LARGE_WEBSET, teamId, count],
  );
  await db.query(
    `INSERT INTO webset_searches (id, webset_id, team_id, status, query, entity, criteria, count, behavior, exclude, scope,
       wants_recall, metadata, plan, step, candidates, analyzed, found, started_at, created_at, updated_at)
     VALUES ($1, $2, $3, 'completed', 'bench', '{"type": "company"}', '[{"description": "is good", "judged": 9, "yes": 5}]',
       $4, 'override', '[]', '[]', false, '{}', '[]', 0, $4, $4, $4, now(), now(), now())`,
    [LARGE_SEARCH, LARGE_WEBSET, teamId, count],
  );
  await db.query(
    `WITH made AS (
       SELECT encode(sha256(number::text::bytea), 'hex') AS id, number FROM generate_series(1, $1::integer) AS number
     ), snapshot AS (
       INSERT INTO snapshots (id, media_type, byte_length, created_at) SELECT id, 'text/html', 1000, now() FROM made
     )
     SELECT 1`,
    [count],
  );
  await db.query(
    `INSERT INTO extracted_texts (snapshot_id, extractor_version, text, markdown, created_at)
     SELECT id, '1', left(repeat('Words of a page, ' || id || '. ', 200), $1::integer), '', now() FROM snapshots`,
    [TEXT_CHARACTERS],
  );
  const company = { name: "x", location: null, employees: 1, industry: null, about: null, logoUrl: null };
  const more = { foundedYear: null, headquarters: null, financials: null, webTraffic: null };
  const entity = {
    type: "company",
    name: "Company",
    aliases: [],
    pages: [],
    sameAs: [],
    key: "",
    url: "https://x.example/",
  };
  const properties = { type: "company", url: "https://x.example/", description: "A company", content: null };
  const reference = {
    url: "https://x.example/",
    title: "x",
    snippet: "s".repeat(200),
    snapshotId: null,
    start: 0,
    end: 200,
  };
  const evaluations = Array.from({ length: 3 }, (_, index) => ({
    criterion: `criterion ${index}`,
    satisfied: "yes",
    reasoning: "r".repeat(150),
    references: [reference],
  }));
  await db.query(
    `INSERT INTO webset_items (id, webset_id, team_id, entity_key, identities, entity, source, source_id, content_snapshot_id,
       content_extractor_version, evaluations, created_at, updated_at)
     SELECT 'witem_' || lpad(number::text, 26, '0'), $1, $2, 'company:' || number, ARRAY['company:' || number], $3, 'search', $4,
       encode(sha256(number::text::bytea), 'hex'), '1', $5, now(), now()
     FROM generate_series(1, $6::integer) AS number`,
    [
      LARGE_WEBSET,
      teamId,
      JSON.stringify({ ...entity, properties: { ...properties, company: { ...company, ...more } } }),
      LARGE_SEARCH,
      JSON.stringify(evaluations),
      count,
    ],
  );
  for (let index = 0; index < CELLS_PER_ITEM; index += 1) {
    const id = `wenrich_${String(index).padStart(26, "0")}`;
    await db.query(
      `INSERT INTO webset_enrichments (id, webset_id, team_id, title, description, format, metadata, created_at, updated_at)
       VALUES ($1, $2, $3, $4, $4, 'text', '{}', now(), now())`,
      [id, LARGE_WEBSET, teamId, `Question ${index}`],
    );
    await db.query(
      `INSERT INTO webset_cells (item_id, enrichment_id, webset_id, status, result, reasoning, references_json, updated_at)
       SELECT id, $1, webset_id, CASE WHEN $2::boolean AND sequence % 2 = 0 THEN 'canceled' ELSE 'completed' END, '["an answer"]', $3, $4, now()
       FROM webset_items`,
      [id, index === 0, "r".repeat(150), JSON.stringify([reference])],
    );
  }
}
