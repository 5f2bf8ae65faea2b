import type { Table } from "@lancedb/lancedb";
import type { RecordBatch } from "apache-arrow";

/** Larger tables are not kept: the engine reads what was found. */
const MAX_ROWS = 200_000;
const MAX_BYTES = 64 * 1_024 ** 2;
/** A table that grows is read again at most so often. */
const RELOAD_PAUSE_MS = 20_000;
/** Rows of an id beyond so many times their number are not worth a list. */
const MAX_SPARSENESS = 4;

/** A row of a table as it was read. */
export type RowInMemory = Readonly<Record<string, unknown>>;

/**
 * A few columns of a table, as the engine stores them, by row id: what a search shows of each hit. The engine reads each
 * column of each hit from a file of its own, which takes longer than the search itself. A row never changes and keeps
 * its id, so that what is here stays right; rows that came later are not here. Nobody waits for it: it is read when the
 * first search asks, and serves those that follow.
 */
export class RowMemory {
  readonly #table: Table;
  readonly #columns: readonly string[];
  #rows: ReadRows | undefined;
  #isReading = false;
  /** It was once, and tables that grow only grow. */
  #isTooLarge = false;
  #readMs = -Infinity;

  constructor(table: Table, columns: readonly string[]) {
    this.#table = table;
    this.#columns = columns;
  }

  /** Whether it has anything; begins to read when it has not. */
  isReady(): boolean {
    if (this.#rows === undefined) void this.#read();
    return this.#rows !== undefined;
  }

  /** The rows of these ids, each read when it is its turn; undefined when one came later, and then reads anew. */
  find(ids: readonly bigint[]): Iterable<RowInMemory> | undefined {
    const rows = this.#rows;
    if (rows !== undefined && ids.every((id) => rows.has(Number(id)))) return readEach(rows, ids);
    void this.#read();
    return undefined;
  }

  async #read(): Promise<void> {
    if (this.#isReading || this.#isTooLarge || performance.now() - this.#readMs < RELOAD_PAUSE_MS) return;
    this.#isReading = true;
    this.#readMs = performance.now();
    try {
      const isFew = (await this.#table.countRows()) <= MAX_ROWS;
      this.#rows = isFew ? await readRows(this.#table, this.#columns) : undefined;
      this.#isTooLarge = this.#rows === undefined;
    } catch {
      // The table was closed or replaced meanwhile: the engine is asked, and says so to whoever searches.
    } finally {
      this.#isReading = false;
    }
  }
}

interface ReadRows {
  readonly has: (id: number) => boolean;
  readonly get: (id: number) => RowInMemory;
}

function* readEach(rows: ReadRows, ids: readonly bigint[]): Generator<RowInMemory> {
  for (const id of ids) yield rows.get(Number(id));
}

async function readRows(table: Table, columns: readonly string[]): Promise<ReadRows | undefined> {
  const batches: { readonly batch: RecordBatch; readonly ids: Float64Array }[] = [];
  let [bytes, count, highest] = [0, 0, 0];
  for await (const batch of table
    .query()
    .select([...columns])
    .withRowId()) {
    const ids = Float64Array.from((batch.getChild("_rowid") ?? []) as Iterable<bigint>, Number);
    batches.push({ batch, ids });
    bytes += batch.data.children.reduce((sum, { byteLength }) => sum + byteLength, 0);
    count += ids.length;
    if (bytes > MAX_BYTES) return undefined;
    for (const id of ids) highest = Math.max(highest, id);
  }
  if (highest > count * MAX_SPARSENESS) return undefined;
  // For each id, one more than the number of its batch, and its row there.
  const batchOf = new Uint32Array(highest + 1);
  const rowOf = new Uint32Array(highest + 1);
  for (const [number, { ids }] of batches.entries()) {
    for (let row = 0; row < ids.length; row += 1) {
      batchOf[ids[row] ?? 0] = number + 1;
      rowOf[ids[row] ?? 0] = row;
    }
  }
  const vectors = batches.map(({ batch }) => columns.map((name) => [name, batch.getChild(name)] as const));
  return {
    has: (id) => (batchOf[id] ?? 0) > 0,
    get: (id) => {
      const batch = vectors[(batchOf[id] ?? 0) - 1] ?? [];
      const row = rowOf[id] ?? 0;
      return Object.fromEntries(batch.map(([name, values]) => [name, values?.get(row) as unknown]));
    },
  };
}
