import type { Table } from "@lancedb/lancedb";
import type { Table as ArrowTable } from "apache-arrow";
import { setImmediate } from "node:timers/promises";
import { placeOf } from "../filter/domain-rule.ts";
import { matchesFilter, type FilteredPage } from "../filter/filter-page.ts";
import type { ParsedFilter } from "../filter/index-filter.ts";
import { unpackFacts, type PageFacts } from "../pages/page-row.ts";

/** A page whose chunks are in memory, in one version. */
export interface PageInMemory extends FilteredPage {
  readonly key: string;
  readonly version: number;
  readonly facts: PageFacts;
}

/** A page with its nearest chunk. */
export interface NearPage {
  readonly page: PageInMemory;
  /** The cosine. */
  readonly score: number;
  readonly chunk: { readonly number: number; readonly start: number; readonly end: number };
}

/**
 * The chunks of a table of modest size, compared one by one: as exact as can be, all chunks of all pages at once, and
 * cheaper than one question to the engine, which brings rows of which most are other chunks of the same pages.
 */
export class MemoryChunks {
  readonly #pages: readonly PageInMemory[];
  readonly #placesOf: ReadonlyMap<string, readonly number[]>;
  /** The rows of page n are those from `#ends[n - 1]` to before `#ends[n]`. */
  readonly #ends: Uint32Array;
  readonly #vectors: Float32Array;
  readonly #chunks: readonly NearPage["chunk"][];
  readonly #dimensions: number;

  private constructor(rows: GroupedRows, dimensions: number) {
    this.#pages = rows.pages;
    this.#ends = rows.ends;
    this.#vectors = rows.vectors;
    this.#chunks = rows.chunks;
    this.#dimensions = dimensions;
    const places = new Map<string, number[]>();
    for (const [place, { url }] of rows.pages.entries()) {
      const known = places.get(url);
      if (known === undefined) places.set(url, [place]);
      else known.push(place);
    }
    this.#placesOf = places;
  }

  /** Reads a whole table. */
  static async read(table: Table, dimensions: number): Promise<MemoryChunks> {
    const read = await table.query().select(["key", "version", "number", "start", "end", "facts", "vector"]).toArrow();
    return new MemoryChunks(await groupByPage(read, dimensions), dimensions);
  }

