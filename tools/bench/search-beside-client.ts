// Searches by words at a fixed pace until its input ends; then prints how long each took from the moment it was due, some
// to warm up aside. A client that waited for its answers would ask most where the server is fastest and count a stall
// once; so every second counts alike. In a process of its own: what the one that loads pages does must not count as the
// server's. Arguments: the server, the key; the queries come as one line of JSON.
import { createInterface } from "node:readline";
import { sleep } from "@quarry/base";
import { WARM_UP_REQUESTS } from "./search-measure.ts";

/** 40 requests a second, of the 250 that are promised to a server that does nothing else. */
const PACE_MS = 25;

const [url = "", key = ""] = process.argv.slice(2);
const lines = createInterface({ input: process.stdin });
let isWanted = true as boolean;
lines.once("close", () => (isWanted = false));
const queries = await new Promise<readonly string[]>((resolve) =>
  lines.once("line", (line) => resolve(JSON.parse(line) as readonly string[])),
);

async function search(query: string): Promise<void> {
  const reply = await fetch(`${url}/search`, {
    method: "POST",
    headers: { "x-api-key": key, "content-type": "application/json" },
    body: JSON.stringify({ query, type: "keyword", numResults: 10 }),
  });
  await reply.json();
  if (reply.status !== 200) throw new Error(`a search was answered ${reply.status}`);
}

async function searchSince(dueMs: number, query: string): Promise<number> {
  await search(query);
  return performance.now() - dueMs;
}

const searches: Promise<number>[] = [];
const began = performance.now();
while (isWanted) {
  const dueMs = began + searches.length * PACE_MS;
  await sleep(Math.max(0, dueMs - performance.now()));
  searches.push(searchSince(dueMs, queries[searches.length % queries.length] ?? ""));
}
const times = await Promise.all(searches);
process.stdout.write(JSON.stringify(times.slice(WARM_UP_REQUESTS)));
