import iconv from "iconv-lite";
import { gunzipStream, isGzip, isUnpackingError, peekStream } from "../inflate.ts";
import { declaredEncoding } from "../page/charset.ts";
import { readEntry, type RawEntry, type SitemapEvent, type SitemapNote } from "./sitemap-entry.ts";
import { createSitemapXmlReader } from "./sitemap-xml.ts";

/** How much of one file is read. */
export interface SitemapLimits {
  /** Unpacked. */
  readonly maxBytes: number;
  readonly maxEntries: number;
}

/** The protocol's own limits. */
export const SITEMAP_LIMITS: SitemapLimits = { maxBytes: 50 * 1024 * 1024, maxEntries: 50_000 };

/** A file and where it came from; relative locations are resolved against that. */
export interface SitemapFile {
  readonly url: string;
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * Reads a sitemap (XML or a list of URLs), a sitemap index or a feed, gzipped or not, as it comes: memory does not
 * grow with the file. Whatever is wrong with it comes last, as notes; the pages before are good. Rejects only when
 * `signal` aborts or the body itself rejects before anything of it was there.
 */
export async function* readSitemap(
  file: SitemapFile,
  signal: AbortSignal,
  limits = SITEMAP_LIMITS,
): AsyncGenerator<SitemapEvent> {
  const progress = { bytes: 0, entries: 0, badLocations: 0 };
  const notes: SitemapNote[] = [];
  const entries = rawEntries(file.body, signal, { limits, progress, notes });
  for await (const raw of entries) {
    signal.throwIfAborted();
    if (progress.entries >= limits.maxEntries) {
      notes.push({
        kind: "note",
        code: "too-many-entries",
        message: `only the first ${limits.maxEntries} entries were read`,
      });
      break;
    }
    const entry = readEntry(raw, file.url);
    if (entry === undefined) {
      progress.badLocations += 1;
      continue;
    }
    progress.entries += 1;
    yield entry;
  }
  if (progress.badLocations > 0) {
    notes.push({ kind: "note", code: "bad-locations", message: `${progress.badLocations} entries had no usable URL` });
  }
  yield* notes;
}

interface Reading {
  readonly limits: SitemapLimits;
  readonly progress: { bytes: number };
  readonly notes: SitemapNote[];
}

/** Text is handed to the parser in pieces of this size, so that its limits are seen in time. */
const PIECE_LENGTH = 16_384;

async function* rawEntries(
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
  reading: Reading,
): AsyncGenerator<RawEntry> {
  const xml = createSitemapXmlReader();
  const lines = createLineReader();
  let isXml: boolean | undefined;
  for await (const text of textOf(body, signal, reading)) {
    isXml ??= text.trimStart() === "" ? undefined : text.trimStart().startsWith("<");
    if (isXml === undefined) continue;
    for (let start = 0; start < text.length; start += PIECE_LENGTH) {
      const piece = text.slice(start, start + PIECE_LENGTH);
      yield* isXml ? xml.write(piece) : lines.write(piece);
      if (xml.stopped() !== undefined) break;
    }
    if (xml.stopped() !== undefined) break;
  }
  yield* isXml === true ? xml.end() : lines.end();
  reading.notes.push(...xml.notes());
}

/** How much is waited for before the encoding is decided. */
const DECLARATION_BYTES = 1024;

/** The text of a body: unpacked, decoded, and cut at the limit. A body that breaks off is noted. */
async function* textOf(body: AsyncIterable<Uint8Array>, signal: AbortSignal, reading: Reading): AsyncGenerator<string> {
  const { limits, progress, notes } = reading;
  try {
    const { start, whole } = await peekStream(unpacked(body), DECLARATION_BYTES);
    const decoder = createDecoder(start);
    for await (const chunk of whole) {
      signal.throwIfAborted();
      const room = limits.maxBytes - progress.bytes;
      progress.bytes += chunk.byteLength;
      yield decoder.write(chunk.subarray(0, Math.max(room, 0)));
      if (progress.bytes > limits.maxBytes) {
        notes.push({ kind: "note", code: "too-large", message: `only the first ${limits.maxBytes} bytes were read` });
        return;
      }
    }
    yield decoder.end();
  } catch (cause) {
    signal.throwIfAborted();
    if (progress.bytes === 0 && !isUnpackingError(cause)) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    notes.push({ kind: "note", code: "corrupt", message: `the file breaks off: ${why}` });
  }
}

/** A gzipped file served with gzip as its content coding may be packed twice. */
const MAX_PACKINGS = 2;

async function* unpacked(body: AsyncIterable<Uint8Array>, packings = 0): AsyncGenerator<Uint8Array> {
  const { start, whole } = await peekStream(body, 4);
  yield* isGzip(start) && packings < MAX_PACKINGS ? unpacked(gunzipStream(whole), packings + 1) : whole;
}

interface StreamDecoder {
  readonly write: (chunk: Uint8Array) => string;
  readonly end: () => string;
}

/** UTF-8 unless the file's first bytes say otherwise. */
function createDecoder(first: Uint8Array): StreamDecoder {
  const encoding = declaredEncoding(first, "markup")?.encoding ?? "utf-8";
  if (encoding.startsWith("utf-") || !iconv.encodingExists(encoding)) {
    const decoder = new TextDecoder(encoding);
    return { write: (chunk) => decoder.decode(chunk, { stream: true }), end: () => decoder.decode() };
  }
  const decoder = iconv.getDecoder(encoding);
  return { write: (chunk) => decoder.write(Buffer.from(chunk)), end: () => decoder.end() ?? "" };
}

const MAX_LINE_LENGTH = 4096;

/** A list of URLs, one to a line; longer lines are no URLs and are cut to be refused as such. */
function createLineReader(): { readonly write: (text: string) => RawEntry[]; readonly end: () => RawEntry[] } {
  let rest = "";
  const entriesOf = (lines: readonly string[]): RawEntry[] =>
    lines.flatMap((line) => {
      const location = line.trim();
      if (location === "" || location.startsWith("#")) return [];
      // Without a scheme it is a word, not a place beside the sitemap.
      const fields = new Map(/^https?:\/\//i.test(location) ? [["location", location] as const] : []);
      return [{ kind: "page", fields, alternates: [] }];
    });
  return {
    write: (text) => {
      const lines = (rest + text).split(/\r\n|\r|\n/);
      rest = (lines.pop() ?? "").slice(0, MAX_LINE_LENGTH);
      return entriesOf(lines);
    },
    end: () => entriesOf([rest]),
  };
}
