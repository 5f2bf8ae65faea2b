import { sourceRangeOf } from "@quarry/extract";
import { createSnapshotStore, extractContent, ingestPages, unpackOffsets } from "@quarry/ingest";
import { memoryBlobStore } from "@quarry/ingest/testing";
import { findDocument, getExtractedText } from "@quarry/store";
import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import { fakeClock } from "../../testing-clock.ts";
import { withHttpApp, type HttpWorld } from "../../testing.ts";
import { documentRoutes } from "./documents.ts";
import { snapshotRoutes } from "./snapshots.ts";

/** An app that keeps documents and shows their snapshots. */
function withSnapshots(work: (world: HttpWorld) => Promise<void>): Promise<void> {
  return withHttpApp(work, ({ db, teamId }) => {
    const snapshots = createSnapshotStore(memoryBlobStore());
    const documents = {
      db,
      clock: fakeClock(),
      operatorTeamId: teamId,
      isIndexed: ({ waitMs }: { readonly waitMs: number }) => Promise.resolve(waitMs > 0),
      ingest: (pages: Parameters<typeof ingestPages>[1], signal: AbortSignal) =>
        ingestPages({ database: db, snapshots, readPage: extractContent }, pages, { signal }),
    };
    return { routes: [...documentRoutes(documents), ...snapshotRoutes({ db, snapshots })] };
  });
}

const html = `<!doctype html><html lang="en"><title>The title</title><body><script>alert(1)</script>
  <p>${"Words &amp; more words of the page. ".repeat(20)}</p><img src="https://elsewhere.example/x.png"></body></html>`;

async function put(world: HttpWorld, documents: unknown, key = world.key): Promise<readonly Record<string, unknown>[]> {
  const reply = await world.call("POST", "/quarry/v1/documents", { key, body: documents });
  expect(reply.statusCode).toBe(200);
  return reply.json<{ documents: Record<string, unknown>[] }>().documents;
}

describe("snapshots", () => {
  verifies(
    ["snapshot:api:get", "snapshot:api:sanitised"],
    "give the page byte for byte, locked so that it runs and loads nothing",
    () =>
      withSnapshots(async (world) => {
        const [kept] = await put(world, { url: "https://e.example/", html });
        const id = String(kept?.["snapshotId"]);
        const facts = await world.call("GET", `/quarry/v1/snapshots/${id}`);
        expect(facts.json()).toMatchObject({
          id,
          mediaType: "text/html",
          charset: "utf-8",
          byteLength: Buffer.byteLength(html),
        });
        const content = await world.call("GET", `/quarry/v1/snapshots/${id}/content`);
        expect(content.body).toBe(html);
        const policy = String(content.headers["content-security-policy"]);
        expect(policy).toContain("sandbox;");
        expect(policy).toContain("default-src 'none'");
        expect(policy).not.toMatch(/script-src|allow-scripts|https?:/);
        expect(content.headers["x-content-type-options"]).toBe("nosniff");
      }),
  );

  verifies(["snapshot:api:own-team", "snapshot:api:unknown"], "of another team, and unknown ones, are 404", () =>
    withSnapshots(async (world) => {
      const [kept] = await put(world, { url: "https://e.example/", html });
      const { secret } = await world.makeKey({ teamId: await world.makeTeam() });
      for (const [id, key] of [
        [String(kept?.["snapshotId"]), secret],
        ["0".repeat(64), world.key],
      ] as const) {
        for (const part of ["", "/content"]) {
          expect((await world.call("GET", `/quarry/v1/snapshots/${id}${part}`, { key })).statusCode).toBe(404);
        }
      }
      expect((await world.call("GET", "/quarry/v1/snapshots/nonsense")).statusCode).toBe(400);
    }),
  );

  it("of XHTML say so, and are shown as HTML, which shows pages with mistakes too", () =>
    withSnapshots(async (world) => {
      const [kept] = await put(world, { url: "https://e.example/", html });
      await world.db.query("UPDATE snapshots SET media_type = 'application/xhtml+xml'");
      const path = `/quarry/v1/snapshots/${String(kept?.["snapshotId"])}`;
      expect((await world.call("GET", path)).json()).toMatchObject({ mediaType: "application/xhtml+xml" });
      const content = await world.call("GET", `${path}/content`);
      expect(content.headers["content-type"]).toBe("text/html; charset=utf-8");
    }));

  verifies("snapshot:text:given-text-is-snapshot", "of a document given as text are that text", () =>
    withSnapshots(async (world) => {
      const text = "A text, given as it is: é 😀\nand its second line.";
      const [kept] = await put(world, { url: "https://e.example/", text });
      const content = await world.call("GET", `/quarry/v1/snapshots/${String(kept?.["snapshotId"])}/content`);
      expect(content.body).toBe(text);
      expect((await world.call("GET", "/quarry/v1/documents?url=https://e.example/")).json()).toMatchObject({ text });
    }),
  );

  verifies(
    ["snapshot:offsets:into-extracted-text", "snapshot:offsets:mapped-to-source"],
    "have a text whose UTF-16 offsets lead back to the place in the page's source",
    () =>
      withSnapshots(async (world) => {
        const source = html.replace("of the page", "of the 😀 page");
        await put(world, { url: "https://e.example/", html: source });
        const document = await findDocument(world.db, [world.teamId], "https://e.example/");
        const kept = await getExtractedText(world.db, document?.snapshotId ?? "", document?.extractorVersion ?? "");
        const text = kept?.text ?? "";
        const start = text.indexOf("😀 page");
        expect(text.slice(start, start + "😀 page".length)).toBe("😀 page");
        const map = unpackOffsets(kept?.sourceMap ?? new Uint8Array());
        const range = sourceRangeOf(map, start, start + "😀 page".length);
        expect(range && source.slice(range.start, range.end)).toBe("😀 page");
      }),
  );
});

