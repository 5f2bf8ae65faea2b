import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { writeWarc, type WarcEntry } from "@quarry/crawl";
import { createSnapshotStore, extractContent, ingestPages } from "@quarry/ingest";
import { createDirectoryBlobStore } from "@quarry/store";
import { expect, it, onTestFinished } from "vitest";
import { fakeClock } from "../../testing-clock.ts";
import { withHttpApp, type HttpWorld } from "../../testing.ts";
import { documentRoutes } from "./documents.ts";
import { indexAdminRoutes } from "./index-admin.ts";
import { indexTransferRoutes } from "./index-transfer.ts";

/** Runs `work` with the document and index routes over real extraction. */
function withIndex(work: (world: HttpWorld) => Promise<void>): Promise<void> {
  const directory = mkdtempSync(path.join(tmpdir(), "quarry-index-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return withHttpApp(work, ({ db, teamId }) => {
    const snapshots = createSnapshotStore(createDirectoryBlobStore(directory));
    const deps = {
      db,
      clock: fakeClock(),
      operatorTeamId: teamId,
      isIndexed: ({ waitMs }: { readonly waitMs: number }) => Promise.resolve(waitMs > 0),
      ingest: (pages: Parameters<typeof ingestPages>[1], signal: AbortSignal) =>
        ingestPages({ database: db, snapshots, readPage: extractContent }, pages, { signal }),
    };
    const searchIndexStats = (): Promise<undefined> => Promise.resolve(undefined);
    return {
      routes: [
        ...documentRoutes(deps),
        ...indexAdminRoutes({ ...deps, searchIndexStats }),
        ...indexTransferRoutes({ ...deps, snapshots, software: "test" }),
      ],
    };
  });
}

const html = (title: string): Buffer =>
  Buffer.from(`<!doctype html><title>${title}</title><h1>${title}</h1><p>${`${title} word `.repeat(40)}</p>`);

function page(url: string, change: Partial<Extract<WarcEntry, { kind: "response" }>> = {}): WarcEntry {
  const fetchedAt = new Date("2026-02-01T00:00:00Z");
  const headers = { "content-type": "text/html; charset=utf-8" };
  return { kind: "response", url, fetchedAt, status: 200, headers, body: html(url), ...change };
}

async function warcOf(...entries: readonly WarcEntry[]): Promise<Buffer> {
  // eslint-disable-next-line @typescript-eslint/require-await -- the entries are there already
  async function* given() {
    yield* entries;
  }
  const parts: Uint8Array[] = [];
  const writing = { gzip: true, software: "test", writtenAt: new Date(), makeUuid: randomUUID };
  for await (const part of writeWarc(given(), writing)) parts.push(part);
  return Buffer.concat(parts);
}

const send = (world: HttpWorld, url: string, payload: Buffer, mediaType: string, key = world.key) =>
  world.app.inject({ method: "POST", url, payload, headers: { "x-api-key": key, "content-type": mediaType } });

it("keeps a file as it is, with what the caller knows of it", () =>
  withIndex(async (world) => {
    const query = "url=https://e.org/notes.md&category=notes&author=Ada&publishedDate=2025-01-02";
    const path = `/quarry/v1/documents/file?${query}`;
    const given = await send(world, path, Buffer.from("# Notes\n\nOne *two* three."), "text/markdown; charset=utf-8");
    expect([given.statusCode, given.json()]).toMatchObject([200, { url: "https://e.org/notes.md", status: "created" }]);
    const kept = await world.call("GET", "/quarry/v1/documents?url=https://e.org/notes.md");
    expect(kept.json()).toMatchObject({
      title: "Notes",
      author: "Ada",
      category: "notes",
      publishedDate: "2025-01-02T00:00:00.000Z",
      headings: [{ level: 1, text: "Notes" }],
    });
    const again = await send(world, path, Buffer.from("# Notes\n\nOne *two* three."), "text/markdown");
    expect(again.json()).toMatchObject({ status: "unchanged", indexed: false });
    const waited = await send(world, `${path}&wait=true`, Buffer.from("# Notes\n\nOne *two*."), "text/markdown");
    expect(waited.json()).toMatchObject({ status: "updated", indexed: true });
  }));

it.each([
  ["a bad address", "url=ftp://e.org/", Buffer.from("x"), 400],
  ["no file", "url=https://e.org/", Buffer.alloc(0), 400],
  ["a picture", "url=https://e.org/", Buffer.from("\x89PNG\r\n\x1a\n0000", "latin1"), 422],
  ["a broken PDF", "url=https://e.org/", Buffer.from("%PDF-broken"), 422],
])("refuses %s", (_name, query, payload, status) =>
  withIndex(async (world) => {
    const reply = await send(world, `/quarry/v1/documents/file?${query}`, payload, "application/octet-stream");
    expect(reply.statusCode).toBe(status);
  }),
);

it("takes the pages of an archive, passes over the rest, and tells of each that failed", () =>
  withIndex(async (world) => {
    const archive = await warcOf(
      page("https://e.org/a"),
      page("https://e.org/gone", { status: 404 }),
      page("https://e.org/b.pdf", { body: Buffer.from("%PDF-broken") }),
      page("https://e.org/c"),
    );
    const reply = await send(world, "/quarry/v1/index/import?category=web", archive, "application/warc");
    expect([reply.statusCode, reply.json()]).toMatchObject([
      200,
      {
        documents: [
          { url: "https://e.org/a", status: "created" },
          { url: "https://e.org/b.pdf", status: "error", error: expect.stringContaining("not a readable") as string },
          { url: "https://e.org/c", status: "created" },
        ],
        skipped: 1,
        notes: [],
      },
    ]);
    const kept = (await world.call("GET", "/quarry/v1/documents?url=https://e.org/a")).json<Record<string, unknown>>();
    expect(kept).toMatchObject({ category: "web", source: "import", crawledAt: "2026-02-01T00:00:00.000Z" });

    const junk = await send(world, "/quarry/v1/index/import", Buffer.from("no archive"), "application/warc");
    expect(junk.json()).toMatchObject({ documents: [], notes: ["no record begins at byte 0"] });
  }));

