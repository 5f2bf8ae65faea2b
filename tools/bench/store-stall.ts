import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import {
  appendEvents,
  migrate,
  openDatabase,
  startEmbeddedPostgres,
  type Database,
  type NewEvent,
} from "@quarry/store";
import type { Benchmark } from "./benchmark.ts";
import { watchEventLoop, type EventLoopStall } from "./event-loop-stall.ts";

const BATCHES = 200;
/** As many as the design lets into one write. */
const ROWS_PER_BATCH = 200;
const WARM_UP_BATCHES = 10;
const WRITERS = 2;
const DATA_CHARACTERS = 2_000;

/** What was measured. */
export interface StoreStall extends EventLoopStall {
  readonly rows: number;
  readonly rowsPerSecond: number;
}

/** Measures how long the event loop stands still at most while rows of about 2 kB are written in bulk. */
export async function benchStoreStall(size = 1): Promise<StoreStall> {
  const directory = await mkdtemp(path.join(tmpdir(), "quarry-bench-"));
  const server = await startEmbeddedPostgres({ dataDirectory: directory });
  try {
    const db = await openDatabase({ address: server.address });
    try {
      await migrate(db, path.resolve("packages/store/migrations"));
      await writeBatches(db, WARM_UP_BATCHES);
      const batches = Math.max(1, Math.round(BATCHES * size));
      const stopWatching = watchEventLoop();
      const startedAt = performance.now();
      await writeBatches(db, batches);
      const seconds = (performance.now() - startedAt) / 1_000;
      const stall = stopWatching();
      const rows = batches * ROWS_PER_BATCH;
      return { ...stall, rows, rowsPerSecond: rows / seconds };
    } finally {
      await db.close();
    }
  } finally {
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

/** The longest event-loop stall during bulk writes, against its promise of 20 ms. */
export const storeStallBenchmark: Benchmark = {
  name: "store-stall",
  run: async ({ size, progress }) => {
    progress("store-stall: writing in bulk");
    const stall = await benchStoreStall(size);
    return {
      figures: { ...stall },
      tables: [
        {
          title: `Event loop during bulk writes (${stall.rows} rows of 2 kB; promise)`,
          columns: ["", "measured", "promise"],
          rows: [
            ["longest stall", `${stall.maxStallMs.toFixed(1)} ms`, "20 ms"],
            [
              "longest stall by the clock, with the turns of other programs",
              `${stall.maxWallStallMs.toFixed(1)} ms`,
              "",
            ],
            ["rows per second", stall.rowsPerSecond.toFixed(0), ""],
          ],
        },
      ],
    };
  },
};

async function writeBatches(db: Database, batches: number): Promise<void> {
  let left = batches;
  const write = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const events = Array.from({ length: ROWS_PER_BATCH }, (_, index) => makeEvent(index));
      await db.transaction((tx) => appendEvents(tx, events));
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
}

function makeEvent(index: number): NewEvent {
  return {
    teamId: "team_bench",
    type: "webset.item.created",
    resource: { kind: "item", id: `item_${index}` },
    data: { id: `item_${index}`, text: "words ".repeat(DATA_CHARACTERS / 6) },
  };
}