verifies("crawl:changes:diff", "two versions of a document's text are compared, line by line", () =>
  withSnapshots(async (world) => {
    const url = "https://e.example/";
    await put(world, { url, text: "one\ntwo\nthree\nend" });
    await put(world, { url, text: "one\n2\nthree\nfour\nend" });
    const change = await world.call("GET", `/quarry/v1/changes?url=${url}`);
    expect(change.json()).toMatchObject({ url, added: 2, removed: 1, versions: [{}, {}] });
    expect(change.json<{ diff: string }>().diff).toMatch(/-two\n\+2\n three\n\+four/);
    expect((await world.call("GET", `/quarry/v1/changes?url=${url}&from=999`)).statusCode).toBe(400);
    expect((await world.call("GET", "/quarry/v1/changes?url=https://e.example/none")).statusCode).toBe(404);
  }),
);

describe("documents", () => {
  verifies(
    ["ingest:documents:post-json", "ingest:documents:text-or-html", "ingest:documents:fields", "ingest:documents:get"],
    "come as JSON, one or several, text or HTML, and keep what the giver knows of them",
    () =>
      withSnapshots(async (world) => {
        const facts = { title: "Given title", author: "Ada", category: "news" };
        const one = { url: "https://e.example/1", html, ...facts, publishedDate: "2025-01-02" };
        expect(await put(world, one)).toMatchObject([{ status: "created" }]);
        const two = [
          { url: "https://e.example/2", text: "second" },
          { url: "https://e.example/3", text: "third" },
        ];
        expect(await put(world, two)).toMatchObject([{ status: "created" }, { status: "created" }]);
        expect(await put(world, { documents: two })).toMatchObject([{ status: "unchanged" }, { status: "unchanged" }]);
        const kept = await world.call("GET", "/quarry/v1/documents?url=https://e.example/1");
        expect(kept.json()).toMatchObject({ ...facts, publishedDate: "2025-01-02T00:00:00.000Z", source: "api" });
        expect(kept.json<{ text: string }>().text).toContain("Words & more words");
        expect((await world.call("GET", "/quarry/v1/documents?url=https://e.example/none")).statusCode).toBe(404);
        const both = await put(world, { url: "https://e.example/4", text: "x", html: "x" });
        expect(both).toMatchObject([
          { status: "error", error: expect.stringContaining("either text or html") as string },
        ]);
      }),
  );

  verifies("ingest:documents:post-ndjson", "come as NDJSON, one a line", () =>
    withSnapshots(async (world) => {
      const lines = [1, 2].map((n) => JSON.stringify({ url: `https://e.example/${n}`, text: `text ${n}` }));
      const reply = await world.app.inject({
        method: "POST",
        url: "/quarry/v1/documents",
        payload: `${lines.join("\n")}\n\n`,
        headers: { "x-api-key": world.key, "content-type": "application/x-ndjson" },
      });
      expect(reply.json()).toMatchObject({ documents: [{ status: "created" }, { status: "created" }] });
    }),
  );

  verifies(
    ["ingest:documents:upsert-by-url", "ingest:documents:per-document-status", "ingest:documents:bad-url"],
    "replace the one with their URL, however it is spelled; a bad one fails by itself",
    () =>
      withSnapshots(async (world) => {
        await put(world, { url: "https://e.example/a?utm_source=x", text: "first" });
        const statuses = await put(world, [
          { url: "HTTPS://E.example:443/a", text: "second" },
          { url: "ftp://e.example/", text: "x" },
          { url: "no url", text: "x" },
          { url: "https://e.example/b", text: "third" },
        ]);
        expect(statuses.map(({ status }) => status)).toEqual(["updated", "error", "error", "created"]);
        expect(statuses[1]?.["error"]).toMatch(/http/);
        const list = (await world.call("GET", "/quarry/v1/documents")).json<{ data: { url: string }[] }>();
        expect(list.data.map(({ url }) => url).toSorted()).toEqual(["https://e.example/a", "https://e.example/b"]);
      }),
  );

  verifies(["ingest:documents:delete", "ingest:documents:own-team"], "are read and deleted by their team alone", () =>
    withSnapshots(async (world) => {
      const { secret } = await world.makeKey({ teamId: await world.makeTeam() });
      const url = "https://e.example/mine";
      await put(world, { url, text: "mine" });
      const remove = (key: string) => world.call("DELETE", "/quarry/v1/documents", { key, body: { urls: [url] } });
      expect((await world.call("GET", `/quarry/v1/documents?url=${url}`, { key: secret })).statusCode).toBe(404);
      expect((await remove(secret)).json()).toEqual({ deleted: [], notFound: [url] });
      expect((await remove(world.key)).json()).toEqual({ deleted: [url], notFound: [] });
      expect((await world.call("GET", `/quarry/v1/documents?url=${url}`)).statusCode).toBe(404);
    }),
  );
});
