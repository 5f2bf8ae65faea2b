import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { base32 } from "./read-warc.ts";

/** Something to write: a page as a server sent it, or a document that came without HTTP. */
export type WarcEntry =
  | {
      readonly kind: "response";
      readonly url: string;
      readonly fetchedAt: Date;
      readonly status: number;
      /** Lower-case names. */
      readonly headers: Readonly<Record<string, string>>;
      /** Plain: chunks joined, content coding undone. */
      readonly body: Uint8Array;
      /** What was asked; written beside the response when given. */
      readonly request?: { readonly method: string; readonly headers: Readonly<Record<string, string>> };
    }
  | {
      /** `resource`: a document as given. `conversion`: text made of a page, as WET files hold. */
      readonly kind: "resource" | "conversion";
      readonly url: string;
      readonly fetchedAt: Date;
      readonly contentType: string;
      readonly body: Uint8Array;
    };

/** What writing needs to know. */
export interface WarcWriting {
  /** Each record packed by itself, so that readers can start at any. */
  readonly gzip: boolean;
  /** Told in the first record. */
  readonly software: string;
  readonly writtenAt: Date;
  /** A new UUID each time. */
  readonly makeUuid: () => string;
}

const CRLF = "\r\n";
const packGzip = promisify(gzip);

/** Writes entries as a WARC 1.1 file, record by record as they come: first what wrote it, then each entry. */
export async function* writeWarc(entries: AsyncIterable<WarcEntry>, writing: WarcWriting): AsyncGenerator<Uint8Array> {
  yield* pack(writing, infoRecord(writing));
  for await (const entry of entries) {
    for (const record of recordsOf(entry, writing)) yield* pack(writing, record);
  }
}

async function* pack(writing: WarcWriting, record: Buffer): AsyncGenerator<Uint8Array> {
  yield writing.gzip ? await packGzip(record) : record;
}

function infoRecord(writing: WarcWriting): Buffer {
  const fields = [
    `software: ${oneLine(writing.software)}`,
    "format: WARC File Format 1.1",
    "conformsTo: http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/",
  ];
  return record(
    [
      ["WARC-Type", "warcinfo"],
      ["WARC-Record-ID", idOf(writing)],
      ["WARC-Date", dateOf(writing.writtenAt)],
      ["Content-Type", "application/warc-fields"],
    ],
    Buffer.from(fields.map((field) => field + CRLF).join("")),
  );
}

function recordsOf(entry: WarcEntry, writing: WarcWriting): Buffer[] {
  const id = idOf(writing);
  const common = (type: string, recordId: string): Field[] => [
    ["WARC-Type", type],
    ["WARC-Record-ID", recordId],
    ["WARC-Date", dateOf(entry.fetchedAt)],
    ["WARC-Target-URI", oneLine(entry.url)],
  ];
  if (entry.kind !== "response") {
    return [record([...common(entry.kind, id), ["Content-Type", oneLine(entry.contentType)]], Buffer.from(entry.body))];
  }
  const head = [`HTTP/1.1 ${entry.status} ${REASONS[entry.status] ?? "Unknown"}`, ...headerLines(storedHeaders(entry))];
  const block = Buffer.concat([Buffer.from(head.join(CRLF) + CRLF + CRLF, "latin1"), entry.body]);
  const response = record(
    [
      ...common("response", id),
      ["WARC-Payload-Digest", digestOf(entry.body)],
      ["Content-Type", "application/http; msgtype=response"],
    ],
    block,
  );
  if (entry.request === undefined) return [response];
  const { pathname, search, host } = new URL(entry.url);
  const asked = [
    `${entry.request.method} ${pathname}${search} HTTP/1.1`,
    ...headerLines({ host, ...entry.request.headers }),
  ];
  const request = record(
    [
      ...common("request", idOf(writing)),
      ["WARC-Concurrent-To", id],
      ["Content-Type", "application/http; msgtype=request"],
    ],
    Buffer.from(asked.join(CRLF) + CRLF + CRLF, "latin1"),
  );
  return [request, response];
}

type Field = readonly [name: string, value: string];

function record(fields: readonly Field[], block: Buffer): Buffer {
  const all: Field[] = [
    ...fields,
    ["WARC-Block-Digest", digestOf(block)],
    ["Content-Length", String(block.byteLength)],
  ];
  const head = `WARC/1.1${CRLF}${all.map(([name, value]) => `${name}: ${value}${CRLF}`).join("")}${CRLF}`;
  return Buffer.concat([Buffer.from(head, "utf8"), block, Buffer.from(CRLF + CRLF)]);
}

/** The body is stored plain, so the headers of its wire form are kept under other names, as Common Crawl does. */
function storedHeaders(entry: WarcEntry & { readonly kind: "response" }): Record<string, string> {
  const stored: Record<string, string> = {};
  for (const [name, value] of Object.entries(entry.headers)) {
    const isOfWire = name === "content-encoding" || name === "transfer-encoding" || name === "content-length";
    stored[isOfWire ? `x-crawl-${name}` : name] = value;
  }
  return { ...stored, "content-length": String(entry.body.byteLength) };
}

function headerLines(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).map(([name, value]) => `${oneLine(name)}: ${oneLine(value)}`);
}

/** What comes from outside must not begin a line of its own. */
function oneLine(text: string): string {
  return text.replace(/[\r\n\0]+/g, " ");
}

function digestOf(bytes: Uint8Array): string {
  return `sha1:${base32(createHash("sha1").update(bytes).digest())}`;
}

function idOf(writing: WarcWriting): string {
  return `<urn:uuid:${writing.makeUuid()}>`;
}

/** To the second, as all readers understand. */
function dateOf(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}

const REASONS: Readonly<Record<number, string>> = {
  200: "OK",
  203: "Non-Authoritative Information",
  204: "No Content",
  301: "Moved Permanently",
  302: "Found",
  304: "Not Modified",
  403: "Forbidden",
  404: "Not Found",
  410: "Gone",
  429: "Too Many Requests",
  500: "Internal Server Error",
  503: "Service Unavailable",
};
