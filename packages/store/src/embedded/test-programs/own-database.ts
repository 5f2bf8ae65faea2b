// Owns a data directory and its embedded database, and writes numbered rows until it is ended.
import { createInterface } from "node:readline";
import { AppError, sleep } from "@quarry/base";
import { openDatabase } from "../../open-database.ts";
import { lockDataDirectory } from "../data-directory-lock.ts";
import { startEmbeddedPostgres } from "../start-embedded-postgres.ts";

const [dataDirectory = ""] = process.argv.slice(2);
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const lock = await lockDataDirectory(dataDirectory);
const postgres = await startEmbeddedPostgres({
  dataDirectory,
  onEvent: (event) => {
    if (event.kind !== "ended") say(`event ${event.kind}`);
  },
});
const db = await openDatabase({ address: postgres.address });
await db.query("CREATE TABLE IF NOT EXISTS written (id int PRIMARY KEY)");
const rows = await db.query<{ id: number }>("SELECT id FROM written ORDER BY id");
say(`found ${JSON.stringify(rows.map((row) => row.id))}`);
say(`postmaster ${postgres.pid()}`);

const stopping = new AbortController();
createInterface({ input: process.stdin }).once("line", () => {
  stopping.abort();
});
for (let id = (rows.at(-1)?.id ?? 0) + 1; !stopping.signal.aborted;) {
  try {
    await db.query("INSERT INTO written VALUES ($1) ON CONFLICT DO NOTHING", [id]);
    say(`acknowledged ${id}`);
    id += 1;
  } catch (error) {
    if (!AppError.from(error).retryable) throw error;
    await sleep(20);
  }
}
await db.close();
await postgres.stop();
await lock.release();
process.exit(0);
