import { importedFactsSchema, type ImportedFacts } from "@quarry/contract";
import type { WarcEntry } from "@quarry/crawl";
import type { GivenFacts, PageToIngest } from "../page-to-ingest.ts";

/** A page out of a file or an archive, not yet anybody's. */
export interface ImportedPage {
  /** In canonical form. */
  readonly url: string;
  readonly fetchedAt: Date;
  readonly given: GivenFacts;
  readonly content: PageToIngest["content"];
  readonly etag?: string | undefined;
  readonly lastModified?: string | undefined;
}

/** Header of a stored response that carries what the giver of the page knows beside it. */
export const FACTS_HEADER = "x-quarry-facts";

/** The longest value of that header that is read. */
const MAX_FACTS_LENGTH = 32_768;

/** A page as a WARC record from which `pageOfRecord` makes the same page again. */
export function toWarcEntry(page: ImportedPage): WarcEntry {
  const { content, given } = page;
  const facts: ImportedFacts = {
    ...(given.title === undefined ? {} : { title: given.title }),
    ...(given.author === undefined ? {} : { author: given.author }),
    ...(given.publishedAt === undefined ? {} : { publishedDate: given.publishedAt.toISOString() }),
    ...(given.category === undefined ? {} : { category: given.category }),
    ...(given.language === undefined ? {} : { language: given.language }),
    fetchedAt: page.fetchedAt.toISOString(),
    ...(content.kind === "text" ? { isText: true } : {}),
  };
  const contentType = content.kind === "text" ? "text/plain; charset=utf-8" : content.contentType;
  return {
    kind: "response",
    url: page.url,
    fetchedAt: page.fetchedAt,
    status: 200,
    headers: {
      ...(contentType === undefined ? {} : { "content-type": contentType }),
      ...(page.etag === undefined ? {} : { etag: page.etag }),
      ...(page.lastModified === undefined ? {} : { "last-modified": page.lastModified }),
      [FACTS_HEADER]: encodeURIComponent(JSON.stringify(facts).toWellFormed()),
    },
    body: content.kind === "text" ? Buffer.from(content.text, "utf8") : content.bytes,
  };
}

/** Reads the header; one that is absent, or that we did not write, says nothing. */
export function readFacts(header: string | undefined): ImportedFacts {
  if (header === undefined || header.length > MAX_FACTS_LENGTH) return {};
  try {
    return importedFactsSchema.safeParse(JSON.parse(decodeURIComponent(header))).data ?? {};
  } catch {
    return {}; // some server's own header of that name
  }
}
