/** The forms of page that can be read. */
export type PageFormat = "html" | "pdf" | "docx" | "pptx" | "epub" | "xml" | "text";

/** What a reply is. `mismatch` says that its bytes belie its content type; the bytes are believed. */
export type MediaReading =
  | { readonly kind: "readable"; readonly format: PageFormat; readonly mismatch: boolean }
  | { readonly kind: "unsupported"; readonly found: string; readonly mismatch: boolean };

/** A Content-Type header, read. */
export interface MediaType {
  /** `text/html`, lower case, without parameters. */
  readonly essence: string;
  /** The charset parameter as written. */
  readonly charset?: string;
}

/** Reads a Content-Type header as browsers do: the last parsable of several, parameters quoted or not. */
export function parseMediaType(header: string | undefined): MediaType | undefined {
  let found: MediaType | undefined;
  for (const value of (header ?? "").slice(0, MAX_HEADER_LENGTH).split(/,(?=\s*[\w.+-]+\/[\w.+-])/)) {
    const essence = /^\s*([\w!#$&^.+-]+\/[\w!#$&^.+-]+)/.exec(value)?.[1]?.toLowerCase();
    if (essence === undefined || essence === "*/*") continue;
    const charset = /;\s*charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;"']+))/i.exec(value);
    const label = charset?.[1] ?? charset?.[2] ?? charset?.[3];
    found = label === undefined || label === "" ? { essence } : { essence, charset: label };
  }
  return found;
}

/** Decides what a reply is from its Content-Type and its first bytes. Never throws. */
export function readMediaType(header: string | undefined, body: Uint8Array): MediaReading {
  const declared = formatOfEssence(parseMediaType(header)?.essence);
  const sniffed = sniffFormat(body);
  if (sniffed === "zip") {
    // A packed document whose parts the first bytes do not name is what its server says it is.
    return declared === "docx" || declared === "pptx" || declared === "epub" ? readable(declared) : unsupported("zip");
  }
  if (sniffed === undefined || sniffed === "text") {
    if (declared === undefined) return sniffed === undefined ? unsupported("binary") : readable("text");
    if (declared === "html" || declared === "xml" || declared === "text") {
      return sniffed === undefined ? { ...unsupported("binary"), mismatch: true } : readable(declared);
    }
    if (isUnsupported(declared)) return unsupported(declared.unsupported);
    return { ...unsupported(sniffed ?? "binary"), mismatch: true }; // called a PDF, and is none
  }
  if (typeof sniffed === "object") {
    return { ...unsupported(sniffed.unsupported), mismatch: declared !== undefined && !isUnsupported(declared) };
  }
  if (sniffed === "xml" && (declared === "html" || declared === "text")) return readable(declared); // XHTML, source code
  return { ...readable(sniffed), mismatch: declared !== undefined && declared !== sniffed };
}

interface Unsupported {
  readonly unsupported: string;
}

/** What is read of a header. */
const MAX_HEADER_LENGTH = 1024;
/** How far into a body its form is looked for. */
const MAX_SNIFF_BYTES = 4096;

function formatOfEssence(essence: string | undefined): PageFormat | Unsupported | undefined {
  switch (essence) {
    case undefined:
    case "application/octet-stream":
    case "binary/octet-stream":
    case "application/unknown":
    case "unknown/unknown":
    case "application/x-unknown-content-type":
      return undefined;
    case "text/html":
    case "application/xhtml+xml":
      return "html";
    case "application/pdf":
    case "application/x-pdf":
      return "pdf";
    case "application/vnd.openxmlformats-officedocument.wordprocessingml.document":
    case "application/vnd.ms-word.document.macroenabled.12":
      return "docx";
    case "application/vnd.openxmlformats-officedocument.presentationml.presentation":
      return "pptx";
    case "application/epub+zip":
      return "epub";
    case "application/json":
    case "application/ld+json":
    case "application/x-ndjson":
      return "text";
    case "text/css":
    case "text/javascript":
    case "application/javascript":
    case "text/calendar":
      return { unsupported: essence };
  }
  if (
    essence === "application/xml" ||
    essence === "text/xml" ||
    (essence.endsWith("+xml") && !essence.startsWith("image/"))
  )
    return "xml";
  return essence.startsWith("text/") ? "text" : { unsupported: essence };
}

/** First bytes that tell what a file is, and that no text begins with. */
const SIGNATURES: readonly (readonly [signature: string, found: string])[] = [
  ["\x89PNG\r\n\x1a\n", "image/png"],
  ["\xff\xd8\xff", "image/jpeg"],
  ["GIF87a", "image/gif"],
  ["GIF89a", "image/gif"],
  ["BM", "image/bmp"],
  ["\x00\x00\x01\x00", "image/x-icon"],
  ["II*\x00", "image/tiff"],
  ["MM\x00*", "image/tiff"],
  ["RIFF", "media/riff"],
  ["OggS", "audio/ogg"],
  ["ID3", "audio/mpeg"],
  ["fLaC", "audio/flac"],
  ["\x1aE\xdf\xa3", "video/webm"],
  ["\x1f\x8b", "application/gzip"],
  ["BZh", "application/x-bzip2"],
  ["\xfd7zXZ\x00", "application/x-xz"],
  ["7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"],
  ["Rar!\x1a\x07", "application/x-rar"],
  ["\x28\xb5\x2f\xfd", "application/zstd"],
  ["\x7fELF", "application/x-executable"],
  ["MZ", "application/x-msdownload"],
  ["\x00asm", "application/wasm"],
  ["wOFF", "font/woff"],
  ["wOF2", "font/woff2"],
  ["\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-ole-storage"],
  ["{\\rtf", "application/rtf"],
  ["%!PS", "application/postscript"],
];

/** The form of the bytes; "zip" for an archive of unknown content, undefined for bytes that are no text. */
function sniffFormat(body: Uint8Array): PageFormat | "zip" | Unsupported | undefined {
  const head = Buffer.from(body.buffer, body.byteOffset, Math.min(body.byteLength, MAX_SNIFF_BYTES));
  const octets = head.toString("latin1");
  if (/^(?:\xef\xbb\xbf)?\s{0,1024}%PDF-/.test(octets)) return "pdf";
  if (octets.startsWith("PK\x03\x04")) return sniffArchive(octets);
  const binary = looksBinary(octets);
  const signature = SIGNATURES.find(
    ([start]) => octets.startsWith(start) && (binary || start.length > 2 || start.charCodeAt(0) > 126),
  );
  if (signature !== undefined) return { unsupported: signature[1] };
  if (octets.startsWith("ftyp", 4)) return { unsupported: "video/mp4" };
  const markup = sniffMarkup(octets);
  // a page with some stray control character in it is still a page
  return binary && markup !== "html" ? undefined : markup;
}

function sniffArchive(octets: string): PageFormat | "zip" {
  if (octets.includes("mimetypeapplication/epub+zip")) return "epub";
  if (octets.includes("word/")) return "docx";
  return octets.includes("ppt/") ? "pptx" : "zip";
}

/** Control characters that no text holds, UTF-16 aside. */
function looksBinary(octets: string): boolean {
  if (/^(?:\xff\xfe|\xfe\xff)/.test(octets) || /^(?:[^\x00]\x00){8}|^(?:\x00[^\x00]){8}/.test(octets)) return false;
  return /[\x00-\x08\x0e-\x1a\x1c-\x1f]/.test(octets);
}

/** A comment ends at its first "-->" and nowhere later: with a choice, a row of comments would take forever. */
const HTML_START =
  /^(?:<!--(?:(?!-->)[\s\S])*-->\s*|<\?xml[^>]*>\s*)*<(?:!doctype\s+html|html|head|title|body|meta|link|script|style|div|table|h[1-6]|p|a|b|br|font|iframe|main|article|section|header|nav)[\s>/]/i;

function sniffMarkup(octets: string): PageFormat {
  const text = octets
    .replace(/\x00/g, "")
    .replace(/^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)/, "")
    .trimStart();
  if (HTML_START.test(text)) return "html";
  return /^<\?xml[\s?]|^<(?:rss|feed|urlset|sitemapindex|rdf:RDF)[\s>]/i.test(text) ? "xml" : "text";
}

function isUnsupported(format: PageFormat | Unsupported): format is Unsupported {
  return typeof format === "object";
}

function readable(format: PageFormat): MediaReading & { readonly kind: "readable" } {
  return { kind: "readable", format, mismatch: false };
}

function unsupported(found: string): MediaReading & { readonly kind: "unsupported" } {
  return { kind: "unsupported", found, mismatch: false };
}
