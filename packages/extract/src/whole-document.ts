import { detectLanguage } from "./detect-language.ts";
import { EXTRACTOR_VERSION, type ExtractedDocument } from "./extracted-document.ts";
import { readRole } from "./html/block-role.ts";
import { codeOf, headingsOf } from "./html/document-parts.ts";
import { parsePage } from "./html/parse-page.ts";
import { findBlocks } from "./html/text-blocks.ts";
import { writeMarkdown } from "./html/write-markdown.ts";
import { writeText } from "./html/write-text.ts";
import { DEFAULT_LIMITS, type ExtractLimits } from "./limits.ts";
import { collectFacts } from "./metadata/collect-facts.ts";
import { makeResolver, readLinks, withContacts } from "./metadata/read-links.ts";

/** What a file says about itself outside its text. */
export interface FileFacts {
  readonly url: string;
  readonly mediaType: string;
  readonly title?: string | undefined;
  readonly author?: string | undefined;
  readonly publishedDate?: string | undefined;
  readonly description?: string | undefined;
  readonly language?: string | undefined;
}

/** A document with the fields of a file and nothing else: what every format begins with. */
export function emptyDocument(facts: FileFacts): ExtractedDocument {
  return {
    url: facts.url,
    mediaType: facts.mediaType,
    extractorVersion: EXTRACTOR_VERSION,
    title: facts.title,
    author: facts.author,
    publishedDate: facts.publishedDate,
    dateEvidence: facts.publishedDate === undefined ? undefined : "meta",
    language: facts.language,
    siteName: undefined,
    description: facts.description,
    favicon: undefined,
    image: undefined,
    canonicalUrl: undefined,
    robots: [],
    alternates: {},
    feeds: [],
    pageType: "article",
    text: "",
    offsets: [],
    markdown: "",
    headings: [],
    codeBlocks: [],
    links: [],
    imageLinks: [],
    structuredData: { jsonLd: [], microdata: [], openGraph: {} },
    limitsReached: [],
  };
}

/** Writes the whole of an XHTML or HTML rendering, with nothing taken for boilerplate: office files and books are all content. */
export function writeWhole(html: string, facts: FileFacts, limits: ExtractLimits = DEFAULT_LIMITS): ExtractedDocument {
  const { root, limitsReached } = parsePage(html, limits, "xhtml");
  const page = findBlocks(root, limits);
  const kept = page.blocks.map((block) => ({ block, role: readRole(block) }));
  const written = writeText(kept, limits.maxTextChars);
  const resolve = makeResolver(facts.url, undefined);
  const headings = headingsOf(kept, written);
  return {
    ...emptyDocument(facts),
    title: facts.title ?? headings[0]?.text,
    language: detectLanguage(written.text, facts.language),
    text: written.text,
    markdown: writeMarkdown(kept, withContacts(resolve), limits.maxTextChars),
    headings,
    codeBlocks: codeOf(kept, written),
    links: readLinks(collectFacts(root, limits).anchors, resolve, { isMain: () => true, beginsIn: () => true }),
    limitsReached: [...limitsReached, ...page.limitsReached, ...(written.cutShort ? ["maxTextChars"] : [])],
  };
}
