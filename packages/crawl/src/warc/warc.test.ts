import { randomUUID } from "node:crypto";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chunksOf } from "../testing.ts";
import { parseStoredResponse, type StoredResponse } from "./http-message.ts";
import {
  base32,
  checkBlockDigest,
  readWarc,
  WARC_LIMITS,
  type WarcLimits,
  type WarcNote,
  type WarcRecord,
} from "./read-warc.ts";
import { writeWarc, type WarcEntry } from "./write-warc.ts";

const never = new AbortController().signal;
const fetchedAt = new Date("2024-05-06T07:08:09Z");

async function read(
  file: Uint8Array | string,
  limits: Partial<WarcLimits> = {},
  chunkBytes = 11,
): Promise<(WarcRecord | WarcNote)[]> {
  const events: (WarcRecord | WarcNote)[] = [];
  const source = chunksOf(typeof file === "string" ? Buffer.from(file) : file, chunkBytes);
  for await (const event of readWarc(source, never, { ...WARC_LIMITS, ...limits })) events.push(event);
  return events;
}

/** What came of a file in brief: a record as its type and block, a note as its code. */
const brief = (events: readonly (WarcRecord | WarcNote)[]): string[] =>
  events.map((event) =>
    event.kind === "note" ? `!${event.code}` : `${event.type}:${Buffer.from(event.block).toString("latin1")}`,
  );

// eslint-disable-next-line @typescript-eslint/require-await -- a list in the form of a stream
async function* listOf(entries: readonly WarcEntry[]): AsyncGenerator<WarcEntry> {
  yield* entries;
}

async function write(entries: readonly WarcEntry[], gzip: boolean): Promise<Buffer> {
  const writing = { gzip, software: "Quarry test", writtenAt: fetchedAt, makeUuid: randomUUID };
  const chunks: Uint8Array[] = [];
  for await (const chunk of writeWarc(listOf(entries), writing)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const record = (type: string, block: string, extra = ""): string =>
  `WARC/1.0\r\nWARC-Type: ${type}\r\n${extra}Content-Length: ${Buffer.byteLength(block)}\r\n\r\n${block}\r\n\r\n`;

describe("writing and reading WARC", () => {
  const entries: WarcEntry[] = [
    {
      kind: "response",
      url: "https://a.test/ü?x=1",
      fetchedAt,
      status: 200,
      headers: {
        "content-type": "text/html",
        "content-encoding": "gzip",
        "transfer-encoding": "chunked",
        "x-odd": "a\r\nb",
      },
      body: Buffer.from("<html>é</html>"),
      request: { method: "GET", headers: { accept: "*/*" } },
    },
    { kind: "conversion", url: "https://a.test/", fetchedAt, contentType: "text/plain", body: Buffer.from("words") },
    { kind: "resource", url: "https://a.test/empty", fetchedAt, contentType: "text/plain", body: new Uint8Array(0) },
  ];

  it.each([true, false])("gives back what went in (gzip: %s)", async (gzip) => {
    const events = await read(await write(entries, gzip));
    const records = events.flatMap((event) => (event.kind === "record" ? [event] : []));
    expect(records.map((event) => event.type)).toEqual(["warcinfo", "request", "response", "conversion", "resource"]);
    expect(records.map(checkBlockDigest)).toEqual(Array.from({ length: 5 }, () => "match"));
    const response = records[2];
    expect([response?.targetUrl, response?.date, response?.truncated]).toEqual([
      "https://a.test/ü?x=1",
      fetchedAt,
      false,
    ]);
    expect(parseStoredResponse(response?.block ?? new Uint8Array(), 1000)).toEqual({
      kind: "response",
      status: 200,
      headers: {
        "content-type": "text/html",
        "x-crawl-content-encoding": "gzip",
        "x-crawl-transfer-encoding": "chunked",
        "x-odd": "a b",
        "content-length": "15",
      },
      body: Buffer.from("<html>é</html>"),
    });
    expect(records[1]?.headers.get("warc-concurrent-to")).toBe(response?.id);
    expect([records[3]?.contentType, Buffer.from(records[3]?.block ?? []).toString()]).toEqual(["text/plain", "words"]);
  });

  it("gives back any body and any status, at any size of chunk", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 4 }),
        fc.integer({ min: 100, max: 599 }),
        fc.integer({ min: 1, max: 400 }),
        fc.boolean(),
        async (bodies, status, chunkBytes, gzip) => {
          const made = bodies.map((body): WarcEntry => ({
            kind: "response",
            url: "https://a.test/",
            fetchedAt,
            status,
            headers: {},
            body,
          }));
          const events = await read(await write(made, gzip), {}, chunkBytes);
          const back = events
            .slice(1)
            .map((event) => (event.kind === "record" ? parseStoredResponse(event.block, 1000) : event));
          expect(
            back.map((response) =>
              response.kind === "response" ? [response.status, Buffer.from(response.body).toString("hex")] : response,
            ),
          ).toEqual(bodies.map((body) => [status, Buffer.from(body).toString("hex")]));
        },
      ),
      { numRuns: 30 },
    );
  });

  it("packs each record by itself", async () => {
    const file = await write(entries, true);
    const starts = [...file.toString("latin1").matchAll(/\x1f\x8b\x08/g)].length;
    expect(starts).toBeGreaterThanOrEqual(5);
  });

  it("notices a block that was changed", async () => {
    const file = (await write(entries, false)).toString("latin1").replace("words", "WORDS");
    const changed = (await read(Buffer.from(file, "latin1"))).find(
      (event) => event.kind === "record" && event.type === "conversion",
    );
    expect(changed?.kind === "record" && checkBlockDigest(changed)).toBe("mismatch");
  });

  it("writes base 32 as the RFC does", () => {
    expect(["", "f", "fo", "foo", "foob", "fooba", "foobar"].map((text) => base32(Buffer.from(text)))).toEqual([
      "",
      "MY======",
      "MZXQ====",
      "MZXW6===",
      "MZXW6YQ=",
      "MZXW6YTB",
      "MZXW6YTBOI======",
    ]);
  });
});

