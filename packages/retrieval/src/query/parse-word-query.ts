import type { WordQuery } from "./word-query.ts";

/** A query as somebody typed it, read. */
export interface ParsedWordQuery {
  readonly query: WordQuery;
  /** From `site:`; the caller adds them to its filter. */
  readonly includeDomains: readonly string[];
  readonly excludeDomains: readonly string[];
  /** What was typed without the signs, for models that read sentences. */
  readonly plainText: string;
}

/**
 * Reads the signs of a typed query: "in quotes" for phrases, `-word` and `-"a phrase"` for what must not be there,
 * `site:example.com` and `-site:…`, `title:word` (or `intitle:`), AND between words. Everything else is free text;
 * a sign that makes no sense where it stands (a lone quote, a dash) is text too.
 */
export function parseWordQuery(text: string): ParsedWordQuery {
  const words: string[] = [];
  const phrases: string[] = [];
  const without: string[] = [];
  const inTitle: string[] = [];
  const includeDomains: string[] = [];
  const excludeDomains: string[] = [];
  let operator: "or" | "and" = "or";
  for (const { groups } of text.matchAll(PARTS)) {
    const isNegated = groups?.["minus"] !== undefined;
    const field = groups?.["field"]?.toLowerCase();
    const phrase = groups?.["phrase"];
    const value = phrase ?? groups?.["word"] ?? "";
    if (field === "site") (isNegated ? excludeDomains : includeDomains).push(value);
    else if (isNegated) without.push(value);
    else if (field !== undefined) inTitle.push(value);
    else if (phrase !== undefined) phrases.push(phrase);
    else if (value === "AND") operator = "and";
    else if (value !== "OR") words.push(value);
  }
  return {
    query: { text: words.join(" "), phrases, without, inTitle, operator },
    includeDomains,
    excludeDomains,
    plainText: [...words, ...phrases, ...inTitle].join(" "),
  };
}

/** A minus counts at the beginning of a word only, before a letter, digit or quote. */
const PARTS =
  /(?<=^|\s)(?<minus>-(?=["“”\p{L}\p{N}]))?(?:(?<field>site|title|intitle):(?=[^\s]))?(?:["“”](?<phrase>[^"“”]*)["“”](?=\s|$)|(?<word>\S+))/giu;
