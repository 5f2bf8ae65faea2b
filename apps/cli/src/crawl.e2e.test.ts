import { execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createWriteStream, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { writeWarc, type WarcEntry } from "@quarry/crawl";
import { generatedPages, withMiniWeb } from "@quarry/crawl/testing";
import { verifies } from "@quarry/tests";
import { afterAll, beforeAll, expect } from "vitest";
import { startLightEmbedder, type LightEmbedder } from "../../../tools/light-embedder.ts";
import { startServerProcess, type ServerProcess } from "../../../tools/server-process.ts";

/** The built programs, run as a person runs them: one server to work with, one to import into. */
const root = fileURLToPath(new URL("../../../", import.meta.url));
const handbook = fileURLToPath(new URL("../fixtures/handbook", import.meta.url));
const LIMIT_MS = 60_000;
const PAGES = 12;

let home = "";
let servers: readonly ServerProcess[] = [];
/** Nothing here is about meaning: the servers load no model. */
let embedder: LightEmbedder;

beforeAll(async () => {
  await promisify(execFile)(process.execPath, [path.join(root, "tools", "ensure-installed.mjs")]);
  home = mkdtempSync(path.join(tmpdir(), "quarry-crawl-e2e-"));
  embedder = await startLightEmbedder();
  const settings = { ...embedder.settings, QUARRY_ALLOW_PRIVATE_HOSTS: "127.0.0.1", QUARRY_LOG_LEVEL: "warn" };
  servers = await Promise.all(
    ["one", "two"].map((name) => {
      mkdirSync(path.join(home, name));
      return startServerProcess(path.join(home, name), settings);
    }),
  );
}, LIMIT_MS);

afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await embedder.close();
  rmSync(home, { recursive: true, force: true });
}, LIMIT_MS);

interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the CLI against the server of a data directory; `onText` sees what it has written so far. */
async function quarry(
  server: "one" | "two",
  args: readonly string[],
  onText: (stderr: string, interrupt: () => void) => void = () => undefined,
): Promise<Run> {
  const child = spawn(process.execPath, [path.join(root, "dist", "cli.js"), ...args], {
    cwd: home,
    env: { PATH: process.env["PATH"], QUARRY_DATA_DIR: path.join(home, server) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (part: Buffer) => (stdout += part.toString("utf8")));
  child.stderr.on("data", (part: Buffer) => {
    stderr += part.toString("utf8");
    onText(stderr, () => child.kill("SIGINT"));
  });
  await once(child, "close");
  return { code: child.exitCode, stdout, stderr };
}

const json = (run: Run): unknown => JSON.parse(run.stdout) as unknown;

/** What an export says of each document, without what a server decides for itself: versions, and which of two twins stands for both. */
async function documentsOf(server: "one" | "two"): Promise<ReadonlyMap<string, Readonly<Record<string, unknown>>>> {
  const { stdout } = await quarry(server, ["index", "export"]);
  const lines = stdout.split("\n").filter((line) => line !== "");
  const documents = lines.map((line) => JSON.parse(line) as { url: string } & Record<string, unknown>);
  return new Map(
    documents.map((document) => {
      const { version, changedAt, source, canonicalUrl, ...rest } = document;
      expect({ version, changedAt, source, canonicalUrl }).not.toContain(undefined);
      return [document.url, rest];
    }),
  );
}

async function writeArchive(file: string, gzip: boolean, entries: readonly WarcEntry[]): Promise<string> {
  const writing = { gzip, software: "test", writtenAt: new Date(), makeUuid: randomUUID };
  const target = path.join(home, file);
  await pipeline(Readable.from(writeWarc(Readable.from(entries), writing)), createWriteStream(target));
  return target;
}

verifies(
  ["cli:crawl:crawl-url", "crawl:api:list"],
  "crawls a site, and tells what became of each page",
  () =>
    withMiniWeb(generatedPages(PAGES), {}, async ({ origin }) => {
      const run = await quarry("one", ["crawl", `${origin}/`, "--delay", "0", "--json"]);
      expect([run.code, json(run)]).toMatchObject([0, { status: "completed", pagesByStatus: { fetched: PAGES } }]);
      const { id } = json(run) as { readonly id: string };
      const list = json(await quarry("one", ["crawl", "list", "--json"])) as { data: { id: string }[] };
      expect(list.data.map((crawl) => crawl.id)).toEqual([id]);
      const pages = json(await quarry("one", ["crawl", "pages", id, "--status", "fetched", "--json"]));
      expect((pages as { data: unknown[] }).data).toHaveLength(PAGES);
      const nothing = await quarry("one", ["crawl", `${origin}/none`, "--delay", "0"]);
      expect([nothing.code, nothing.stdout]).toEqual([1, expect.stringMatching(/not-there +1\n$/)]);
      expect((await quarry("one", ["map", `${origin}/`])).stdout).toBe(
        ["/", "/page/1", "/page/2"].map((page) => `${origin}${page}\n`).join(""),
      );
    }),
  LIMIT_MS,
);

verifies(
  ["cli:interrupt:130", "crawl:control:cancel"],
  "cancels the crawl on Ctrl+C, and keeps what it read",
  () =>
    withMiniWeb(generatedPages(500), { delayMs: 50 }, async ({ origin, requests }) => {
      const run = await quarry("one", ["crawl", `${origin}/`, "--delay", "1"], (text, interrupt) => {
        if (text.includes("Crawling as")) setTimeout(interrupt, 1_500);
      });
      const id = /crawl_\w+/.exec(run.stderr)?.[0] ?? "";
      expect([run.code, run.stderr]).toEqual([130, expect.stringContaining(`Canceled ${id}`)]);
      const shown = json(await quarry("one", ["crawl", "show", id, "--json"]));
      expect(shown).toMatchObject({ status: "canceled" });
      const { progress } = shown as { progress: { done: number } };
      expect(progress.done).toBeLessThan(500);
      const asked = requests.length;
      await new Promise((resolve) => setTimeout(resolve, 500));
      expect(requests.length).toBe(asked);
    }),
  LIMIT_MS,
);

verifies(
  ["cli:index:import-file", "ingest:import:folder", "ingest:import:resumable", "cli:exit:partial"],
  "imports a folder of HTML, Markdown, PDF and DOCX; again changes nothing; a broken file is told",
  async () => {
    const args = ["index", "import", handbook, "--base-url", "https://handbook.example.com/", "--category", "manual"];
    expect(json(await quarry("one", [...args, "--json"]))).toMatchObject({ created: 4, failed: 0 });
    const documents = await documentsOf("one");
    const found = [...documents.values()].filter(({ category }) => category === "manual");
    expect(Object.fromEntries(found.map(({ url, text }) => [url, text]))).toEqual({
      "https://handbook.example.com/safety": expect.stringContaining("Wear gloves") as string,
      "https://handbook.example.com/install.md": expect.stringContaining("level ground") as string,
      "https://handbook.example.com/pump.pdf": expect.stringContaining("forty bar") as string,
      "https://handbook.example.com/report.docx": expect.stringContaining("Sales grew by a tenth") as string,
    });
    writeFileSync(path.join(home, "broken.pdf"), "%PDF-broken");
    const again = await quarry("one", [...args, path.join(home, "broken.pdf"), "--json"]);
    expect([again.code, json(again)]).toMatchObject([6, { created: 0, updated: 0, unchanged: 4, failed: 1 }]);
    expect(again.stderr).toMatch(/warning: .*broken\.pdf: not a readable application\/pdf/);
  },
  LIMIT_MS,
);

verifies(
  ["ingest:import:warc", "ingest:import:wet", "ingest:import:ndjson", "ingest:import:broken-records"],
  "imports WARC, WET and NDJSON, plain and gzipped, around what is broken in them",
  async () => {
    const fetchedAt = new Date("2026-01-01T00:00:00Z");
    const body = (name: string): Buffer =>
      Buffer.from(`<title>${name}</title><p>${`The ${name} page of an archive. `.repeat(12)}</p>`);
    const response = (name: string, status = 200): WarcEntry => ({
      kind: "response",
      url: `https://archive.example.com/${name}`,
      fetchedAt,
      status,
      headers: { "content-type": "text/html" },
      body: body(name),
    });
    const text = (name: string): WarcEntry => ({
      kind: "conversion",
      url: `https://archive.example.com/${name}`,
      fetchedAt,
      contentType: "text/plain",
      body: Buffer.from(`Text of ${name}`),
    });
    const files = [
      await writeArchive("a.warc", false, [response("warc"), response("gone", 404)]),
      await writeArchive("b.warc.gz", true, [response("warc-gz")]),
      await writeArchive("c.wet", false, [text("wet")]),
      await writeArchive("d.warc.wet.gz", true, [text("wet-gz")]),
    ];
    writeFileSync(path.join(home, "e.ndjson"), '{"url":"https://archive.example.com/line","text":"A line"}\n{broken\n');
    const plain = readFileSync(await writeArchive("whole.warc", false, [response("kept"), response("lost")]));
    writeFileSync(path.join(home, "cut.warc"), Buffer.concat([Buffer.from("junk\n\n"), plain.subarray(0, -40)]));
    const run = await quarry("one", ["index", "import", ...files, "e.ndjson", "cut.warc", "--json"]);
    expect([run.code, json(run)]).toMatchObject([
      6,
      {
        created: 6,
        skipped: 1,
        failures: [
          { place: expect.stringMatching(/e\.ndjson:2$/) as string },
          { message: expect.stringContaining("no record begins") as string },
          { place: "https://archive.example.com/lost", message: expect.stringContaining("cut off") as string },
          { message: expect.stringContaining("the file ends 36 bytes before") as string },
        ],
      },
    ]);
    const documents = await documentsOf("one");
    const names = ["warc", "warc-gz", "wet", "wet-gz", "line", "kept"];
    expect(names.filter((name) => !documents.has(`https://archive.example.com/${name}`))).toEqual([]);
    expect(documents.get("https://archive.example.com/wet-gz")).toMatchObject({ text: "Text of wet-gz" });
  },
  LIMIT_MS,
);

verifies(
  "ingest:import:sitemap",
  "imports the pages of a sitemap, and no others",
  () => {
    const site = generatedPages(20);
    let origin = "";
    const pages = (target: string) =>
      target === "/sitemap.xml"
        ? {
            contentType: "application/xml",
            body: `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${[5, 6]
              .map((page) => `<url><loc>${origin}/page/${page}</loc></url>`)
              .join("")}</urlset>`,
          }
        : site(target);
    return withMiniWeb(pages, {}, async (web) => {
      origin = web.origin;
      const run = await quarry("one", ["index", "import", `${origin}/sitemap.xml`, "--delay", "0", "--json"]);
      expect([run.code, json(run)]).toMatchObject([0, { created: 2, failed: 0 }]);
      const urls = [...(await documentsOf("one")).keys()].filter((url) => url.startsWith(`${origin}/`));
      expect(urls.sort()).toEqual([`${origin}/page/5`, `${origin}/page/6`]);
    });
  },
  LIMIT_MS,
);

verifies(
  ["ingest:export:warc", "ingest:export:ndjson"],
  "exports everything so that another server reads it back equal",
  async () => {
    const original = await documentsOf("one");
    expect(original.size).toBeGreaterThan(PAGES + 10);
    const stats = json(await quarry("one", ["index", "stats", "--json"]));
    expect(stats).toMatchObject({ documents: original.size });

    const warc = path.join(home, "index.warc.gz");
    expect((await quarry("one", ["index", "export", "--format", "warc", "-o", warc])).code).toBe(0);
    expect(json(await quarry("two", ["index", "import", warc, "--json"]))).toMatchObject({
      created: original.size,
      failed: 0,
    });
    expect(await documentsOf("two")).toEqual(original);

    const lines = path.join(home, "index.ndjson");
    expect((await quarry("one", ["index", "export", "-o", lines])).code).toBe(0);
    const urls = [...original.keys()];
    await servers[1]?.call("DELETE", "/quarry/v1/documents", { urls });
    expect((await documentsOf("two")).size).toBe(0);
    expect(json(await quarry("two", ["index", "import", lines, "--json"]))).toMatchObject({ failed: 0 });
    const facts = ({ url, title, author, publishedDate, category, text }: Readonly<Record<string, unknown>>) => ({
      ...{ url, title, author, publishedDate, category, text },
    });
    expect([...(await documentsOf("two")).values()].map(facts)).toEqual([...original.values()].map(facts));
  },
  LIMIT_MS,
);