describe("readWarc", () => {
  it("reads a WET file as Common Crawl writes it", async () => {
    const wet =
      record("warcinfo", "Software-Info: x\r\n") +
      record(
        "conversion",
        "Grüße",
        "WARC-Target-URI: <http://a.test/>\r\nWARC-Date: 2024-05-06T07:08:09Z\r\nWARC-Identified-Content-Language: deu\r\nContent-Type: text/plain\r\n",
      );
    const [, text] = await read(gzipSync(wet));
    expect(text).toMatchObject({
      type: "conversion",
      targetUrl: "http://a.test/",
      date: fetchedAt,
      contentType: "text/plain",
    });
    expect(
      text?.kind === "record" && [
        text.headers.get("warc-identified-content-language"),
        Buffer.from(text.block).toString(),
      ],
    ).toEqual(["deu", "Grüße"]);
  });

  it("goes on at the next record after nonsense, a bad length or a wrong one", async () => {
    expect(brief(await read(`junk\njunk\n${record("a", "1")}`))).toEqual(["!not-a-warc", "a:1"]);
    expect(brief(await read(`${record("a", "1")}WARC/1.0\r\nContent-Length: many\r\n\r\n${record("b", "2")}`))).toEqual(
      ["a:1", "!bad-record", "b:2"],
    );
    expect(
      brief(await read(record("a", "1234\n5678").replace("Content-Length: 9", "Content-Length: 4") + record("b", "2"))),
    ).toEqual(["a:1234", "!bad-record", "b:2"]);
    expect(brief(await read(record("a", "1").replaceAll("\r\n", "\n") + record("b", "2")))).toEqual(["a:1", "b:2"]);
  });

  it("folds headers and takes the last of two", async () => {
    const [event] = await read(record("a", "", "X: 1\r\n  2\r\nY: 3\r\ny: 4\r\n"));
    expect(event?.kind === "record" && [event.headers.get("x"), event.headers.get("y")]).toEqual(["1 2", "4"]);
  });

  it("cuts what is too large and says what is missing", async () => {
    const [cut, whole] = await read(record("a", "x".repeat(100)) + record("b", "2"), { maxBlockBytes: 10 });
    expect(cut).toMatchObject({ truncated: true, block: Buffer.from("x".repeat(10)) });
    expect(whole).toMatchObject({ truncated: false });
    expect(brief(await read(record("a", "12345").slice(0, -7)))).toEqual(["a:12", "!ended-early"]);
    expect(brief(await read(record("a", "1").repeat(50), { maxBytes: 200 }))).toContain("!too-large");
    expect(brief(await read(record("a", "1".repeat(2000)), { maxBlockBytes: 4 }))).toEqual(["a:1111"]);
  });

  it("reads a gzip file as far as it goes", async () => {
    const file = Buffer.concat([gzipSync(record("a", "1")), gzipSync(record("b", "2".repeat(5000)))]);
    expect(brief(await read(file.subarray(0, -20)))[0]).toBe("a:1");
    const broken = Buffer.concat([
      gzipSync(record("a", "1")),
      Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3, 4, 5, 6, 255, 255, 255, 255]),
    ]);
    expect(brief(await read(broken)).at(-1)).toBe("!corrupt");
    expect(brief(await read(Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0])))).toEqual(["!unsupported-compression"]);
    expect(await read("")).toEqual([]);
  });

  it("does not go on about a file of nothing but errors", async () => {
    const events = await read("WARC/1.0\r\n\r\n".repeat(5000), {}, 4096);
    expect(events).toHaveLength(100);
  });

  it("stops the source when its reader stops", async () => {
    let stopped = false;
    // eslint-disable-next-line @typescript-eslint/require-await -- a source without end
    async function* endless(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) yield Buffer.from(record("a", "1"));
      } finally {
        stopped = true;
      }
    }
    for await (const event of readWarc(endless(), never)) if (event.kind === "record") break;
    expect(stopped).toBe(true);
    const stop = new AbortController();
    const events = readWarc(endless(), stop.signal);
    await events.next();
    stop.abort();
    await expect(events.next()).rejects.toThrow("aborted");
  });

  it("holds one record at a time of a large file", async () => {
    async function* large(): AsyncGenerator<Uint8Array> {
      const one = Buffer.from(record("response", "x".repeat(1_000_000)));
      for (let count = 0; count < 300; count += 1) {
        await Promise.resolve();
        yield one;
      }
    }
    const before = process.memoryUsage().arrayBuffers;
    let [records, most] = [0, 0];
    for await (const event of readWarc(large(), never)) {
      if (event.kind === "record") records += 1;
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    }
    expect(records).toBe(300);
    expect(most).toBeLessThan(150_000_000);
  });

  it("never throws or hangs, whatever it is given", async () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "WARC/1.0\r\n",
        "WARC-Type: response\r\n",
        "Content-Length: 5\r\n",
        "Content-Length: 99999\r\n",
        "\r\n",
        "\n",
        "HTTP/1.1 200 OK\r\n",
        " folded\r\n",
      ),
      fc.string({ unit: "binary", maxLength: 12 }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.array(piece).map((pieces) => Buffer.from(pieces.join(""))),
          fc.uint8Array(),
        ),
        fc.boolean(),
        async (bytes, packed) => {
          for (const event of await read(packed ? gzipSync(bytes) : bytes)) {
            if (event.kind === "record")
              expect(["response", "malformed"]).toContain(parseStoredResponse(event.block, 1000).kind);
          }
        },
      ),
      { numRuns: 80 },
    );
  });
});