it("does not let an old archive replace a newer visit", () =>
  withIndex(async (world) => {
    const older = { fetchedAt: new Date("2020-01-01T00:00:00Z"), body: html("old") };
    for (const [entry, status] of [
      [page("https://e.org/a"), "created"],
      [page("https://e.org/a", older), "stale"],
    ] as const) {
      const reply = await send(world, "/quarry/v1/index/import", await warcOf(entry), "application/warc");
      expect(reply.json()).toMatchObject({ documents: [{ status }] });
    }
  }));

it("gives documents to all only for the operator's admin key", () =>
  withIndex(async (world) => {
    const { secret } = await world.makeKey({ scopes: ["index"] });
    for (const path of [
      "/quarry/v1/documents/file?url=https://e.org/&shared=true",
      "/quarry/v1/index/import?shared=true",
    ]) {
      expect((await send(world, path, html("x"), "text/html", secret)).statusCode).toBe(403);
    }
  }));

it("exports and counts the caller's own documents alone", () =>
  withIndex(async (world) => {
    await send(world, "/quarry/v1/index/import", await warcOf(page("https://e.org/mine")), "application/warc");
    const { secret } = await world.makeKey({ teamId: await world.makeTeam() });
    await send(
      world,
      "/quarry/v1/index/import",
      await warcOf(page("https://e.org/theirs")),
      "application/warc",
      secret,
    );
    const lines = (key: string) =>
      world.call("GET", "/quarry/v1/index/export", { key }).then(({ body }) => body.trimEnd().split("\n"));
    expect((await lines(world.key)).map((line) => (JSON.parse(line) as { url: string }).url)).toEqual([
      "https://e.org/mine",
    ]);
    expect((await world.call("GET", "/quarry/v1/index", { key: secret })).json()).toMatchObject({
      documents: 1,
      sharedDocuments: 0,
      hosts: [{ host: "e.org", documents: 1 }],
      hostCount: 1,
      snapshots: { count: 1 },
      outbox: 1,
    });
    expect((await lines(secret))[0]).toContain("https://e.org/theirs");
  }));

it("keeps the language that a text was given with, over both kinds of export", () =>
  withIndex(async (world) => {
    const url = "https://e.org/haus";
    const text = "Die Häuser am Ufer wurden von den Fischern verlassen.";
    const given = await world.call("POST", "/quarry/v1/documents", { body: { url, text, language: "de-AT" } });
    expect(given.json()).toMatchObject({ documents: [{ status: "created" }] });
    const languageOf = async (): Promise<unknown> =>
      (await world.call("GET", `/quarry/v1/documents?url=${url}`)).json<{ language: unknown }>().language;
    expect(await languageOf()).toBe("de");
    const line = await world.call("GET", "/quarry/v1/index/export");
    const archive = await world.app.inject({
      url: "/quarry/v1/index/export?format=warc",
      headers: { "x-api-key": world.key },
    });
    const exported = line.json<{ url: string; text: string; language: string }>();
    await world.call("DELETE", "/quarry/v1/documents", { body: { urls: [url] } });
    await world.call("POST", "/quarry/v1/documents", {
      body: { url, text: exported.text, language: exported.language },
    });
    expect(await languageOf()).toBe("de");
    await world.call("DELETE", "/quarry/v1/documents", { body: { urls: [url] } });
    await send(world, "/quarry/v1/index/import", archive.rawPayload, "application/warc");
    expect(await languageOf()).toBe("de");
    const refused = await world.call("POST", "/quarry/v1/documents", {
      body: { url, text, language: "German, please" },
    });
    expect(refused.json()).toMatchObject({
      documents: [{ status: "error", error: "language: expected a language tag such as en or pt-BR" }],
    });
  }));

it("exports more documents than one look-up gives, each once", () =>
  withIndex(async (world) => {
    const count = 230;
    const documents = Array.from({ length: count }, (_, at) => ({ url: `https://e.org/${at}`, text: `text ${at}` }));
    await world.call("POST", "/quarry/v1/documents", { body: documents });
    const { body, headers } = await world.call("GET", "/quarry/v1/index/export?format=ndjson");
    const urls = body
      .trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as { url: string }).url);
    expect([headers["content-type"], urls.length, new Set(urls).size]).toEqual(["application/x-ndjson", count, count]);
  }));

it("counts an empty index, and exports nothing of it", () =>
  withIndex(async (world) => {
    expect((await world.call("GET", "/quarry/v1/index")).json()).toEqual({
      documents: 0,
      sharedDocuments: 0,
      words: 0,
      duplicates: 0,
      lastChangedAt: null,
      languages: [],
      hosts: [],
      hostCount: 0,
      snapshots: { count: 0, bytes: 0 },
      outbox: 0,
      passages: 0,
      vectorOutbox: 0,
      searchIndex: null,
    });
    expect((await world.call("GET", "/quarry/v1/index/export")).body).toBe("");
  }));
