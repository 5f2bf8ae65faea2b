import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { canonicalUrl, readWarc, WARC_LIMITS } from "@quarry/crawl";
import type { ImportedPage } from "./imported-page.ts";
import { listFiles, type FileToImport } from "./list-files.ts";
import { MAX_IMPORT_PAGE_BYTES, pageOfRecord } from "./page-of-record.ts";
import { readLines } from "./read-lines.ts";

/** Something found in what is imported; `place` tells a person where. */
export type ImportItem =
  /** A document as `POST /quarry/v1/documents` takes it, unchecked. */
  | {
      readonly kind: "document";
      readonly place: string;
      readonly document: Readonly<Record<string, unknown>>;
      readonly byteLength: number;
    }
  | { readonly kind: "page"; readonly place: string; readonly page: ImportedPage; readonly byteLength: number }
  | { readonly kind: "skipped"; readonly place: string; readonly reason: string }
  | { readonly kind: "failed"; readonly place: string; readonly message: string };

/** How files become pages. */
export interface ImportOptions {
  /** Where files without an address of their own are said to be from. */
  readonly baseUrl: string;
  /** Whether that is what a folder lies in; else it is the address of the folder itself. */
  readonly keepsFolderName: boolean;
  readonly now: Date;
  readonly signal: AbortSignal;
}

/** A host that can never exist (RFC 2606), so that a file is not taken for a page of the web. */
export const DEFAULT_BASE_URL = "https://files.invalid/";

/** The longest line of NDJSON: a document of the largest text, and room for its escapes. */
const MAX_LINE_BYTES = 56 * 1024 * 1024;

const MEDIA_TYPES: ReadonlyMap<string, string> = new Map([
  ["html", "text/html"],
  ["htm", "text/html"],
  ["xhtml", "application/xhtml+xml"],
  ["md", "text/markdown"],
  ["markdown", "text/markdown"],
  ["txt", "text/plain"],
  ["text", "text/plain"],
  ["pdf", "application/pdf"],
  ["docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
  ["pptx", "application/vnd.openxmlformats-officedocument.presentationml.presentation"],
  ["epub", "application/epub+zip"],
]);

/**
 * Everything in a file or below a folder, one thing at a time, holding no more than one. What a file is, its name says:
 * NDJSON, WARC and WET (also .gz), or a page. Rejects when the path is not there, or `signal` aborts; whatever is wrong
 * with a file or a record is an item.
 */
export async function* readImport(given: string, options: ImportOptions): AsyncGenerator<ImportItem> {
  for await (const file of listFiles(given)) {
    options.signal.throwIfAborted();
    try {
      yield* readOne(file, options);
    } catch (error) {
      options.signal.throwIfAborted();
      const message = error instanceof Error ? error.message : String(error);
      yield { kind: "failed", place: file.path, message: `it cannot be read: ${message}` };
    }
  }
}

function readOne(file: FileToImport, options: ImportOptions): AsyncGenerator<ImportItem> {
  if (/\.(?:warc|wet)(?:\.gz)?$/i.test(file.name)) return readArchive(file, options);
  if (/\.(?:ndjson|jsonl)(?:\.gz)?$/i.test(file.name)) return readDocuments(file);
  return readPageFile(file, options);
}

async function* readArchive(file: FileToImport, { now, signal }: ImportOptions): AsyncGenerator<ImportItem> {
  const limits = { ...WARC_LIMITS, maxBlockBytes: MAX_IMPORT_PAGE_BYTES };
  for await (const record of readWarc(createReadStream(file.path), signal, limits)) {
    if (record.kind === "note") {
      yield { kind: "failed", place: file.path, message: record.message };
      continue;
    }
    const reading = pageOfRecord(record, now);
    if (reading.kind === "page") {
      const { page } = reading;
      yield { kind: "page", place: page.url, page, byteLength: sizeOf(page) };
    } else if (reading.kind !== "other") {
      const { url: place, ...rest } = reading;
      yield { ...rest, place };
    }
  }
}

async function* readDocuments(file: FileToImport): AsyncGenerator<ImportItem> {
  const source = createReadStream(file.path);
  const plain = file.name.toLowerCase().endsWith(".gz") ? gunzip(source) : source;
  for await (const line of readLines(plain as AsyncIterable<Uint8Array>, MAX_LINE_BYTES)) {
    const place = `${file.path}:${line.number}`;
    if ("tooLong" in line) {
      yield { kind: "failed", place, message: `the line is longer than ${MAX_LINE_BYTES} bytes` };
      continue;
    }
    const text = line.text.replace(/^\uFEFF/, "").trim();
    if (text === "") continue;
    const document = parseDocument(text);
    yield document === undefined
      ? { kind: "failed", place, message: 'not a JSON object; expected {"url": …, "text": …}' }
      : { kind: "document", place, document, byteLength: Buffer.byteLength(text) };
  }
}

/** What an export tells beside what can be given; a line of it can be imported as it is. */
const EXPORTED_ONLY: ReadonlySet<string> = new Set([
  "markdown",
  "siteName",
  "description",
  "favicon",
  "image",
  "wordCount",
  "version",
  "snapshotId",
  "extractorVersion",
  "canonicalUrl",
  "source",
  "shared",
  "crawledAt",
  "changedAt",
]);

function parseDocument(text: string): Readonly<Record<string, unknown>> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined; // the caller says which line
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return Object.fromEntries(Object.entries(value).filter(([name]) => !EXPORTED_ONLY.has(name)));
}

