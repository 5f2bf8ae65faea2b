import { randomUUID } from "node:crypto";
import { readWarc, writeWarc, type WarcEntry, type WarcRecord } from "@quarry/crawl";
import { describe, expect, it } from "vitest";
import { FACTS_HEADER, readFacts, toWarcEntry, type ImportedPage } from "./imported-page.ts";
import { pageOfRecord } from "./page-of-record.ts";

const now = new Date("2026-03-01T12:00:00.000Z");
const fetchedAt = new Date("2026-02-01T08:00:00.123Z");

const webPage: ImportedPage = {
  url: "https://e.org/a",
  fetchedAt,
  given: {
    title: "Täglich — 日本",
    author: "Ada",
    publishedAt: new Date("2025-05-05T00:00:00.000Z"),
    category: "news",
  },
  etag: '"x"',
  lastModified: "Sun, 01 Feb 2026 08:00:00 GMT",
  content: { kind: "bytes", bytes: Buffer.from("<p>Grün</p>", "latin1"), contentType: "text/html; charset=iso-8859-1" },
};

/** The page record of an entry as a reader of the written file sees it. */
async function recordOf(entry: WarcEntry, change: Partial<WarcRecord> = {}): Promise<WarcRecord> {
  // eslint-disable-next-line @typescript-eslint/require-await -- one entry, there already
  async function* entries() {
    yield entry;
  }
  const file = writeWarc(entries(), { gzip: true, software: "test", writtenAt: now, makeUuid: randomUUID });
  for await (const record of readWarc(file, new AbortController().signal)) {
    if (record.kind === "record" && record.type !== "warcinfo") return { ...record, ...change };
  }
  throw new Error("no record");
}

const response = (change: Partial<Extract<WarcEntry, { kind: "response" }>>): WarcEntry => ({
  kind: "response",
  url: "https://e.org/a",
  fetchedAt,
  status: 200,
  headers: { "content-type": "text/html" },
  body: Buffer.from("<p>Hello</p>"),
  ...change,
});

describe("a page written as a record", () => {
  it("is the same page when it is read", async () => {
    expect(pageOfRecord(await recordOf(toWarcEntry(webPage)), now)).toEqual({ kind: "page", page: webPage });
  });

  it("stays a text when it was given as one", async () => {
    const page: ImportedPage = {
      url: "https://e.org/t",
      fetchedAt,
      given: {},
      content: { kind: "text", text: "Ä\n b" },
    };
    expect(pageOfRecord(await recordOf(toWarcEntry(page)), now)).toEqual({ kind: "page", page });
  });
});

describe("a record of another's archive", () => {
  it("gives its bytes, its type and its date", async () => {
    expect(pageOfRecord(await recordOf(response({})), now)).toMatchObject({
      kind: "page",
      page: {
        url: "https://e.org/a",
        fetchedAt: new Date("2026-02-01T08:00:00.000Z"),
        content: { kind: "bytes", contentType: "text/html" },
      },
    });
  });

  it("of a WET file gives its text", async () => {
    const entry = { kind: "conversion", url: "https://e.org/a", fetchedAt, contentType: "text/plain" } as const;
    expect(pageOfRecord(await recordOf({ ...entry, body: Buffer.from(" Grün \n") }), now)).toMatchObject({
      kind: "page",
      page: { content: { kind: "text", text: "Grün" } },
    });
    expect(pageOfRecord(await recordOf({ ...entry, body: Buffer.from(" ") }), now)).toMatchObject({ kind: "skipped" });
  });

  it.each([
    ["an error", response({ status: 404 }), "status 404"],
    ["a picture", response({ body: Buffer.from("\x89PNG\r\n\x1a\n0000", "latin1") }), "image/png"],
    ["nothing", response({ body: Buffer.alloc(0) }), "empty"],
  ])("with %s is passed over", async (_name, entry, reason) => {
    expect(pageOfRecord(await recordOf(entry), now)).toEqual({ kind: "skipped", url: "https://e.org/a", reason });
  });

  it.each([
    ["cut off", { truncated: true }],
    ["damaged", { block: Buffer.from("HTTP/1.1 200 OK\r\n\r\nother") }],
    ["no HTTP", { block: Buffer.from("junk"), headers: new Map<string, string>() }],
  ])("that is %s is a failure with its address", async (_name, change) => {
    const reading = pageOfRecord(await recordOf(response({}), change), now);
    expect(reading).toMatchObject({ kind: "failed", url: "https://e.org/a" });
  });

  it("is bookkeeping when it holds no page of the web", async () => {
    expect(pageOfRecord(await recordOf(response({}), { type: "revisit" }), now)).toEqual({ kind: "other" });
    expect(pageOfRecord(await recordOf(response({}), { targetUrl: "dns:e.org" }), now)).toEqual({ kind: "other" });
  });

  it("from a time to come counts as read now, so that later visits are not refused as older", async () => {
    const record = await recordOf(response({}), { date: new Date("2099-01-01T00:00:00Z") });
    expect(pageOfRecord(record, now)).toMatchObject({ page: { fetchedAt: now } });
  });
});

it.each(["", "%E0%A4%A", "{}x", "7", encodeURIComponent('{"title":7}')])("a %j header tells nothing", (value) => {
  expect(readFacts(value)).toEqual({});
  expect(FACTS_HEADER).toBe("x-quarry-facts"); // archives that exist carry it
});
