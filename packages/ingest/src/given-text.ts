import type { PageReading } from "./read-page.ts";

/** Names how a text that was handed to us is read: not at all. */
export const GIVEN_TEXT_VERSION = "given-text-1";

/** The reading of a text that is its own page. */
export function readGivenText(text: string): PageReading {
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