describe("parseStoredResponse", () => {
  const parse = (head: string, body: Uint8Array | string, maxBytes = 1000): StoredResponse =>
    parseStoredResponse(Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\n${head}\r\n`), Buffer.from(body)]), maxBytes);
  const bodyOf = (response: StoredResponse): unknown =>
    response.kind === "response"
      ? [Buffer.from(response.body).toString(), ...(response.bodyNote === undefined ? [] : [response.bodyNote])]
      : response;

  it.each([
    ["gzip", gzipSync("hello")],
    ["x-gzip", gzipSync("hello")],
    ["deflate", deflateSync("hello")],
    ["deflate", deflateRawSync("hello")],
    ["br", brotliCompressSync("hello")],
    ["gzip, br", brotliCompressSync(gzipSync("hello"))],
    ["identity", Buffer.from("hello")],
    ["gzip", Buffer.from("hello")],
  ])("undoes %s (case %#)", (coding, body) => {
    expect(bodyOf(parse(`Content-Encoding: ${coding}\r\n`, body))).toEqual(["hello"]);
  });

  it("joins chunks, packed ones too, and passes over those already joined", () => {
    const chunked = "Transfer-Encoding: chunked\r\n";
    expect(bodyOf(parse(chunked, "2\r\nhe\r\n3;x=1\r\nllo\r\n0\r\n\r\n"))).toEqual(["hello"]);
    const packed = gzipSync("hello");
    const body = Buffer.concat([
      Buffer.from(`${packed.byteLength.toString(16)}\r\n`),
      packed,
      Buffer.from("\r\n0\r\n\r\n"),
    ]);
    expect(bodyOf(parse(`${chunked}Content-Encoding: gzip\r\n`, body))).toEqual(["hello"]);
    expect(bodyOf(parse(chunked, "<html>"))).toEqual(["<html>"]);
    expect(bodyOf(parse(chunked, "5\r\nhello\r\nzz"))).toEqual(["hello", "bad-chunks"]);
    expect(bodyOf(parse(chunked, "ff\r\nhello"))).toEqual(["hello", "bad-chunks"]);
  });

  it("says when a body is not what was meant", () => {
    expect(bodyOf(parse("Content-Encoding: zstd\r\n", "hello"))).toEqual(["hello", "unsupported-encoding"]);
    expect(bodyOf(parse("Content-Encoding: br\r\n", "hello"))).toEqual(["hello", "bad-encoding"]);
    expect(bodyOf(parse("Content-Encoding: gzip\r\n", gzipSync(Buffer.alloc(5000))))).toEqual(["", "too-large"]);
    expect(bodyOf(parse("", "hello", 3))).toEqual(["hel", "too-large"]);
    expect(bodyOf(parse("Content-Encoding: gzip,gzip,gzip,gzip\r\n", "hello"))).toEqual([
      "hello",
      "unsupported-encoding",
    ]);
  });

  it("reads bare line feeds, repeated headers and a missing body", () => {
    expect(parseStoredResponse(Buffer.from("HTTP/1.0 404\nA: 1\na: 2\n\nx"), 10)).toEqual({
      kind: "response",
      status: 404,
      headers: { a: "1, 2" },
      body: Buffer.from("x"),
    });
    expect(parseStoredResponse(Buffer.from("HTTP/2 301 Moved\r\nLocation: /x"), 10)).toMatchObject({
      status: 301,
      headers: { location: "/x" },
    });
    expect(parseStoredResponse(Buffer.from("GET / HTTP/1.1\r\n\r\n"), 10)).toMatchObject({ kind: "malformed" });
    expect(parseStoredResponse(Buffer.from(""), 10)).toMatchObject({ kind: "malformed" });
  });
});
