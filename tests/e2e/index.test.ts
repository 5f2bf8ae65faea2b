import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { verifies } from "@quarry/tests";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { howSlowIsThisMachineNow } from "../../tools/machine-slowness.ts";
import { startServerProcess, type ServerProcess } from "../../tools/server-process.ts";
import { findIndexerProcess } from "../../tools/soak/find-indexer-process.ts";

const SETTINGS = { QUARRY_SAMPLE: "0", QUARRY_LOG_LEVEL: "error" };
/** After the acknowledgement. */
const FOUND_WITHIN_MS = 2_000;
/** Of a later start, on two idle cores. */
const VECTORS_WITHIN_MS = 6_000;
const BULK_BATCHES = 12;
const BULK_DOCUMENTS = 100;
const PROBES = 4;

/** One server for all: what a test adds, it takes away, and the one that adds most comes last. */
let directory: string;
let server: ServerProcess;
beforeAll(async () => {
  directory = mkdtempSync(path.join(tmpdir(), "quarry-e2e-"));
  server = await startServerProcess(directory, SETTINGS);
});
afterAll(async () => {
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
});

verifies(
  [
    "index:fresh:vectors-follow",
    "index:models:embedding-in-threads",
    "index:exact:updates",
    "index:exact:deletes",
    "ingest:documents:wait",
    "ingest:documents:indexed-flag",
  ],
  "vectors follow with visible progress; updates and deletes are exact, also over the death of the indexing process",
  async () => {
    const url = "https://e.org/stone";
    await put(server, [{ url, text: "Granite is a hard stone that is cut from the mountain." }], "?wait=true");
    expect(await search(server, "granite")).toEqual([url]); // at the first try
    await vi.waitUntil(async () => (await readProgress(server)).searchIndex?.chunks === 1, {
      timeout: 30_000,
      interval: 100,
    });
    expect(await readProgress(server)).toMatchObject({ outbox: 0, vectorOutbox: 0, passages: 1 });
    expect(await search(server, "a solid kind of rock", "neural")).toEqual([url]);

    const pid = findIndexerProcess(server.pid);
    if (pid === undefined) throw new Error("there is no indexing process");
    process.kill(pid, "SIGKILL");
    const unread = await server.call("POST", "/quarry/v1/documents", [{ url: `${url}/2`, text: "Slate splits." }]);
    expect(unread.body).toMatchObject({ indexed: false }); // nobody is there to index it
    await put(server, [{ url, text: "Marble is what the old statues are made of." }], "?wait=true");
    expect([await search(server, "granite"), await search(server, "marble")]).toEqual([[], [url]]);
    expect((await server.call("DELETE", "/quarry/v1/documents", { urls: [url, `${url}/2`] })).status).toBe(200);
    await vi.waitUntil(async () => (await readProgress(server)).outbox === 0, { timeout: 10_000, interval: 50 });
    await vi.waitUntil(async () => (await search(server, "marble")).length === 0, { timeout: 5_000, interval: 50 });
    expect(await search(server, "old statues", "neural")).toEqual([]);
  },
  180_000,
);

verifies(
  "commands:start:vectors-within-6-s",
  "a page is found by its meaning within 6 s of a later start; until then the answer is a 503 that says when to ask again",
  async () => {
    const url = "https://e.org/heron";
    await put(server, [{ url, text: "The heron stands in shallow water and waits for fish." }], "?wait=true");
    await vi.waitUntil(async () => (await readProgress(server)).vectorOutbox === 0, { timeout: 30_000, interval: 100 });
    await server.stop();
    const slowness = howSlowIsThisMachineNow();
    const began = performance.now();
    server = await startServerProcess(directory, SETTINGS);
    const ask = (): Promise<Response> =>
      fetch(`${server.url}/search`, {
        method: "POST",
        headers: { "x-api-key": server.key, "content-type": "application/json" },
        body: JSON.stringify({ query: "a bird that catches prey in ponds", type: "neural", numResults: 1 }),
      });
    let reply = await ask();
    while (reply.status === 503) {
      expect(Number(reply.headers.get("retry-after"))).toBeGreaterThan(0);
      await new Promise((resolve) => setTimeout(resolve, 50));
      reply = await ask();
    }
    expect([reply.status, await reply.json()]).toMatchObject([200, { results: [{ url }] }]);
    expect(performance.now() - began).toBeLessThan(VECTORS_WITHIN_MS * slowness);
    await server.call("DELETE", "/quarry/v1/documents", { urls: [url] });
    await vi.waitUntil(async () => (await readProgress(server)).outbox === 0, { timeout: 10_000, interval: 50 });
  },
  180_000,
);

