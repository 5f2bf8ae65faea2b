import { AppError } from "@quarry/base";
import { decodeText, parseMediaType, readMediaType } from "@quarry/crawl";
import { EXTRACTOR_VERSION, extractHtml, type ExtractedDocument } from "@quarry/extract";
import { packOffsets } from "./pack-offsets.ts";
import type { PageInput, PageReading, ReadOutcome } from "./read-page.ts";

/** Names how a text that was handed to us is read: not at all. */
const GIVEN_TEXT_VERSION = "given-text-1";

/** Largest page that is read; what is larger is hardly a page. */
const MAX_PAGE_BYTES = 32 * 1024 * 1024;

/** Reads a page in this thread. Never throws: a page that cannot be read is an outcome. */
export function extractContent(page: PageInput): ReadOutcome {
  if (page.content.kind === "text") return { kind: "read", reading: readGivenText(page.content.text) };
  const { bytes, contentType } = page.content;
  if (bytes.byteLength > MAX_PAGE_BYTES) {
    return unreadable("too_large", `the page has ${bytes.byteLength} bytes; at most ${MAX_PAGE_BYTES} are read`);
  }
  const media = readMediaType(contentType, bytes);
  if (media.kind === "unsupported") {
    return unreadable("unprocessable", `pages of type ${media.found} cannot be read; HTML and plain text can`);
  }
  const charset = parseMediaType(contentType)?.charset;
  switch (media.format) {
    case "html": {
      const { text: html, encoding } = decodeText(bytes, "markup", charset);
      const extracted = extractHtml({ url: page.url, html, now: page.now });
      return { kind: "read", reading: { ...toReading(extracted), charset: encoding } };
    }
    case "text":
    case "xml": {
      const { text, encoding } = decodeText(bytes, "plain", charset);
      return {
        kind: "read",
        reading: { ...readGivenText(text), extractorVersion: EXTRACTOR_VERSION, charset: encoding },
      };
    }
    case "pdf":
    case "docx":
    case "pptx":
    case "epub":
      return unreadable("unprocessable", `${media.format} files cannot be read yet; HTML and plain text can`);
  }
}

function readGivenText(text: string): PageReading {
  return {
    mediaType: "text/plain",
    charset: "utf-8",
    extractorVersion: GIVEN_TEXT_VERSION,
    text,
    markdown: text,
    sourceMap: null,
    robots: [],
    links: [],
    details: {},
  };
}

function toReading(extracted: ExtractedDocument): PageReading {
  const { jsonLd, microdata, openGraph } = extracted.structuredData;
  return {
    mediaType: "text/html",
    extractorVersion: extracted.extractorVersion,
    text: extracted.text,
    markdown: extracted.markdown,
    sourceMap: packOffsets(extracted.offsets),
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
    },
  };
}

function readDate(text: string | undefined): Date | undefined {
  const date = text === undefined ? undefined : new Date(text);
  return date === undefined || Number.isNaN(date.getTime()) ? undefined : date;
}

function unreadable(code: "too_large" | "unprocessable", message: string): ReadOutcome {
  return { kind: "unreadable", error: new AppError(code, message) };
}
