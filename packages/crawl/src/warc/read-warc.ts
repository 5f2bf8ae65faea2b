import { createHash } from "node:crypto";
import { gunzipStream, isGzip, isUnpackingError, peekStream } from "../inflate.ts";
import { parseWebDate } from "../web-date.ts";
import { createByteReader, type ByteReader } from "./byte-reader.ts";

/** One record of a WARC or WET file. */
export interface WarcRecord {
  readonly kind: "record";
  /** `response`, `conversion` (WET text), `resource`, `request`, `warcinfo`, `metadata`, `revisit`; lower case. */
  readonly type: string;
  /** Names in lower case; of a repeated one the last. */
  readonly headers: ReadonlyMap<string, string>;
  readonly id?: string;
  readonly targetUrl?: string;
  readonly date?: Date;
  readonly contentType?: string;
  /** At most `maxBlockBytes` of it. */
  readonly block: Uint8Array;
  /** The block went on; its rest was passed over. */
  readonly truncated: boolean;
}

/** Something wrong with the file; the records before and after it stand. */
export interface WarcNote {
  readonly kind: "note";
  readonly code: "not-a-warc" | "bad-record" | "ended-early" | "corrupt" | "too-large" | "unsupported-compression";
  readonly message: string;
}

/** How much is read. */
export interface WarcLimits {
  /** Of one record; a page beyond it comes cut. */
  readonly maxBlockBytes: number;
  /** Of the whole file, unpacked. */
  readonly maxBytes: number;
}

export const WARC_LIMITS: WarcLimits = { maxBlockBytes: 32 * 1024 * 1024, maxBytes: 64 * 1024 ** 3 };

const MAX_LINE_BYTES = 16_384;
const MAX_HEADER_LINES = 200;
/** Notes about one file; a file of nothing but errors says so often enough. */
const MAX_NOTES = 100;

/**
 * Reads a WARC or WET file, plain or gzipped in one member or in many, as it comes: no more than one record is held.
 * What cannot be read is noted, and reading goes on at the next record. Rejects when `signal` aborts, or with the
 * source's own error when it breaks.
 */
export async function* readWarc(
  source: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
  limits: WarcLimits = WARC_LIMITS,
): AsyncGenerator<WarcRecord | WarcNote> {
  const peeked = await peekStream(source, ZSTD_MAGIC.byteLength);
  if (peeked.start.subarray(0, ZSTD_MAGIC.byteLength).equals(ZSTD_MAGIC)) {
    await peeked.close();
    yield note("unsupported-compression", "the file is packed with zstd; unpack it first, or pack it with gzip");
    return;
  }
  const reader = createByteReader(isGzip(peeked.start) ? gunzipStream(peeked.whole) : peeked.whole);
  let notes = 0;
  try {
    for await (const event of readRecords(reader, signal, limits)) {
      if (event.kind === "note") notes += 1;
      if (notes <= MAX_NOTES) yield event;
      if (notes >= MAX_NOTES) break;
    }
  } catch (cause) {
    signal.throwIfAborted();
    if (!isUnpackingError(cause)) throw cause;
    yield note("corrupt", `the file cannot be unpacked beyond byte ${reader.position()}: ${cause.message}`);
  } finally {
    await reader.close();
  }
}

/** Whether a record's block is what its digest says; `absent` when it has none, or was cut, or names another hash. */
export function checkBlockDigest(record: WarcRecord): "match" | "mismatch" | "absent" {
  const digest = /^sha(1|-?256):([a-z0-9+/=]+)$/i.exec(record.headers.get("warc-block-digest") ?? "");
  if (digest === null || record.truncated) return "absent";
  const hash = createHash(digest[1] === "1" ? "sha1" : "sha256")
    .update(record.block)
    .digest();
  const given = digest[2] ?? "";
  return given.toUpperCase() === base32(hash) || given.toLowerCase() === hash.toString("hex") ? "match" : "mismatch";
}

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** RFC 4648, padded: the form in which WARC files write digests. */
export function base32(bytes: Uint8Array): string {
  let [text, bits, held] = ["", 0, 0];
  for (const byte of bytes) {
    held = (held << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) text += BASE32.charAt((held >> (bits - 5)) & 31);
    held &= (1 << bits) - 1;
  }
  if (bits > 0) text += BASE32.charAt((held << (5 - bits)) & 31);
  return text.padEnd(Math.ceil(text.length / 8) * 8, "=");
}

