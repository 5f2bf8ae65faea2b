import { brotliDecompressSync, constants, gunzipSync, inflateRawSync, inflateSync } from "node:zlib";

/** An HTTP response as a record holds it, its body made plain. */
export type StoredResponse =
  | {
      readonly kind: "response";
      readonly status: number;
      /** Lower-case names; the values of a repeated header joined by `, `. */
      readonly headers: Readonly<Record<string, string>>;
      readonly body: Uint8Array;
      /** The body is not, or not all, what the server meant. */
      readonly bodyNote?: "bad-chunks" | "bad-encoding" | "unsupported-encoding" | "too-large";
    }
  | { readonly kind: "malformed"; readonly message: string };

const MAX_HEADER_BYTES = 256 * 1024;
const MAX_HEADERS = 1000;

/**
 * Reads the block of a `response` record: status, headers, and the body with its chunks joined and its content coding
 * undone, up to `maxBytes`. Archives that store bodies already plain under their old headers are understood. Never
 * throws.
 */
export function parseStoredResponse(block: Uint8Array, maxBytes: number): StoredResponse {
  const bytes = Buffer.from(block.buffer, block.byteOffset, block.byteLength);
  const head = splitHead(bytes);
  const status = /^HTTP\/\d(?:\.\d)?\s+(\d{3})(?:\s|$)/i.exec(head.lines[0] ?? "")?.[1];
  if (status === undefined) return { kind: "malformed", message: "the record holds no HTTP response" };
  const headers = readHeaders(head.lines.slice(1));

  const joined = joinChunks(head.body, headers);
  const decoded = decodeBody(joined.body, headers["content-encoding"], maxBytes);
  const bodyNote =
    decoded.bodyNote ?? joined.bodyNote ?? (decoded.body.byteLength > maxBytes ? "too-large" : undefined);
  return {
    kind: "response",
    status: Number(status),
    headers,
    body: decoded.body.subarray(0, maxBytes),
    ...(bodyNote === undefined ? {} : { bodyNote }),
  };
}

function splitHead(bytes: Buffer): { readonly lines: readonly string[]; readonly body: Buffer } {
  const crlf = bytes.indexOf("\r\n\r\n");
  const lf = bytes.indexOf("\n\n");
  const isCrlf = crlf !== -1 && (lf === -1 || crlf < lf);
  const end = isCrlf ? crlf : lf;
  const head = bytes.toString("latin1", 0, Math.min(end === -1 ? bytes.byteLength : end, MAX_HEADER_BYTES));
  const body = end === -1 ? Buffer.alloc(0) : bytes.subarray(end + (isCrlf ? 4 : 2));
  return { lines: head.split(/\r?\n/), body };
}

function readHeaders(lines: readonly string[]): Record<string, string> {
  const headers = new Map<string, string>();
  let last: string | undefined;
  for (const line of lines.slice(0, MAX_HEADERS)) {
    const colon = line.indexOf(":");
    const isFolded = /^[ \t]/.test(line) && last !== undefined;
    if (!isFolded && colon < 1) continue;
    const name = isFolded ? (last ?? "") : line.slice(0, colon).trim().toLowerCase();
    const value = (isFolded ? line : line.slice(colon + 1)).trim();
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}${isFolded ? " " : ", "}${value}`);
    last = name;
  }
  return Object.fromEntries(headers);
}

interface Body {
  readonly body: Buffer;
  readonly bodyNote?: "bad-chunks" | "bad-encoding" | "unsupported-encoding" | "too-large";
}

/** Joins the chunks of a chunked body; one that does not begin as chunks do was joined by whoever stored it. */
function joinChunks(body: Buffer, headers: Readonly<Record<string, string>>): Body {
  if (!/\bchunked\b/i.test(headers["transfer-encoding"] ?? "")) return { body };
  const chunks: Buffer[] = [];
  let position = 0;
  while (position < body.byteLength) {
    const end = body.indexOf("\n", position);
    const size = /^\s*([0-9a-f]{1,8})\s*(?:;.*)?\r?$/i.exec(
      end === -1 ? "" : body.toString("latin1", position, Math.min(end, position + 1024)),
    )?.[1];
    if (size === undefined) return position === 0 ? { body } : { body: Buffer.concat(chunks), bodyNote: "bad-chunks" };
    const length = Number.parseInt(size, 16);
    if (length === 0) return { body: Buffer.concat(chunks) };
    chunks.push(body.subarray(end + 1, end + 1 + length));
    position = end + 1 + length;
    if (body[position] === 0x0d) position += 1;
    if (body[position] === 0x0a) position += 1;
  }
  return { body: Buffer.concat(chunks), ...(chunks.length === 0 ? {} : { bodyNote: "bad-chunks" }) };
}

/** Codings stacked on one body; nobody means more. */
const MAX_CODINGS = 3;

function decodeBody(body: Buffer, header: string | undefined, maxBytes: number): Body {
  const codings = (header ?? "")
    .toLowerCase()
    .split(",")
    .map((coding) => coding.trim())
    .filter((coding) => coding !== "" && coding !== "identity");
  if (codings.length > MAX_CODINGS) return { body, bodyNote: "unsupported-encoding" };
  let plain = body;
  for (const coding of codings.reverse()) {
    const decoded = undoCoding(plain, coding, maxBytes);
    if (decoded.bodyNote !== undefined) return decoded;
    plain = decoded.body;
  }
  return { body: plain };
}

function undoCoding(body: Buffer, coding: string, maxBytes: number): Body {
  const options = { maxOutputLength: Math.max(maxBytes, 1), finishFlush: constants.Z_SYNC_FLUSH };
  try {
    switch (coding) {
      case "gzip":
      case "x-gzip":
        // Stored plain under its old header, as Common Crawl once did.
        return { body: body[0] === 0x1f && body[1] === 0x8b ? gunzipSync(body, options) : body };
      case "deflate":
        return { body: isZlib(body) ? inflateSync(body, options) : inflateRawSync(body, options) };
      case "br":
        return { body: brotliDecompressSync(body, { maxOutputLength: options.maxOutputLength }) };
      default:
        return { body, bodyNote: "unsupported-encoding" };
    }
  } catch (cause) {
    const isBomb = cause instanceof Error && "code" in cause && cause.code === "ERR_BUFFER_TOO_LARGE";
    return { body: isBomb ? Buffer.alloc(0) : body, bodyNote: isBomb ? "too-large" : "bad-encoding" };
  }
}

/** RFC 9110 says zlib; many servers send bare deflate. */
function isZlib(body: Buffer): boolean {
  return body.byteLength >= 2 && (body.readUInt8(0) & 0x0f) === 8 && body.readUInt16BE(0) % 31 === 0;
}
