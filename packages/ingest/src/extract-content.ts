import { AppError } from "@quarry/base";
import { decodeText, parseMediaType, readMediaType, type PageFormat } from "@quarry/crawl";
import { extractPage, type ExtractedDocument } from "@quarry/extract";
import { readGivenText } from "./given-text.ts";
import { packOffsets } from "./pack-offsets.ts";
import type { PageInput, PageReading, ReadOutcome } from "./read-page.ts";

const MEDIA_TYPES: Readonly<Record<PageFormat, string>> = {
  html: "text/html",
  pdf: "application/pdf",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  epub: "application/epub+zip",
  xml: "text/plain",
  text: "text/plain",
};

/** Read by its own rules, and kept as what it is: the stored copy is read again when its server says "not modified". */
const XHTML = "application/xhtml+xml";

/** Reads a page in this thread. A page that cannot be read is an outcome, not an exception. */
export async function extractContent(page: PageInput): Promise<ReadOutcome> {
  if (page.content.kind === "text") return { kind: "read", reading: readGivenText(page.content.text) };
  const { bytes, contentType } = page.content;
  const media = readMediaType(contentType, bytes);
  if (media.kind === "unsupported") {
    return unreadable("unprocessable", `a page of type ${media.found} holds no text that can be read`);
  }
  const declared = parseMediaType(contentType);
  const isMarkdown = media.format === "text" && /^text\/(?:x-)?markdown$/.test(declared?.essence ?? "");
  const isXhtml = media.format === "html" && declared?.essence === XHTML;
  const mediaType = isMarkdown ? "text/markdown" : isXhtml ? XHTML : MEDIA_TYPES[media.format];
  // Offsets point into the decoded source, so the charset that was found is kept with the snapshot.
  const isMarkup = media.format === "html";
  const decoded =
    isMarkup || mediaType.startsWith("text/")
      ? decodeText(bytes, isMarkup ? "markup" : "plain", declared?.charset)
      : undefined;
  const outcome = await extractPage({
    url: page.url,
    mediaType,
    now: page.now,
    ...(decoded === undefined ? { bytes } : { html: decoded.text }),
  });
  if (outcome.kind === "failed") {
    return unreadable(outcome.reason === "too-large" ? "too_large" : "unprocessable", outcome.message);
  }
  return { kind: "read", reading: { ...toReading(outcome.document, mediaType), charset: decoded?.encoding } };
}

function toReading(extracted: ExtractedDocument, mediaType: string): PageReading {
  const { jsonLd, microdata, openGraph } = extracted.structuredData;
  return {
    mediaType,
    extractorVersion: extracted.extractorVersion,
    text: extracted.text,
    markdown: extracted.markdown,
    sourceMap: extracted.offsets.length === 0 ? null : packOffsets(extracted.offsets),
    title: extracted.title,
    author: extracted.author,
    publishedAt: readDate(extracted.publishedDate),
    language: extracted.language,
    siteName: extracted.siteName,
    description: extracted.description,
    favicon: extracted.favicon,
    image: extracted.image,
    declaredCanonical: extracted.canonicalUrl,
    robots: extracted.robots,
    links: extracted.links.map(({ url, nofollow }) => ({ url, nofollow })),
    details: {
      links: extracted.links.filter(({ inMain }) => inMain).map(({ url, text }) => ({ url, text })),
      imageLinks: extracted.imageLinks.filter(({ inMain }) => inMain).map(({ url, alt }) => ({ url, alt })),
      codeBlocks: extracted.codeBlocks.map(({ text, language }) => ({ text, language })),
      headings: extracted.headings.map(({ level, text, start }) => ({ level, text, start })),
      structuredData: [
        ...jsonLd.map((item) => ({ format: "json-ld", item })),
        ...microdata.map((item) => ({ format: "microdata", item })),
        ...(Object.keys(openGraph).length === 0 ? [] : [{ format: "open-graph", item: openGraph }]),
      ],
      ...(Object.keys(extracted.alternates).length === 0 ? {} : { alternates: extracted.alternates }),
    },
  };
}

/** A moment without a zone is UTC: it must not depend on where the server stands. */
function readDate(text: string | undefined): Date | undefined {
  const date = text === undefined ? undefined : new Date(/T[\d:]+$/.test(text) ? `${text}Z` : text);
  return date === undefined || Number.isNaN(date.getTime()) ? undefined : date;
}

function unreadable(code: "too_large" | "unprocessable", message: string): ReadOutcome {
  return { kind: "unreadable", error: new AppError(code, message) };
}
