import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { ensureFirstTeam, migrate, openDatabase, startEmbeddedPostgres } from "@quarry/store";
import { CELLS_PER_ITEM, insertLargeWebset, LARGE_SEARCH, LARGE_WEBSET } from "@quarry/websets/testing";
import { startServerProcess, type ServerProcess } from "../server-process.ts";
import type { Benchmark } from "./benchmark.ts";

const ITEMS = 10_000;
const REQUESTS = 200;
const WARM_UP_REQUESTS = 10;
const PAGE = 50;
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
        progress(`websets: inserting ${count} items with ${CELLS_PER_ITEM} cells each`);
        await insertLargeWebset(db, teamId, count);
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
    "nothing (/healthz), to compare": () => "/healthz",
    "list of 50 items": () => `/websets/v0/websets/${LARGE_WEBSET}/items?limit=${PAGE}${pick()}`,
    "list of 50 cards": () => `/quarry/v1/websets/${LARGE_WEBSET}/items?limit=${PAGE}&projection=card${pick()}`,
    "list of 50 answers": () => `/quarry/v1/websets/${LARGE_WEBSET}/items?limit=${PAGE}&projection=answers${pick()}`,
    "the webset with status": () => `/websets/v0/websets/${LARGE_WEBSET}`,
    "its search with progress": () => `/websets/v0/websets/${LARGE_WEBSET}/searches/${LARGE_SEARCH}`,
  } as const;
  const figures: Record<string, number> = { items: count };
  const rows: (string | number)[][] = [];
  const before = await residentMb(server);
  for (const [name, toPath] of Object.entries(questions)) {
    progress(`websets: ${name}`);
    const times: number[] = [];
    let cpuBefore = 0;
    for (let index = -WARM_UP_REQUESTS; index < REQUESTS; index += 1) {
      if (index === 0) cpuBefore = await metricOf(server, "quarry_process_cpu_seconds");
      const began = performance.now();
      const { status } = await server.call("GET", toPath());
      if (status !== 200) throw new Error(`${name} was answered with ${status}`);
      if (index >= 0) times.push(performance.now() - began);
    }
    times.sort((one, other) => one - other);
    const p50 = times[Math.floor(times.length * 0.5)] ?? 0;
    const p95 = times[Math.floor(times.length * 0.95)] ?? 0;
    const cpuSeconds = (await metricOf(server, "quarry_process_cpu_seconds")) - cpuBefore;
    const cpu = (1_000 * cpuSeconds) / REQUESTS;
    figures[`${name} p50 ms`] = p50;
    figures[`${name} p95 ms`] = p95;
    figures[`${name} server cpu ms`] = cpu;
    rows.push([name, p50.toFixed(1), p95.toFixed(1), cpu.toFixed(1), PROMISE_P95_MS]);
  }
  figures["resident MB before"] = before;
  const after = await residentMb(server);
  figures["resident MB after"] = after;
  rows.push(["resident MB before and after", before.toFixed(0), after.toFixed(0), "", ""]);
  return {
    figures,
    tables: [
      {
        title: `A webset of ${count} items x ${CELLS_PER_ITEM}, milliseconds`,
        columns: ["", "p50", "p95", "server cpu", "promise p95"],
        rows,
      },
    ],
  };
}

/** Some places all over the list. */
async function readCursors(server: ServerProcess): Promise<readonly string[]> {
  const cursors = [""];
  for (let cursor = ""; ;) {
    const path = `/quarry/v1/websets/${LARGE_WEBSET}/items?limit=100&projection=card${cursor}`;
    const { body } = await server.call("GET", path);
    const { nextCursor } = body as { readonly nextCursor: string | null };
    if (nextCursor === null) return cursors;
    cursor = `&cursor=${nextCursor}`;
    cursors.push(cursor);
  }
}

async function residentMb(server: ServerProcess): Promise<number> {
  return (await metricOf(server, "process_resident_memory_bytes")) / 1024 ** 2;
}

async function metricOf(server: ServerProcess, name: string): Promise<number> {
  const reply = await fetch(`${server.url}/metrics`, { headers: { "x-api-key": server.key } });
  const line = (await reply.text()).split("\n").find((one) => one.startsWith(`${name} `));
  if (line === undefined) throw new Error(`the server's metrics have no ${name}`);
  return Number(line.slice(name.length + 1));
}
