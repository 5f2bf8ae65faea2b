import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { sleep } from "@quarry/base";
import { startServerProcess, type ServerProcess } from "../server-process.ts";
import type { Soak } from "./soak.ts";

const ROWS = 50_000;
const ITEMS = 10_000;
const LEAST_ITEMS = 500;
const KILLS = 10;
/** How long after an upload or a request the blow falls, at most; the work takes longer the more rows there are. */
const BLOW_WITHIN_MS_PER_ROW = 0.06;
const FINISH_WITHIN_MS = 600_000;

/**
 * `kill -9` of the server in the middle of an import of 50,000 rows and, at the same time, of exports of a webset of 10,000
 * items: every row counts once, and every file holds every item once.
 */
export const livingKillsSoak: Soak = {
  name: "living-kills",
  run: async ({ random, size, report }) => {
    const rows = Math.ceil(ROWS * size);
    const items = Math.max(LEAST_ITEMS, Math.ceil(ITEMS * size));
    const kills = Math.max(1, Math.ceil(KILLS * size));
    const directory = mkdtempSync(path.join(tmpdir(), "quarry-soak-"));
    const violations: string[] = [];
    let server = await startServerProcess(directory, SETTINGS);
    const websetOf = async (importId: string): Promise<string> => {
      const wish = { import: [{ source: "import", id: importId }] };
      const webset = (await server.call("POST", "/websets/v0/websets", wish)).body as { id: string };
      await poll(server, `/websets/v0/websets/${webset.id}`, ["idle"]);
      return `/websets/v0/websets/${webset.id}/exports`;
    };
    const beginExport = async (exports: string, format: string): Promise<string> =>
      `${exports}/${((await server.call("POST", exports, { format })).body as { id: string }).id}`;
    try {
      const first = await upload(server, items);
      await poll(server, `/websets/v0/imports/${first}`, ["completed"]);
      const exports = await websetOf(first);
      report(`a webset of ${items} items stands`);

      const second = await upload(server, rows);
      const files = { jsonl: await beginExport(exports, "jsonl"), csv: await beginExport(exports, "csv") };
      for (let kill = 1; kill <= kills; kill += 1) {
        await sleep(random.integer(0, Math.ceil(rows * BLOW_WITHIN_MS_PER_ROW)));
        await server.kill();
        server = await startServerProcess(directory, SETTINGS);
        report(`kill ${kill} of ${kills}: ready again after ${server.readyMs.toFixed(0)} ms`);
      }
      for (const [format, route] of Object.entries(files)) {
        violations.push(...(await checkFile(await poll(server, route, ["completed", "failed"]), format, items)));
      }
      const done = await poll(server, `/websets/v0/imports/${second}`, ["completed", "failed"]);
      if (done["status"] !== "completed" || done["count"] !== rows) {
        violations.push(`the import of ${rows} rows is ${String(done["status"])} with ${String(done["count"])}`);
      }
      await server.stop();
    } finally {
      await server.kill();
      rmSync(directory, { recursive: true, force: true });
    }
    return { figures: { rows, items, kills }, violations };
  },
};

const SETTINGS = { QUARRY_LOG_LEVEL: "warn" };

async function upload(server: ServerProcess, rows: number): Promise<string> {
  const lines = Array.from({ length: rows }, (_, row) => `"Company ${row}, Inc.",https://company-${row}.example/`);
  const file = Buffer.from(`name,url\n${lines.join("\n")}\n`);
  const wish = { size: file.length, count: rows, format: "csv", entity: { type: "company" } };
  const made = (await server.call("POST", "/websets/v0/imports", wish)).body as { id: string; uploadUrl: string };
  const sent = await fetch(made.uploadUrl, { method: "PUT", body: file });
  if (!sent.ok) throw new Error(`the upload was answered with ${sent.status}: ${await sent.text()}`);
  return made.id;
}

/** Reads a resource until it has one of these statuses. */
async function poll(
  server: ServerProcess,
  route: string,
  statuses: readonly string[],
): Promise<Readonly<Record<string, unknown>>> {
  for (const end = performance.now() + FINISH_WITHIN_MS; performance.now() < end;) {
    const { body } = await server.call("GET", route);
    const found = body as Readonly<Record<string, unknown>>;
    if (statuses.includes(String(found["status"]))) return found;
    await sleep(100);
  }
  throw new Error(`${route} was not ${statuses.join(" or ")} in time`);
}

async function checkFile(
  exported: Readonly<Record<string, unknown>>,
  format: string,
  rows: number,
): Promise<readonly string[]> {
  if (exported["status"] !== "completed") return [`the export to ${format} is ${String(exported["status"])}`];
  const text = await (await fetch(String(exported["downloadUrl"]))).text();
  const lines = text
    .trimEnd()
    .split(format === "csv" ? "\r\n" : "\n")
    .slice(format === "csv" ? 1 : 0);
  const ids = new Set(lines.map((line) => /witem_[0-9a-z]{26}/.exec(line)?.[0]));
  if (exported["count"] === rows && lines.length === rows && ids.size === rows) return [];
  return [
    `the export to ${format} says ${String(exported["count"])}, has ${lines.length} lines and ${ids.size} items, not ${rows}`,
  ];
}
