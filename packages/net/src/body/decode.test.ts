import { describe, expect, it } from "vitest";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { parseContentEncoding, type Coding } from "./content-encoding.ts";
import type { Chunks } from "./chunks.ts";
import { decode } from "./decode.ts";

const TEXT = "Quarry reads the page. ".repeat(2_000);
/** TEXT by `zstd -19`, and "hello" by `zstd --no-check`. */
const ZSTD_TEXT = Buffer.from("KLUv/QRo/QAAuFF1YXJyeSByZWFkcyB0aGUgcGFnZS4gAQAtZ6rPJrdz/wU=", "base64");
const ZSTD_HELLO = Buffer.from("KLUv/QBYKQAAaGVsbG8=", "base64");

async function* inChunks(bytes: Uint8Array, size: number): Chunks {
  for (let start = 0; start < bytes.length; start += size)
    yield await Promise.resolve(bytes.subarray(start, start + size));
}

async function decoded(coding: Coding, bytes: Uint8Array, chunkBytes = 65_536): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of decode(coding, inChunks(bytes, chunkBytes))) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

describe("parseContentEncoding", () => {
  it.each([
    [undefined, []],
    ["", []],
    ["identity", []],
    ["GZIP", ["gzip"]],
    ["x-gzip", ["gzip"]],
    ["br", ["br"]],
    ["deflate, gzip", ["gzip", "deflate"]],
    ["gzip,identity , zstd", ["zstd", "gzip"]],
    ["utf-8", []],
    ["none", []],
    ["compress", undefined],
    ["dcb", undefined],
    ["gzip, gzip, gzip", undefined],
  ])("reads %s", (header, expected) => {
    expect(parseContentEncoding(header)).toEqual(expected);
  });
});

describe("decode", () => {
  const encoded: readonly (readonly [string, Coding, Uint8Array])[] = [
    ["gzip", "gzip", gzipSync(TEXT)],
    ["gzip of two members", "gzip", Buffer.concat([gzipSync(TEXT.slice(0, 99)), gzipSync(TEXT.slice(99))])],
    ["br", "br", brotliCompressSync(TEXT)],
    ["deflate with zlib's wrapper", "deflate", deflateSync(TEXT)],
    ["bare deflate", "deflate", deflateRawSync(TEXT)],
    ["zstd", "zstd", ZSTD_TEXT],
  ];

  it.each(encoded)("undoes %s, in whatever pieces it comes", async (_name, coding, bytes) => {
    for (const size of [1, 7, 1_000, 1_000_000]) expect(await decoded(coding, bytes, size)).toBe(TEXT);
  });

  it.each(encoded)("rejects %s that ends too soon", async (_name, coding, bytes) => {
    await expect(decoded(coding, bytes.subarray(0, bytes.length - 9))).rejects.toThrow();
  });

  it.each(encoded)("stops reading when its reader of %s stops", async (_name, coding, bytes) => {
    let isReturned = false;
    const source: Chunks = (async function* () {
      try {
        for (;;) yield* inChunks(bytes, 10);
      } finally {
        isReturned = true;
      }
    })();
    for await (const chunk of decode(coding, source)) {
      expect(chunk.length).toBeGreaterThan(0);
      break;
    }
    expect(isReturned).toBe(true);
  });

  it.each(["gzip", "br", "zstd"] as const)("rejects what is not %s", async (coding) => {
    await expect(decoded(coding, Buffer.from("<html>plain</html>"))).rejects.toThrow();
  });
});

describe("zstd", () => {
  const skippable = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);

  it("joins frames and passes over skippable ones", async () => {
    const bytes = Buffer.concat([skippable, ZSTD_HELLO, skippable, ZSTD_HELLO]);
    for (const size of [1, 5, 100]) expect(await decoded("zstd", bytes, size)).toBe("hellohello");
  });

  it.each([
    ["a window of 2 GiB", [0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xa8], "window"],
    ["content of 9 MiB in one segment", [0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0x00, 0x00, 0x90, 0x00], "window"],
    ["a dictionary", [0x28, 0xb5, 0x2f, 0xfd, 0x01, 0x00, 0x07], "dictionary"],
    ["a block of 2 MiB", [0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x50, 0xfb, 0xff, 0xff, 0x41], "128 KiB"],
  ])("refuses %s before it takes memory", async (_name, bytes, message) => {
    await expect(decoded("zstd", Buffer.from(bytes))).rejects.toThrow(message);
  });

  it("gives up on a flood of tiny blocks under a large window", async () => {
    const header = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x68]); // 8 MiB
    const block = Buffer.from([0x08, 0x00, 0x00, 0x41]); // one raw byte, not the last
    const flood = Buffer.concat([header, Buffer.alloc(40_000, block)]);
    await expect(decoded("zstd", flood)).rejects.toThrow("too many blocks");
  });
});
