import { isUrl } from "@quarry/base";
import { quoteAt, type Evidence, type PageText } from "../evidence.ts";

/** A page's host; empty for what is no address. */
export function hostOf(url: string): string {
  return isUrl(url) ? new URL(url).hostname : "";
}

const MAX_LINE = 200;

/** The line a value stands in, or what is near it of a long one. */
export function lineAround(page: PageText, start: number, end: number): Evidence | undefined {
  const from = Math.max(page.text.lastIndexOf("\n", start) + 1, start - MAX_LINE / 2);
  const line = page.text.indexOf("\n", end);
  return quoteAt(page, from, Math.min(line < 0 ? page.text.length : line, end + MAX_LINE / 2));
}

/** A page's first line: what shows that the page speaks of its subject at all. */
export function firstLine(page: PageText): Evidence | undefined {
  const from = /\S/.exec(page.text)?.index ?? 0;
  const line = page.text.indexOf("\n", from);
  return quoteAt(page, from, line < 0 ? page.text.length : line);
}
