import { ensureFirstTeam, getWebset, isWebsetBusy, listWebsetItems, type Transaction } from "@quarry/store";
import { withDatabase } from "@quarry/store/testing";
import { verifies } from "@quarry/tests";
import { expect } from "vitest";
import { showItems } from "./show-item.ts";
import { showWebset } from "./show-webset.ts";
import { insertLargeWebset, LARGE_WEBSET } from "./testing-scale.ts";

const ITEMS = 10_000;
const LISTS = 40;
/** What a list of 50 items may cost at the 95th percentile beyond what a bare statement costs in the same minute. */
const PROMISE_MS = 50;

verifies(
  ["websets:scale:status-cheap", "websets:scale:listing-p95"],
  "10,000 items with 5 cells each are listed, and their status told, through indexes alone",
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
      for (let index = 0; index < LISTS; index += 1) {
        bare.push(await timed(() => db.query("SELECT 1")));
        lists.push(
          await timed(async () => {
            const { data } = await listWebsetItems(db, LARGE_WEBSET, { limit: 50 });
            return JSON.stringify(await showItems(db, LARGE_WEBSET, data));
          }),
        );
      }
      // Four statements a list: on a busy machine each waits as long as a bare one.
      expect(p95(lists)).toBeLessThan(PROMISE_MS + 4 * p95(bare));
    }),
  120_000,
);

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
