import { AppError, type Clock } from "@quarry/base";
import { extractedSchema, extractSchema } from "@quarry/contract";
import { canonicalUrl } from "@quarry/crawl";
import type { ReadPage } from "@quarry/ingest";
import { defineRoute, type Route } from "../route.ts";

/** What the extract route needs. */
export interface ExtractDeps {
  readonly readPage: ReadPage;
  readonly clock: Clock;
}

const MAX_BODY_BYTES = 32 * 1024 * 1024;

/** What extraction makes of a page, without keeping it. */
export function extractRoutes(deps: ExtractDeps): readonly Route[] {
  return [
    defineRoute({
      name: "extractPage",
      method: "POST",
      path: "/quarry/v1/extract",
      tag: "Documents",
      summary: "Show what extraction makes of a page; nothing is kept",
      access: "index",
      body: extractSchema,
      maxBodyBytes: MAX_BODY_BYTES,
      response: extractedSchema,
      handle: async ({ body }, { signal }) => {
        const url = canonicalUrl(body.url);
        if (url === undefined) {
          throw new AppError("invalid_request", "url: expected an absolute http or https address", {
            details: { field: "url" },
          });
        }
        const content = {
          kind: "bytes",
          bytes: Buffer.from(body.html, "utf8"),
          contentType: "text/html; charset=utf-8",
        } as const;
        const outcome = await deps.readPage({ url, content, now: deps.clock.now() }, signal);
        if (outcome.kind === "unreadable") throw outcome.error;
        const { reading } = outcome;
        const { headings = [], links = [], imageLinks = [], codeBlocks = [], structuredData = [] } = reading.details;
        return {
          url,
          title: reading.title ?? null,
          author: reading.author ?? null,
          publishedDate: reading.publishedAt?.toISOString() ?? null,
          language: reading.language ?? null,
          siteName: reading.siteName ?? null,
          description: reading.description ?? null,
          favicon: reading.favicon ?? null,
          image: reading.image ?? null,
          canonicalUrl: reading.declaredCanonical ?? null,
          extractorVersion: reading.extractorVersion,
          text: reading.text,
          markdown: reading.markdown,
          headings: [...headings],
          links: [...links],
          imageLinks: [...imageLinks],
          codeBlocks: [...codeBlocks],
          structuredData,
        };
      },
    }),
  ];
}