async function* readPageFile(file: FileToImport, options: ImportOptions): AsyncGenerator<ImportItem> {
  const { baseUrl, keepsFolderName, now } = options;
  const place = file.path;
  const ending = /\.([a-z0-9]+)$/i.exec(file.name)?.[1]?.toLowerCase() ?? "";
  const contentType = MEDIA_TYPES.get(ending);
  if (contentType === undefined) {
    const known = [...MEDIA_TYPES.keys(), "ndjson", "jsonl", "warc", "wet"].join(", ");
    yield file.isNamed
      ? { kind: "failed", place, message: `its ending is none of ${known}` }
      : { kind: "skipped", place, reason: ending === "" ? "no ending" : `.${ending}` };
    return;
  }
  const { size } = await stat(file.path);
  if (size > MAX_IMPORT_PAGE_BYTES) {
    yield { kind: "failed", place, message: `it is larger than ${MAX_IMPORT_PAGE_BYTES} bytes` };
    return;
  }
  const bytes = await readFile(file.path);
  if (bytes.byteLength === 0) {
    yield { kind: "skipped", place, reason: "empty" };
    return;
  }
  const declared = contentType.includes("html") ? declaredUrl(bytes) : undefined;
  const steps = [...(keepsFolderName && file.folder !== undefined ? [file.folder] : []), ...file.name.split("/")];
  const url = declared ?? canonicalUrl(steps.map(encodeURIComponent).join("/"), baseUrl);
  if (url === undefined) {
    yield { kind: "failed", place, message: "its name is too long for an address; pass a shorter --base-url" };
    return;
  }
  const page: ImportedPage = { url, fetchedAt: now, given: {}, content: { kind: "bytes", bytes, contentType } };
  yield { kind: "page", place, page, byteLength: bytes.byteLength };
}

/** How far into a page its head is looked for. */
const HEAD_BYTES = 128 * 1024;

/** The address a saved page gives itself by `<link rel=canonical>`; only a whole one, as there is nothing to complete it by. */
function declaredUrl(bytes: Buffer): string | undefined {
  const head = bytes.toString("latin1", 0, HEAD_BYTES);
  for (const [tag] of head.matchAll(/<link\s[^<>]{1,4096}>/gi)) {
    if (!/\srel\s{0,20}=\s{0,20}["']?\s{0,20}canonical[\s"'>/]/i.test(tag)) continue;
    const href = /\shref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i.exec(tag);
    const address = (href?.[1] ?? href?.[2] ?? href?.[3] ?? "").replaceAll("&amp;", "&").trim();
    return /^https?:\/\//i.test(address) ? canonicalUrl(address) : undefined;
  }
  return undefined;
}

function sizeOf({ content }: ImportedPage): number {
  return content.kind === "text" ? Buffer.byteLength(content.text) : content.bytes.byteLength;
}

/** Rejects what is no gzip, or ends too early. */
async function* gunzip(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const unpacked = createGunzip();
  let failure: Error | undefined;
  pipeline(source, unpacked, (error) => (failure = error ?? undefined));
  for await (const chunk of unpacked) yield chunk as Uint8Array;
  if (failure !== undefined) throw failure;
}