  /** The pages that pass the filter and are current, nearest first; at most `limit`, and whether these are all. */
  findNearest(
    vector: Float32Array,
    filter: ParsedFilter,
    options: { readonly limit: number; readonly isCurrent: (page: PageInMemory) => boolean },
  ): { readonly pages: readonly NearPage[]; readonly isAll: boolean } {
    const places: number[] = [];
    const consider = (place: number): void => {
      const page = this.#pages[place];
      if (page !== undefined && matchesFilter(page, filter) && options.isCurrent(page)) places.push(place);
    };
    if (filter.includeUrls === undefined) for (let place = 0; place < this.#pages.length; place += 1) consider(place);
    else for (const url of filter.includeUrls) this.#placesOf.get(url)?.forEach(consider);
    const scores = new Float32Array(places.length);
    const rows = new Uint32Array(places.length);
    for (let index = 0; index < places.length; index += 1) {
      const place = places[index] ?? 0;
      const end = this.#ends[place] ?? 0;
      let best = -Infinity;
      for (let row = place === 0 ? 0 : (this.#ends[place - 1] ?? 0); row < end; row += 1) {
        const score = dotAt(this.#vectors, row * this.#dimensions, vector);
        if (score <= best) continue;
        best = score;
        rows[index] = row;
      }
      scores[index] = best;
    }
    const order = highestOf(scores, options.limit);
    const pages = order.flatMap((index): readonly NearPage[] => {
      const page = this.#pages[places[index] ?? 0];
      const chunk = this.#chunks[rows[index] ?? 0];
      return page === undefined || chunk === undefined ? [] : [{ page, score: scores[index] ?? 0, chunk }];
    });
    return { pages, isAll: places.length <= options.limit };
  }
}

interface GroupedRows {
  readonly pages: readonly PageInMemory[];
  readonly ends: Uint32Array;
  readonly vectors: Float32Array;
  readonly chunks: readonly NearPage["chunk"][];
}

/** Rows at one go: whoever searches in this thread waits for no more. */
const ROWS_AT_ONE_GO = 500;

/** Puts the rows of each page side by side. */
async function groupByPage(read: ArrowTable, dimensions: number): Promise<GroupedRows> {
  const column = (name: string): { readonly get: (row: number) => unknown } => read.getChild(name) ?? NO_COLUMN;
  const [keys, versions, facts] = [column("key"), column("version"), column("facts")];
  const rowsOf = new Map<string, { readonly page: PageInMemory; readonly rows: number[] }>();
  for (let row = 0; row < read.numRows; row += 1) {
    if (row % ROWS_AT_ONE_GO === 0) await setImmediate();
    const key = String(keys.get(row));
    const version = Number(versions.get(row));
    const name = `${key} ${version}`;
    const known = rowsOf.get(name);
    if (known === undefined) rowsOf.set(name, { page: toPage(key, version, String(facts.get(row))), rows: [row] });
    else known.rows.push(row);
  }
  const source = joinVectors(read, dimensions);
  const vectors = new Float32Array(read.numRows * dimensions);
  const ends = new Uint32Array(rowsOf.size);
  const chunks: NearPage["chunk"][] = [];
  const [numbers, starts, chunkEnds] = [column("number"), column("start"), column("end")];
  for (const [place, { rows }] of [...rowsOf.values()].entries()) {
    for (const row of rows) {
      vectors.set(source.subarray(row * dimensions, (row + 1) * dimensions), chunks.length * dimensions);
      chunks.push({
        number: Number(numbers.get(row)),
        start: Number(starts.get(row)),
        end: Number(chunkEnds.get(row)),
      });
    }
    ends[place] = chunks.length;
  }
  return { pages: Array.from(rowsOf.values(), ({ page }) => page), ends, vectors, chunks };
}

const NO_COLUMN = { get: (): undefined => undefined };

function toPage(key: string, version: number, packed: string): PageInMemory {
  const facts = unpackFacts(packed);
  const { teamId, url, category, language, publishedAt, crawledAt } = facts;
  return {
    ...placeOf(url),
    ...{ key, version, facts, teamId, url, category, language },
    publishedMs: publishedAt?.getTime() ?? null,
    crawledMs: crawledAt.getTime(),
  };
}

function joinVectors(read: ArrowTable, dimensions: number): Float32Array {
  const joined = new Float32Array(read.numRows * dimensions);
  let at = 0;
  for (const data of read.getChild("vector")?.data ?? []) {
    const values = data.children[0]?.values as Float32Array;
    joined.set(values.subarray(data.offset * dimensions, (data.offset + data.length) * dimensions), at);
    at += data.length * dimensions;
  }
  return joined;
}

/** Four sums at a time, since each waits for the one before. */
function dotAt(vectors: Float32Array, at: number, vector: Float32Array): number {
  let [one, two, three, four] = [0, 0, 0, 0];
  const whole = vector.length & ~3;
  for (let axis = 0; axis < whole; axis += 4) {
    one += (vectors[at + axis] ?? 0) * (vector[axis] ?? 0);
    two += (vectors[at + axis + 1] ?? 0) * (vector[axis + 1] ?? 0);
    three += (vectors[at + axis + 2] ?? 0) * (vector[axis + 2] ?? 0);
    four += (vectors[at + axis + 3] ?? 0) * (vector[axis + 3] ?? 0);
  }
  for (let axis = whole; axis < vector.length; axis += 1) one += (vectors[at + axis] ?? 0) * (vector[axis] ?? 0);
  return one + two + three + four;
}

/** The places of the highest scores, highest first; of equal ones the first. */
function highestOf(scores: Float32Array, limit: number): readonly number[] {
  const sorted = scores.slice().sort(); // numbers alone: far faster than places by their scores
  const lowest = sorted[Math.max(0, sorted.length - limit)] ?? 0;
  const places: number[] = [];
  for (let place = 0; place < scores.length; place += 1) if ((scores[place] ?? 0) >= lowest) places.push(place);
  return places.sort((one, other) => (scores[other] ?? 0) - (scores[one] ?? 0)).slice(0, limit);
}
