import type { WordQuery } from "./word-query.ts";

/** A query as somebody typed it, read. */
export interface ParsedWordQuery {
  readonly query: WordQuery;
  /** From `site:`; the caller adds them to its filter. */
  readonly includeDomains: readonly string[];
  readonly excludeDomains: readonly string[];
  /** Words left out by a bare `-word`, which may have been an option of a command (`java -jar`). */
  readonly wordsLeftOut: readonly string[];
  /** What was typed without the signs, for models that read sentences. */
  readonly plainText: string;
}

/**
 * Reads the signs of a typed query: "in quotes" (of most languages) for phrases, `-word` and `-"a phrase"` for what must not be there,
 * `site:example.com` and `-site:…`, `title:word` and `-title:…` (or `intitle:`), AND between words. Everything else is free
 * text; a sign that makes no sense where it stands (a lone quote, a dash) is text too. So are options of commands and numbers: a
 * single letter or digits after the sign (`git clean -x`, `-1`), and in a sentence any word (`what does java -jar do?`).
 */
export function parseWordQuery(text: string): ParsedWordQuery {
  const words: string[] = [];
  const phrases: string[] = [];
  const without: string[] = [];
  const inTitle: string[] = [];
  const withoutInTitle: string[] = [];
  const includeDomains: string[] = [];
  const excludeDomains: string[] = [];
  const wordsLeftOut: string[] = [];
  let operator: "or" | "and" = "or";
  const isAsked = isSentence(text);
  for (const { groups } of text.matchAll(PARTS)) {
    const isNegated = groups?.["minus"] !== undefined;
    const field = groups?.["field"]?.toLowerCase();
    const phrase = QUOTATIONS.map((name) => groups?.[name]).find((found) => found !== undefined);
    const value = phrase ?? groups?.["word"] ?? "";
    if (field === "site") (isNegated ? excludeDomains : includeDomains).push(value);
    else if (isNegated && field !== undefined) withoutInTitle.push(value);
    else if (isNegated && phrase !== undefined) without.push(value);
    else if (isNegated && isAsked) words.push(`-${value}`);
    else if (isNegated) {
      without.push(value);
      wordsLeftOut.push(value);
    } else if (field !== undefined) inTitle.push(value);
    else if (phrase !== undefined) phrases.push(phrase);
    else if (value === "AND") operator = "and";
    else if (value !== "OR") words.push(value);
  }
  return {
    query: { text: words.join(" "), phrases, without, inTitle, withoutInTitle, operator },
    includeDomains,
    excludeDomains,
    wordsLeftOut,
    plainText: [...words, ...phrases, ...inTitle].join(" "),
  };
}

/** Whether somebody asks in a sentence: nobody leaves words out by signs there. */
function isSentence(text: string): boolean {
  return /[?？]\s*$/u.test(text) || QUESTION_START.test(text);
}

/** A question word and what is asked: two words more at least, since "Who" and "Can" are bands as well. */
const QUESTION_START = new RegExp(
  `^\\s*(?:${[
    "how|what|what's|whats|when|where|why|who|whom|whose|which|can|could|do|does|did|is|are|was|were|should|will|would",
    "wie|was|wann|wo|warum|wieso|wer|wen|wem|welche[mnrs]?|kann|comment|pourquoi|quand|où|qui|quoi|quel(?:le)?s?|est-ce",
    "cómo|qué|cuándo|dónde|por qué|quién|cuál|come|che cosa|perché|quando|dove|chi|quale|hoe|wat|wanneer|waar|waarom",
  ].join("|")})\\s+[\\p{L}\\p{N}]\\S*\\s+\\p{L}`,
  "iu",
);

/**
 * Quotation marks of many languages, as those write them; what one opens, its like closes. The British ones are
 * apostrophes too: between them are several words, none begins with a digit (‘90s), and one within a word ends nothing.
 */
const QUOTED = [
  '["“”„‟＂](?<phrase>[^"“”„‟＂]*)["“”„‟＂]',
  "‘(?<single>[^‘’\\s\\d](?:[^‘’\\s]|’(?=\\p{L}))*\\s(?:[^‘’]|’(?=\\p{L}))*)’",
  "‚(?<low>[^‚‘’]*)[‘’]",
  "«(?<inward>[^«»]*)»",
  "»(?<outward>[^«»]*)[«»]",
  "‹(?<singleInward>[^‹›]*)›",
  "›(?<singleOutward>[^‹›]*)[‹›]",
  "「(?<corner>[^「」]*)」",
  "『(?<doubleCorner>[^『』]*)』",
  "《(?<title>[^《》]*)》",
  "〈(?<singleTitle>[^〈〉]*)〉",
].join("|");
const QUOTATIONS = [
  ...["phrase", "single", "low", "inward", "outward", "singleInward", "singleOutward"],
  ...["corner", "doubleCorner", "title", "singleTitle"],
];
/** What may stand before an opening quotation mark. */
const OPENING = "[(\\[（]*";
/** What may follow a closing quotation mark before the space. */
const CLOSING = "[,.;:!?)\\]…、。，！？）]*";

/** An option of a command or a number. Letters of scripts that have no cases may be words by themselves (猫). */
const OPTION = `(?:[\\p{Lu}\\p{Ll}]|\\p{N}+(?:[.,]\\p{N}+)*)${CLOSING}(?:\\s|$)`;

/** A minus counts at the beginning of a word only, before a quotation mark or a word. */
const PARTS = new RegExp(
  `(?<=^|\\s)(?<minus>-(?=["“”„‟＂‘‚«»‹›「『《〈\\p{L}\\p{N}])(?!${OPTION}))?(?:(?<field>site|title|intitle):(?=[^\\s]))?` +
    `(?:${OPENING}(?:${QUOTED})(?=${CLOSING}(?:\\s|$))|(?<word>\\S+))`,
  "giu",
);
