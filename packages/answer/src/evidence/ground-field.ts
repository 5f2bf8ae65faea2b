import type { Grounding } from "@quarry/contract";
import { confidenceOf } from "@quarry/search";
import type { Quote } from "./quote.ts";

/** What a field rests on, as the wire shows it; `path` is a JSON pointer, and becomes `people[0].name`. */
export function groundOne({ path, quote }: { readonly path: string; readonly quote: Quote }): Grounding {
  const field = path
    .slice(1)
    .replace(/\/(\d+)(?=\/|$)/g, "[$1]")
    .replaceAll("/", ".");
  return { field, citations: [{ url: quote.url, title: quote.title }], confidence: confidenceOf(quote.score) };
}
