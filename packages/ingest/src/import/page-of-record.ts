import { canonicalUrl, checkBlockDigest, parseStoredResponse, readMediaType, type WarcRecord } from "@quarry/crawl";
import { readFacts, FACTS_HEADER, type ImportedPage } from "./imported-page.ts";

/** What a record of an archive is to the index. */
export type RecordReading =
  | { readonly kind: "page"; readonly page: ImportedPage }
  /** A page with nothing to keep: an error, a picture, a script. */
  | { readonly kind: "skipped"; readonly url: string; readonly reason: string }
  /** A page that was meant to be kept, and cannot. */
  | { readonly kind: "failed"; readonly url: string; readonly message: string }
  /** The archive's own bookkeeping. */
  | { readonly kind: "other" };

/** The largest page that an import takes; what reading and sending hold at once. */
export const MAX_IMPORT_PAGE_BYTES = 56 * 1024 * 1024;

const OTHER: RecordReading = { kind: "other" };

/**
 * Reads a record as a page: responses with status 200, resources, and the texts of WET files. `now` stands for a date
 * that is absent or yet to come. Never throws.
 */
export function pageOfRecord(record: WarcRecord, now: Date): RecordReading {
  const { type, targetUrl } = record;
  if (targetUrl === undefined || (type !== "response" && type !== "resource" && type !== "conversion")) return OTHER;
  if (!/^https?:/i.test(targetUrl)) return OTHER; // dns: and metadata: of crawlers
  const url = canonicalUrl(targetUrl);
  if (url === undefined) return failed(targetUrl, "not an address that can be kept");
  if (record.truncated) return failed(url, "the record is cut off, or too large");
  if (checkBlockDigest(record) === "mismatch") return failed(url, "the record's bytes are not those of its digest");
  const fetchedAt = earlier(record.date, now);
  switch (type) {
    case "conversion":
      return pageOfText(url, fetchedAt, record.block);
    case "resource":
      return pageOfBytes({ url, fetchedAt, given: {} }, record.block, record.contentType);
    default:
      return pageOfResponse(url, fetchedAt, record);
  }
}

function pageOfResponse(url: string, fetchedAt: Date, record: WarcRecord): RecordReading {
  const stored = parseStoredResponse(record.block, MAX_IMPORT_PAGE_BYTES);
  if (stored.kind === "malformed") return failed(url, stored.message);
  const { status, headers, body, bodyNote } = stored;
  if (status !== 200) return { kind: "skipped", url, reason: `status ${status}` };
  if (bodyNote !== undefined) return failed(url, BODY_NOTES[bodyNote]);
  const { publishedDate, isText, fetchedAt: exactly, ...facts } = readFacts(headers[FACTS_HEADER]);
  const page = {
    url,
    fetchedAt: exactly === undefined ? fetchedAt : earlier(new Date(exactly), fetchedAtEnd(fetchedAt)),
    given: { ...facts, ...(publishedDate === undefined ? {} : { publishedAt: new Date(publishedDate) }) },
    etag: headers["etag"],
    lastModified: headers["last-modified"],
  };
  return isText === true
    ? { kind: "page", page: { ...page, content: { kind: "text", text: Buffer.from(body).toString("utf8") } } }
    : pageOfBytes(page, body, headers["content-type"]);
}

function pageOfBytes(
  page: Omit<ImportedPage, "content">,
  bytes: Uint8Array,
  contentType: string | undefined,
): RecordReading {
  if (bytes.byteLength === 0) return { kind: "skipped", url: page.url, reason: "empty" };
  const media = readMediaType(contentType, bytes);
  if (media.kind === "unsupported") return { kind: "skipped", url: page.url, reason: media.found };
  return { kind: "page", page: { ...page, content: { kind: "bytes", bytes, contentType } } };
}

function pageOfText(url: string, fetchedAt: Date, block: Uint8Array): RecordReading {
  const text = Buffer.from(block.buffer, block.byteOffset, block.byteLength).toString("utf8").trim();
  if (text === "") return { kind: "skipped", url, reason: "empty" };
  return { kind: "page", page: { url, fetchedAt, given: {}, content: { kind: "text", text } } };
}

const BODY_NOTES = {
  "bad-chunks": "the chunks of its body cannot be joined",
  "bad-encoding": "its body cannot be unpacked",
  "unsupported-encoding": "its body is packed in a way that is not known here",
  "too-large": "the page is too large",
} as const;

function earlier(date: Date | undefined, now: Date): Date {
  return date === undefined || date > now ? now : date;
}

/** The last instant of a second, for dates that were cut to it. */
function fetchedAtEnd(date: Date): Date {
  return new Date(date.getTime() + 999);
}

function failed(url: string, message: string): RecordReading {
  return { kind: "failed", url, message };
}
