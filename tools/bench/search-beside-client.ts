// Searches by words, ten times a second, until its input ends; then prints how long each took. In a process of its own:
// what the one that loads pages is busy with must not count as the server's.
// Arguments: the server, the key; the queries come as one line of JSON.
import { createInterface } from "node:readline";
import { sleep } from "@quarry/base";
import { timed } from "./index-measure.ts";

const PAUSE_MS = 100;
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
  await sleep(PAUSE_MS);
  times.push(await timed(() => search(queries[number % queries.length] ?? "")));
}
process.stdout.write(JSON.stringify(times));
