import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { connect, Index, MatchQuery, Session, type Table } from "@lancedb/lancedb";
import {
  makeGeneratedPage,
  makeGeneratedPlace,
  makeGeneratedQueries,
  makeGeneratedVectors,
} from "./generated-pages.ts";
import {
  BATCH_ROWS,
  DIMENSIONS,
  measure,
  measureVectors,
  missing,
  QUERIES,
  residentMb,
  sizeOf,
  startClock,
  VECTOR_FILTERS,
  VECTOR_QUERIES,
  type Figures,
} from "./index-measure.ts";

/** What one would write without us: raw text, the engine's own tokens, one index built at the end, fixed probes. */
export async function runBare(count: number, progress: (line: string) => void): Promise<Figures> {
  const directory = mkdtempSync(path.join(tmpdir(), "quarry-bench-index-"));
  const figures: Record<string, number> = {};
  try {
    const session = new Session(512n * 1_024n ** 2n, 64n * 1_024n ** 2n);
    const connection = await connect(directory, { session, storageOptions: { newTableEnableStableRowIds: "true" } });
    progress("index: bare, loading by words");
    const cost = startClock();
    let table: Table | undefined;
    for (let start = 0; start < count; start += BATCH_ROWS) {
      const rows = Array.from({ length: Math.min(BATCH_ROWS, count - start) }, (_, offset) =>
        toBareRow(start + offset),
      );
      if (table === undefined) table = await connection.createTable("pages", rows);
      else await table.add(rows);
    }
    if (table === undefined) throw new Error("no pages");
    const pages = table;
    await pages.createIndex("text", { config: Index.fts({ withPosition: true }) });
    await pages.createIndex("host", { config: Index.bitmap() });
    await pages.createIndex("published", { config: Index.btree() });
    await pages.optimize({ cleanupOlderThan: new Date() });
    const load = cost();
    figures["load docs/s"] = count / load.wallS;
    figures["load CPU ms/doc"] = (load.cpuS * 1_000) / count;
    const queries = makeGeneratedQueries(QUERIES);
    const find = (text: string, limit: number, condition?: string) => {
      const query = pages
        .query()
        .fullTextSearch(new MatchQuery(text, "text"))
        .select(["url", "title", "_score"])
        .limit(limit);
      return (condition === undefined ? query : query.where(condition)).toArray();
    };
    progress("index: bare, searching by words");
    Object.assign(figures, await measure("words OR", queries, (text) => find(text, 10)));
    Object.assign(figures, await measure("words OR, 100 hits", queries, (text) => find(text, 100)));
    Object.assign(
      figures,
      await measure("words + date", queries, (text) => find(text, 10, `published >= ${Date.UTC(2022, 0, 1)}`)),
    );
    Object.assign(
      figures,
      await measure("words + domain", queries, (text) => find(text, 10, "host = 'site10.example'")),
    );
    figures["words disk KB/page"] = sizeOf(directory) / 1_024 / count;

    progress("index: bare, vectors");
    const vectors = makeGeneratedVectors(count + VECTOR_QUERIES, DIMENSIONS);
    const embed = startClock();
    let vectorTable: Table | undefined;
    for (let start = 0; start < count; start += BATCH_ROWS) {
      const rows = Array.from({ length: Math.min(BATCH_ROWS, count - start) }, (_, offset) => {
        const { url, publishedAt } = makeGeneratedPlace(start + offset);
        const vector = Array.from(vectors[start + offset] ?? missing());
        return { url, host: new URL(url).host, published: publishedAt?.getTime() ?? 0, vector };
      });
      if (vectorTable === undefined) vectorTable = await connection.createTable("chunks", rows);
      else await vectorTable.add(rows);
    }
    if (vectorTable === undefined) throw new Error("no vectors");
    const chunks = vectorTable;
    await chunks.createIndex("vector", { config: Index.ivfRq({ distanceType: "dot" }) });
    await chunks.createIndex("host", { config: Index.bitmap() });
    await chunks.createIndex("published", { config: Index.btree() });
    await chunks.optimize({ cleanupOlderThan: new Date() });
    figures["vectors CPU ms/doc"] = (embed().cpuS * 1_000) / count;
    for (const { name, condition, passes } of VECTOR_FILTERS) {
      const search = async (vector: Float32Array): Promise<readonly string[]> => {
        const query = chunks.query().nearestTo(vector).distanceType("dot").nprobes(20).refineFactor(10);
        const filtered = condition === undefined ? query : query.where(condition);
        const rows = (await filtered.select(["url", "_distance"]).limit(10).toArray()) as readonly {
          readonly url: string;
        }[];
        return rows.map(({ url }) => url);
      };
      Object.assign(figures, await measureVectors(name, vectors, passes, search));
    }
    figures["resident MB"] = residentMb();
    figures["disk KB/page"] = sizeOf(directory) / 1_024 / count;
    return figures;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function toBareRow(number: number): Record<string, string | number> {
  const { url, title, text, publishedAt } = makeGeneratedPage(number);
  return { url, title: title ?? "", text, host: new URL(url).host, published: publishedAt?.getTime() ?? 0 };
}
