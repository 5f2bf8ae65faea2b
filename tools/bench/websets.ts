import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { ensureFirstTeam, migrate, openDatabase, startEmbeddedPostgres, type Database } from "@quarry/store";
import { startServerProcess, type ServerProcess } from "../server-process.ts";
import type { Benchmark } from "./benchmark.ts";

const ITEMS = 10_000;
const ENRICHMENTS = 5;
const REQUESTS = 200;
const WARM_UP_REQUESTS = 10;
const PAGE = 50;
const TEXT_CHARACTERS = 4_000;
/** What the issue promises for lists, in milliseconds. */
const PROMISE_P95_MS = 50;

/** How fast a webset of 10,000 items with 5 enrichments each is listed and its status told, through HTTP. */
export const websetsBenchmark: Benchmark = {
  name: "websets",
  run: async ({ size, progress }) => {
    const count = Math.max(100, Math.round(ITEMS * size));
    const directory = mkdtempSync(path.join(tmpdir(), "quarry-bench-"));
    try {
      const postgres = await startEmbeddedPostgres({ dataDirectory: path.join(directory, "store") });
      try {
        const { host, port, user, database, password = "" } = postgres.address;
        const url = `postgres://${user}:${encodeURIComponent(password)}@${encodeURIComponent(host)}:${port}/${database}`;
        const db = await openDatabase({ address: postgres.address });
        await migrate(db, path.resolve("packages", "store", "migrations"));
        const { teamId } = await ensureFirstTeam(db, { now: new Date() });
        progress(`websets: inserting ${count} items with ${ENRICHMENTS} cells each`);
        await insertWebset(db, teamId, count);
        await db.query("ANALYZE");
        await db.close();
        const server = await startServerProcess(path.join(directory, "server"), { QUARRY_DATABASE_URL: url });
        try {
          return await measure(server, count, progress);
        } finally {
          await server.stop();
        }
      } finally {
        await postgres.stop();
      }
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  },
};

async function measure(server: ServerProcess, count: number, progress: (line: string) => void) {
  const cursors = await readCursors(server);
  const pick = (): string => cursors[Math.floor(Math.random() * cursors.length)] ?? "";
  const questions = {
    "list of 50 items": () => `/websets/v0/websets/${WEBSET}/items?limit=${PAGE}${pick()}`,
    "list of 50 cards": () => `/quarry/v1/websets/${WEBSET}/items?limit=${PAGE}&projection=card${pick()}`,
    "list of 50 answers": () => `/quarry/v1/websets/${WEBSET}/items?limit=${PAGE}&projection=answers${pick()}`,
    "the webset with status": () => `/websets/v0/websets/${WEBSET}`,
    "its search with progress": () => `/websets/v0/websets/${WEBSET}/searches/${SEARCH}`,
  } as const;
  const figures: Record<string, number> = { items: count };
  const rows: (string | number)[][] = [];
  const before = await rssOf(server);
  for (const [name, toPath] of Object.entries(questions)) {
    progress(`websets: ${name}`);
    const times: number[] = [];
    for (let index = -WARM_UP_REQUESTS; index < REQUESTS; index += 1) {
      const began = performance.now();
      const { status } = await server.call("GET", toPath());
      if (status !== 200) throw new Error(`${name} was answered with ${status}`);
      if (index >= 0) times.push(performance.now() - began);
    }
    times.sort((one, other) => one - other);
    const p50 = times[Math.floor(times.length * 0.5)] ?? 0;
    const p95 = times[Math.floor(times.length * 0.95)] ?? 0;
    figures[`${name} p50 ms`] = p50;
    figures[`${name} p95 ms`] = p95;
    rows.push([name, p50.toFixed(1), p95.toFixed(1), PROMISE_P95_MS]);
  }
  figures["resident MB before"] = before;
  figures["resident MB after"] = await rssOf(server);
  rows.push(["resident MB before and after", before.toFixed(0), (figures["resident MB after"] ?? 0).toFixed(0), ""]);
  return {
    figures,
    tables: [
      {
        title: `A webset of ${count} items x ${ENRICHMENTS}, milliseconds`,
        columns: ["", "p50", "p95", "promise"],
        rows,
      },
    ],
  };
}

const WEBSET = "webset_00000000000000000000000000";
const SEARCH = "wsearch_00000000000000000000000000";

/** Some places all over the list. */
async function readCursors(server: ServerProcess): Promise<readonly string[]> {
  const cursors = [""];
  for (let cursor = ""; ;) {
    const path = `/quarry/v1/websets/${WEBSET}/items?limit=100&projection=card${cursor}`;
    const { body } = await server.call("GET", path);
    const { nextCursor } = body as { readonly nextCursor: string | null };
    if (nextCursor === null) return cursors;
    cursor = `&cursor=${nextCursor}`;
    cursors.push(cursor);
  }
}

async function rssOf(server: ServerProcess): Promise<number> {
  const reply = await fetch(`${server.url}/metrics`, { headers: { "x-api-key": server.key } });
  const [, bytes = "0"] = /process_resident_memory_bytes\S*\s+(\S+)/.exec(await reply.text()) ?? [];
  return Number(bytes) / 1024 ** 2;
}

/** The rows as a run leaves them; half of the cells of one enrichment are open. */
async function insertWebset(db: Database, teamId: string, count: number): Promise<void> {
  await db.query(
    `INSERT INTO websets (id, team_id, title, metadata, excludes, imports, caps, item_count, created_at, updated_at)
     VALUES ($1, $2, 'Bench', '{}', '[]', '[]', '{}', $3, now(), now())`,
    [WEBSET, teamId, count],
  );
  await db.query(
    `INSERT INTO webset_searches (id, webset_id, team_id, status, query, entity, criteria, count, behavior, exclude, scope,
       wants_recall, metadata, plan, step, candidates, analyzed, found, started_at, created_at, updated_at)
     VALUES ($1, $2, $3, 'completed', 'bench', '{"type": "company"}', '[{"description": "is good", "judged": 9, "yes": 5}]',
       $4, 'override', '[]', '[]', false, '{}', '[]', 0, $4, $4, $4, now(), now(), now())`,
    [SEARCH, WEBSET, teamId, count],
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
    `INSERT INTO extracted_texts (snapshot_id, extractor_version, text, markdown)
     SELECT id, '1', left(repeat('Words of a page, ' || id || '. ', 200), $1::integer), '' FROM snapshots`,
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
      WEBSET,
      teamId,
      JSON.stringify({ ...entity, properties: { ...properties, company: { ...company, ...more } } }),
      SEARCH,
      JSON.stringify(evaluations),
      count,
    ],
  );
  for (let index = 0; index < ENRICHMENTS; index += 1) {
    const id = `wenrich_${String(index).padStart(26, "0")}`;
    await db.query(
      `INSERT INTO webset_enrichments (id, webset_id, team_id, title, description, format, metadata, created_at, updated_at)
       VALUES ($1, $2, $3, $4, $4, 'text', '{}', now(), now())`,
      [id, WEBSET, teamId, `Question ${index}`],
    );
    await db.query(
      `INSERT INTO webset_cells (item_id, enrichment_id, webset_id, status, result, reasoning, references_json, updated_at)
       SELECT id, $1, webset_id, CASE WHEN $2 AND sequence % 2 = 0 THEN 'canceled' ELSE 'completed' END, '["an answer"]', $3, $4, now()
       FROM webset_items`,
      [id, index === 0, "r".repeat(150), JSON.stringify([reference])],
    );
  }
}