const ZSTD_MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);

async function* readRecords(
  reader: ByteReader,
  signal: AbortSignal,
  limits: WarcLimits,
): AsyncGenerator<WarcRecord | WarcNote> {
  let isLost = false;
  let isFirst = true;
  for (let line = await reader.line(MAX_LINE_BYTES); line !== undefined; line = await reader.line(MAX_LINE_BYTES)) {
    signal.throwIfAborted();
    if (reader.position() > limits.maxBytes) {
      yield note("too-large", `only the first ${limits.maxBytes} bytes were read`);
      return;
    }
    if (line === "") continue;
    if (!/^WARC\/\d+\.\d+\s*$/.test(line)) {
      // Said once for a run of such lines: everything up to the next record is lost with them.
      if (!isLost)
        yield note(
          isFirst ? "not-a-warc" : "bad-record",
          `no record begins at byte ${reader.position() - line.length}`,
        );
      isLost = true;
      isFirst = false;
      continue;
    }
    isLost = false;
    isFirst = false;
    yield* readRecord(reader, limits);
  }
}

async function* readRecord(reader: ByteReader, limits: WarcLimits): AsyncGenerator<WarcRecord | WarcNote> {
  const start = reader.position();
  const headers = await readHeaders(reader);
  const length = headers?.get("content-length") ?? "";
  if (headers === undefined || !/^\d{1,15}$/.test(length)) {
    yield note("bad-record", `the record at byte ${start} has no usable length`);
    return;
  }
  const { bytes, missing } = await reader.take(Number(length), limits.maxBlockBytes);
  const id = headers.get("warc-record-id");
  const targetUrl = headers.get("warc-target-uri")?.replace(/^<(.*)>$/, "$1");
  const date = parseWebDate(headers.get("warc-date") ?? "");
  const contentType = headers.get("content-type");
  yield {
    kind: "record",
    type: (headers.get("warc-type") ?? "").toLowerCase(),
    headers,
    ...(id === undefined ? {} : { id }),
    ...(targetUrl === undefined ? {} : { targetUrl }),
    ...(date === undefined ? {} : { date }),
    ...(contentType === undefined ? {} : { contentType }),
    block: bytes,
    truncated: Number(length) > limits.maxBlockBytes || missing > 0,
  };
  if (missing > 0) yield note("ended-early", `the file ends ${missing} bytes before its last record does`);
}

/** The header lines up to the empty one; undefined when there are too many to be a header. */
async function readHeaders(reader: ByteReader): Promise<Map<string, string> | undefined> {
  const headers = new Map<string, string>();
  let last: string | undefined;
  for (let count = 0; count < MAX_HEADER_LINES; count += 1) {
    const line = await reader.line(MAX_LINE_BYTES);
    if (line === undefined || line === "") return headers;
    const text = Buffer.from(line, "latin1").toString("utf8");
    if (/^[ \t]/.test(text) && last !== undefined) {
      headers.set(last, `${headers.get(last) ?? ""} ${text.trim()}`.slice(0, MAX_LINE_BYTES));
      continue;
    }
    const colon = text.indexOf(":");
    if (colon === -1) continue;
    last = text.slice(0, colon).trim().toLowerCase();
    headers.set(last, text.slice(colon + 1).trim());
  }
  return undefined;
}

function note(code: WarcNote["code"], message: string): WarcNote {
  return { kind: "note", code, message };
}
