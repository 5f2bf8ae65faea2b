// Searches by words, one after the other as in the table of latencies, until its input ends; then prints how long each
// took, some to warm up aside. In a process of its own: what the one that loads pages does must not count as the server's.
// Arguments: the server, the key; the queries come as one line of JSON.
import { createInterface } from "node:readline";
import { timed } from "./index-measure.ts";
import { WARM_UP_REQUESTS } from "./search-measure.ts";

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

const times: number[] = [];
for (let number = 0; isWanted; number += 1) {
  times.push(await timed(() => search(queries[number % queries.length] ?? "")));
}
process.stdout.write(JSON.stringify(times.slice(WARM_UP_REQUESTS)));
