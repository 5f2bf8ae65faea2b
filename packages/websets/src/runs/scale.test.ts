import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { ensureFirstTeam, getWebset, isWebsetBusy, listWebsetItems, type Transaction } from "@quarry/store";
import { withDatabase } from "@quarry/store/testing";
import { verifies } from "@quarry/tests";
import { expect } from "vitest";
import { showItems } from "./show-item.ts";
import { showWebset } from "./show-webset.ts";
import { insertLargeWebset, LARGE_WEBSET } from "./testing-scale.ts";

const ITEMS = 10_000;
/** What a list of 50 items may cost at the 95th percentile beyond what a bare statement costs in the same minute. */
const PROMISE_MS = 50;
const PAGE = 50;
/** How often the list is read again from end to end while memory is looked at. */
const WALKS = 1;
/** What the heap may differ by from one walk to the next; one page of the list is a hundredth of it. */
const FLAT_WITHIN_BYTES = 8 * 1024 ** 2;

verifies(
  [
    "websets:scale:status-cheap",
    "websets:scale:listing-p95",
    "websets:scale:memory-flat",
    "promises:t33:webset-listing",
  ],
  "10,000 items with 5 cells each are listed, and their status told, through indexes alone and in flat memory",
  () =>
    withDatabase(async (db) => {
      const { teamId } = await ensureFirstTeam(db, { now: new Date() });
      await insertLargeWebset(db, teamId, ITEMS);
      await db.query("ANALYZE");
      const webset = await getWebset(db, teamId, LARGE_WEBSET);
      const deps = {
        clock: { now: () => new Date() },
        dashboardUrl: () => "http://127.0.0.1/",
        readLiving: () => Promise.resolve(new Map()),
      };
      await db.transaction(async (tx) => {
        // What this connection did before may still be counted here.
        const before = await countScans(tx);
        await showWebset(deps, tx, webset);
        await isWebsetBusy(tx, LARGE_WEBSET);
        const { data } = await listWebsetItems(tx, LARGE_WEBSET, { limit: 50 });
        await showItems(tx, LARGE_WEBSET, data);
        expect(await countScans(tx)).toEqual(before);
      });
      const bare: number[] = [];
      const lists: number[] = [];
      const heaps: number[] = [];
      for (let walk = 0; walk <= WALKS; walk += 1) {
        let count = 0;
        let cursor: string | undefined;
        do {
          bare.push(await timed(() => db.query("SELECT 1")));
          const began = performance.now();
          const { data, nextCursor } = await listWebsetItems(db, LARGE_WEBSET, { limit: PAGE, cursor });
          const shown = JSON.stringify(await showItems(db, LARGE_WEBSET, data));
          lists.push(performance.now() - began);
          count += (JSON.parse(shown) as readonly unknown[]).length;
          cursor = nextCursor ?? undefined;
        } while (cursor !== undefined);
        expect(count).toBe(ITEMS);
        heaps.push(heapAfterCollection());
      }
      // Four statements a list: on a busy machine each waits as long as a bare one.
      expect(p95(lists)).toBeLessThan(PROMISE_MS + 4 * p95(bare));
      // The first walk fills caches; after it nothing may stay behind.
      const [first = 0, ...later] = heaps;
      for (const heap of later) expect(heap - first).toBeLessThan(FLAT_WITHIN_BYTES);
    }),
  240_000,
);

/** The bytes in use once nothing is left that nobody holds. */
function heapAfterCollection(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  return process.memoryUsage().heapUsed;
}

/** How often each large table was read from end to end. */
function countScans(tx: Transaction): Promise<readonly { readonly relname: string; readonly scans: string }[]> {
  return tx.query(
    `SELECT relname, seq_scan AS scans FROM pg_stat_xact_user_tables
     WHERE relname IN ('webset_items', 'webset_cells') ORDER BY relname`,
  );
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

function p95(times: readonly number[]): number {
  return [...times].sort((one, other) => one - other)[Math.floor(times.length * 0.95)] ?? 0;
}
