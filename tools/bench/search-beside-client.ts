// Searches by words, one question after the other as in the table of latencies, until its input ends; then prints how long
// answers took, one for each slot of 25 ms: that of the first question asked in it, or what was left of one that was under
// way all through it. So every moment counts alike: taking all answers would count a fast stretch more often than a slow
// one, and a stall once. The first questions warm the server up. In a process of its own: what the one that loads pages
// does must not count as the server's. Arguments: the server, the key; the queries come as one line of JSON.
import { createInterface } from "node:readline";
import { WARM_UP_REQUESTS } from "./search-measure.ts";

const SLOT_MS = 25;

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

const queryAt = (number: number): string => queries[number % queries.length] ?? "";
for (let asked = 0; asked < WARM_UP_REQUESTS; asked += 1) await search(queryAt(asked));

const times: number[] = [];
const began = performance.now();
for (let asked = WARM_UP_REQUESTS; isWanted; asked += 1) {
  const sent = performance.now();
  await search(queryAt(asked));
  const ended = performance.now();
  const slotStart = (): number => began + times.length * SLOT_MS;
  if (sent >= slotStart()) times.push(ended - sent);
  while (slotStart() + SLOT_MS <= ended) times.push(ended - slotStart());
}
process.stdout.write(JSON.stringify(times));
