import { ensureFirstTeam } from "@quarry/store";
import { withDatabase } from "@quarry/store/testing";
import { verifies } from "@quarry/tests";
import { insertLargeWebset, LARGE_WEBSET } from "@quarry/websets/testing";
import { expect } from "vitest";
import { startServerProcess, withDataDirectory, type ServerProcess } from "../../tools/server-process.ts";

const ITEMS = 10_000;
const PAGE = 50;
const REQUESTS = 60;
const WARM_UP_REQUESTS = 5;
/** What a list may cost at the 95th percentile; on a busy machine beyond what a route that does nothing costs. */
const PROMISE_MS = 50;
/** A list asks the database four times, and waits each time as a bare route does once. */
const WAITS_PER_LIST = 5;

verifies(
  ["websets:scale:listing-p95", "promises:t33:webset-listing"],
  "10,000 items with 5 cells each are listed through HTTP within 50 ms, wherever in the list",
  () =>
    withDatabase((db, url) =>
      withDataDirectory(async (directory) => {
        const { teamId } = await ensureFirstTeam(db, { now: new Date() });
        await insertLargeWebset(db, teamId, ITEMS);
        await db.query("ANALYZE");
        const server = await startServerProcess(directory, { QUARRY_DATABASE_URL: url });
        try {
          const bare: number[] = [];
          const lists: number[] = [];
          let cursor = "";
          let cpuBefore = 0;
          for (let index = -WARM_UP_REQUESTS; index < REQUESTS; index += 1) {
            if (index === 0) cpuBefore = await cpuSecondsOf(server);
            const trivial = await timed(() => server.call("GET", "/healthz"));
            const list = await timed(() =>
              server.call("GET", `/websets/v0/websets/${LARGE_WEBSET}/items?limit=${PAGE}${cursor}`),
            );
            const { data, nextCursor } = list.reply.body as { data: readonly unknown[]; nextCursor: string | null };
            expect([trivial.reply.status, list.reply.status, data.length]).toEqual([200, 200, PAGE]);
            cursor = nextCursor === null ? "" : `&cursor=${nextCursor}`;
            if (index < 0) continue;
            bare.push(trivial.tookMs);
            lists.push(list.tookMs);
          }
          const cpuMs = (1_000 * ((await cpuSecondsOf(server)) - cpuBefore)) / REQUESTS;
          expect(cpuMs, "the server's processor time a list").toBeLessThan(PROMISE_MS);
          expect(p95(lists)).toBeLessThan(PROMISE_MS + WAITS_PER_LIST * p95(bare));
        } finally {
          await server.stop();
        }
      }),
    ),
  180_000,
);

async function timed<Reply>(work: () => Promise<Reply>): Promise<{ readonly reply: Reply; readonly tookMs: number }> {
  const began = performance.now();
  const reply = await work();
  return { reply, tookMs: performance.now() - began };
}

async function cpuSecondsOf(server: ServerProcess): Promise<number> {
  const reply = await fetch(`${server.url}/metrics`, { headers: { "x-api-key": server.key } });
  const [, seconds] = /^quarry_process_cpu_seconds\s+(\S+)/m.exec(await reply.text()) ?? [];
  if (seconds === undefined) throw new Error("the metrics tell no processor time");
  return Number(seconds);
}

function p95(times: readonly number[]): number {
  return [...times].sort((one, other) => one - other)[Math.floor(times.length * 0.95)] ?? 0;
}
