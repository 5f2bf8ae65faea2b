import { DEFAULT_LIMITS, extractHtml, type ExtractedDocument } from "@quarry/extract";
import { findWrongOffset } from "../../packages/extract/src/check-offsets.ts";

/** Extracts a page and tells what was wrong with that, and how long it took. */
export function tryPage(
  html: string,
  maxMs: number,
): {
  readonly problem: string | undefined;
  readonly milliseconds: number;
  readonly document: ExtractedDocument | undefined;
} {
  const begin = performance.now();
  let problem: string | undefined;
  let document: ExtractedDocument | undefined;
  try {
    document = extractHtml({ url: "https://example.org/a/page", html });
    problem = findWrongOffset(html, document);
    const { text, markdown, links, imageLinks } = document;
    if (text.length > DEFAULT_LIMITS.maxTextChars || markdown.length > DEFAULT_LIMITS.maxTextChars)
      problem ??= "more text than the limit";
    if (links.length > DEFAULT_LIMITS.maxLinks || imageLinks.length > DEFAULT_LIMITS.maxImages)
      problem ??= "more links than the limit";
  } catch (error) {
    problem = `threw ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
  }
  const milliseconds = performance.now() - begin;
  if (milliseconds > maxMs) problem ??= `took ${Math.round(milliseconds)} ms`;
  return { problem, milliseconds, document };
}
