import type { ExtractedDocument } from "./extracted-document.ts";
import { extractDocx } from "./formats/docx.ts";
import { extractEpub } from "./formats/epub.ts";
import { extractPdf } from "./formats/pdf.ts";
import { extractPlainText } from "./formats/plain-text.ts";
import { extractPptx } from "./formats/pptx.ts";
import { extractHtml } from "./html/extract-html.ts";
import { syntaxOfType } from "./html/page-syntax.ts";
import { DEFAULT_LIMITS, type ExtractLimits } from "./limits.ts";
import { decodeHtml } from "./sniff-charset.ts";

/** A page or file to extract: decoded text, or bytes with what the server said about them. */
export interface ExtractInput {
  readonly url: string;
  /** Parameters are ignored; absent or unknown, the bytes and the name decide. */
  readonly mediaType?: string;
  readonly html?: string;
  readonly bytes?: Uint8Array;
  readonly charset?: string;
  readonly now?: Date;
  readonly limits?: ExtractLimits;
  /** How long a PDF may take when it is read in this thread; `runPdfWorker` is the safe way. */
  readonly pdfTimeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** What became of it. A file that cannot be read is an answer, not an exception. */
export type ExtractOutcome =
  | { readonly kind: "extracted"; readonly document: ExtractedDocument }
  | {
      readonly kind: "failed";
      readonly reason: "unsupported-type" | "broken" | "too-large" | "empty";
      readonly message: string;
    };

const DEFAULT_PDF_TIMEOUT_MS = 20_000;

/** Extracts any page or file we know. Rejects only when `signal` aborts. */
export async function extractPage(input: ExtractInput): Promise<ExtractOutcome> {
  const limits = input.limits ?? DEFAULT_LIMITS;
  const { url, html, bytes } = input;
  if (bytes !== undefined && bytes.length > limits.maxDocumentBytes) {
    return {
      kind: "failed",
      reason: "too-large",
      message: `${bytes.length} bytes are more than ${limits.maxDocumentBytes}`,
    };
  }
  const mediaType = decideMediaType(input);
  const text = (): string => html ?? (bytes === undefined ? "" : decodeHtml(bytes, input.charset));
  switch (mediaType) {
    case "text/html":
    case "application/xhtml+xml":
      return {
        kind: "extracted",
        document: extractHtml({
          url,
          html: text(),
          syntax: syntaxOfType(mediaType) ?? "html",
          limits,
          ...(input.now === undefined ? {} : { now: input.now }),
        }),
      };
    case "text/plain":
    case "text/markdown":
      return { kind: "extracted", document: extractPlainText({ url, text: text(), mediaType }, limits) };
    case PDF:
    case DOCX:
    case PPTX:
    case EPUB:
      if (bytes === undefined || bytes.length === 0) {
        return { kind: "failed", reason: "empty", message: `a ${mediaType} needs its bytes` };
      }
      return extractFile({ ...input, bytes, mediaType }, limits);
    default:
      return { kind: "failed", reason: "unsupported-type", message: `no text can be read from ${mediaType}` };
  }
}

const PDF = "application/pdf";
const DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
const PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation";
const EPUB = "application/epub+zip";

const TYPE_OF_ENDING: ReadonlyMap<string, string> = new Map([
  ["pdf", PDF],
  ["docx", DOCX],
  ["pptx", PPTX],
  ["epub", EPUB],
  ["md", "text/markdown"],
  ["markdown", "text/markdown"],
  ["txt", "text/plain"],
  ["html", "text/html"],
  ["htm", "text/html"],
]);

/** The declared type, unless it says nothing: then the first bytes and the name's ending. */
function decideMediaType({ mediaType, url, bytes }: ExtractInput): string {
  const declared = (mediaType ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  if (declared !== "" && !/^application\/(?:octet-stream|binary|zip|x-download)$/.test(declared)) {
    return declared === "text/x-markdown" ? "text/markdown" : declared;
  }
  if (bytes !== undefined && Buffer.from(bytes.subarray(0, 5)).toString("latin1") === "%PDF-") return PDF;
  const ending = /\.([a-z0-9]+)(?:[?#]|$)/i.exec(url)?.[1]?.toLowerCase() ?? "";
  return TYPE_OF_ENDING.get(ending) ?? (declared === "" ? "text/html" : declared);
}

async function extractFile(
  input: ExtractInput & { readonly bytes: Uint8Array; readonly mediaType: string },
  limits: ExtractLimits,
): Promise<ExtractOutcome> {
  let document: ExtractedDocument | "too-large";
  try {
    document = await readFile(input, limits);
  } catch (error) {
    input.signal?.throwIfAborted();
    const message = error instanceof Error ? error.message : String(error);
    return { kind: "failed", reason: "broken", message: `not a readable ${input.mediaType}: ${message}` };
  }
  if (document === "too-large") {
    return { kind: "failed", reason: "too-large", message: `unpacks to more than ${limits.maxUnpackedBytes} bytes` };
  }
  return { kind: "extracted", document };
}

function readFile(
  input: ExtractInput & { readonly bytes: Uint8Array; readonly mediaType: string },
  limits: ExtractLimits,
): Promise<ExtractedDocument | "too-large"> | ExtractedDocument | "too-large" {
  switch (input.mediaType) {
    case DOCX:
      return extractDocx(input, limits);
    case PPTX:
      return extractPptx(input, limits);
    case EPUB:
      return extractEpub(input, limits);
    default:
      return extractPdf(input, {
        limits,
        timeoutMs: input.pdfTimeoutMs ?? DEFAULT_PDF_TIMEOUT_MS,
        ...(input.signal === undefined ? {} : { signal: input.signal }),
      });
  }
}