verifies(
  ["index:commands:rebuild", "index:commands:verify", "index:commands:optimize"],
  "one order compares, optimises or builds anew, and search finds the same afterwards",
  async () => {
    await put(
      server,
      Array.from({ length: 50 }, (_, number) => toDocument(number)),
      "?wait=true",
    );
    expect(await runTask(server, "verify")).toMatchObject({ documents: 50, pages: 50, differences: 0 });
    expect(await runTask(server, "optimize")).toMatchObject({ sealedTables: 1 });
    expect(await search(server, wordOf(7))).toEqual([toDocument(7).url]);
    expect(await runTask(server, "rebuild")).toEqual({ documents: 50 });
    await vi.waitUntil(async () => (await search(server, wordOf(49))).length === 1, {
      timeout: 10_000,
      interval: 50,
    });
    expect(await search(server, wordOf(7))).toEqual([toDocument(7).url]);
    expect(await runTask(server, "verify")).toMatchObject({ documents: 50, pages: 50, differences: 0 });
  },
  180_000,
);

verifies(
  ["index:fresh:words-within-2-s", "index:fresh:during-bulk-load"],
  "an acknowledged document is found by its words within 2 s, at rest and while many others come",
  async () => {
    await put(server, [toDocument(0)]); // the first page starts the threads that read pages
    const atRest = await measureFreshness(server, 1);
    let isLoading = true as boolean;
    const load = (async () => {
      for (let batch = 0; batch < BULK_BATCHES; batch += 1) {
        await put(
          server,
          Array.from({ length: BULK_DOCUMENTS }, (_, place) => toDocument(1_000 + batch * 100 + place)),
        );
      }
      isLoading = false;
    })();
    const during: number[] = [];
    for (let probe = 0; probe < PROBES && isLoading; probe += 1) {
      during.push(await measureFreshness(server, 100 + probe));
    }
    await load;
    expect(during.length).toBeGreaterThan(0);
    expect(Math.max(atRest, ...during)).toBeLessThan(FOUND_WITHIN_MS);
  },
  180_000,
);

interface Progress {
  readonly outbox: number;
  readonly vectorOutbox: number;
  readonly passages: number;
  readonly searchIndex: { readonly chunks: number } | null;
}

async function readProgress(server: ServerProcess): Promise<Progress> {
  return (await server.call("GET", "/quarry/v1/index")).body as Progress;
}

/** Milliseconds from the acknowledgement of a document until it is found. */
async function measureFreshness(server: ServerProcess, number: number): Promise<number> {
  await put(server, [toDocument(number)]);
  const acknowledged = performance.now();
  while ((await search(server, wordOf(number))).length === 0) {
    if (performance.now() - acknowledged > 20_000) throw new Error("it was not found at all");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return performance.now() - acknowledged;
}

async function put(server: ServerProcess, documents: readonly object[], query = ""): Promise<void> {
  const { status, body } = await server.call("POST", `/quarry/v1/documents${query}`, documents);
  expect(status, JSON.stringify(body)).toBe(200);
  if (query !== "") expect(body).toMatchObject({ indexed: true });
}

async function search(server: ServerProcess, query: string, type = "keyword"): Promise<readonly string[]> {
  const { status, body } = await server.call("POST", "/search", { query, type, numResults: 10 });
  if (status === 503) return []; // the index is being opened, or the model loaded
  expect(status).toBe(200);
  return (body as { readonly results: readonly { readonly id: string }[] }).results.map(({ id }) => id);
}

async function runTask(server: ServerProcess, kind: string): Promise<unknown> {
  const { id } = (await server.call("POST", `/quarry/v1/index/${kind}`)).body as { readonly id: string };
  for (;;) {
    const { body } = await server.call("GET", `/quarry/v1/index/tasks/${id}`);
    const { status, report, error } = body as {
      readonly status: string;
      readonly report: unknown;
      readonly error: string;
    };
    if (status === "done") return report;
    if (status === "failed") throw new Error(error);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function toDocument(number: number): { readonly url: string; readonly text: string } {
  const words = Array.from({ length: 40 }, (_, place) => wordOf(100_000 + number * 40 + place));
  return { url: `https://e.org/${number}`, text: `${wordOf(number)} ${words.join(" ")}` };
}

/** A word of its own for every number. */
function wordOf(number: number): string {
  return `zq${number
    .toString()
    .padStart(7, "0")
    .replaceAll(/\d/g, (digit) => "bcdfghjkmn"[Number(digit)] ?? "")}`;
}
