import { wordsOf } from "./words-of.ts";

/** What kind of thing a question asks for; `any` when its words do not tell. */
export type ExpectedAnswer = "person" | "time" | "number" | "place" | "reason" | "manner" | "definition" | "any";

/** Reads the kind off the question's words. English; other languages give `any`. */
export function expectedAnswer(question: string): ExpectedAnswer {
  const text = question.toLowerCase();
  const rule = RULES.find(([pattern]) => pattern.test(text));
  return rule?.[1] ?? "any";
}

/** Whether a sentence has the kind of thing that is asked for, beside what the question itself says. */
export function hasExpected(kind: ExpectedAnswer, sentence: string, question: string): boolean {
  const asked = new Set(wordsOf(question));
  const isNew = (found: string): boolean => wordsOf(found).some((word) => !asked.has(word));
  const isNewName = (found: string): boolean =>
    wordsOf(found).some((word) => word.length > 1 && !asked.has(word) && !NO_NAMES.has(word));
  const has = (pattern: RegExp, is = isNew): boolean =>
    Array.from(sentence.matchAll(pattern), ([found]) => found).some(is);
  switch (kind) {
    case "person":
      return !HAS_CASES.test(sentence) || has(NAME, isNewName);
    case "time":
      return has(TIME);
    case "number":
      return has(NUMBER);
    case "place":
      return has(/\b(?:in|at|near|on|from|of|to)\s+(?:the\s+)?\p{Lu}[\p{L}'’-]+/gu);
    case "reason":
      return /\b(?:because|since|due to|owing to|so that|in order to|as a result|therefore|caused by|reason)\b/i.test(
        sentence,
      );
    case "manner":
      return /\b(?:by|using|with|via|through|run|use|set|call|first|then)\b/i.test(sentence);
    case "definition":
      return /\b(?:is|are|was|were|means|refers to|stands for|denotes)\b/i.test(sentence);
    case "any":
      return false;
  }
}

/**
 * Whether no sentence answers the question that has no such thing: a day or year of what happened once, a number, a name. Places
 * and reasons are told in too many ways, "when does it …" asks for a condition as often as for a time, and "who is Ada" for no name.
 */
export function needsExpected(kind: ExpectedAnswer, question: string): boolean {
  // Of "If it rains, when was …" the end asks.
  const asked = question.slice(question.lastIndexOf(", ") + 1).trim();
  return NEEDED[kind]?.test(asked) === true || NEEDED[kind]?.test(question.trim()) === true;
}

/** Whether it asks who made a text. */
export function asksForAuthor(question: string): boolean {
  return /\bwho\s+(?:wrote|authored|(?:is|are|was|were)\s+the\s+(?:author|writer)s?)\b/i.test(question);
}

/** Whether a sentence speaks of somebody who wrote something. */
export function tellsAuthor(sentence: string): boolean {
  return /\b(?:wr[io]te|writing|writ(?:es|ten|ers?)|authors?|authored|novelist|poet|playwright|lyrics|songwriters?|composed)\b|\b[Bb]y\s+\p{Lu}/u.test(
    sentence,
  );
}

/**
 * Whether a sentence says of what "what is …" asks what it is: it begins with it, and then comes a word such as "is". A page on
 * Rust need not say "in Rust".
 */
export function definesAsked(sentence: string, question: string): boolean {
  const asked = /^(?:(?:what|who)(?:'s| is| are| was| were)|define|explain)\s/i.exec(question.trim());
  if (asked === null) return false;
  const words = wordsOf(question.trim().slice(asked[0].length));
  const where = words.indexOf("in", 1);
  const subject = withoutArticle(where === -1 || where === words.length - 1 ? words : words.slice(0, where));
  if (subject.length === 0 || subject.length > MAX_SUBJECT_WORDS) return false;
  // "Write-ahead logging (WAL) is": what stands between brackets is another name
  const said = withoutArticle(wordsOf(sentence.slice(0, DEFINITION_CHARACTERS).replace(/\([^()]*\)/g, "")));
  const begins = subject.every((word, place) => said[place] === word || said[place] === `${word}s`);
  return begins && DEFINING.has(said[subject.length] ?? "");
}

/** What more words are asked about is described rather than defined. */
const MAX_SUBJECT_WORDS = 5;
const DEFINITION_CHARACTERS = 200;
const DEFINING: ReadonlySet<string> = new Set(
  "is are was were means mean refers refer stands denotes provides provide allows allow lets let".split(" "),
);
const ARTICLES: ReadonlySet<string> = new Set(["a", "an", "the"]);

function withoutArticle(words: readonly string[]): readonly string[] {
  return ARTICLES.has(words[0] ?? "") ? words.slice(1) : words;
}

const RULES: readonly (readonly [RegExp, ExpectedAnswer])[] = [
  [/\b(?:who|whom|whose)\b|\bwhich (?:person|actor|author|singer|player|president)\b/, "person"],
  [/\bwhen\b|\b(?:what|which) (?:year|date|day|month|century|time)\b|\bhow long ago\b/, "time"],
  [
    /\b(?:price|cost)s? of\b|\bwhat (?:is|are|was|were) the (?:maximum|minimum|average|total) (?:\S+ )?(?:length|size|number|count|limit|age|height|width|weight|speed|duration|amount|distance|temperature)\b|\bhow (?:many|much|old|long|tall|high|far|big|large|fast|often|heavy|deep|wide)\b|\bwhat (?:number|percentage|amount|population|age)\b/,
    "number",
  ],
  [/\bwhere\b|\b(?:what|which) (?:country|city|state|place|town|continent|location|river)\b/, "place"],
  [/\bwhy\b|\bwhat (?:is the reason|causes?)\b/, "reason"],
  [/\bhow (?:do|does|can|to|should|is|are)\b/, "manner"],
  [/^\s*(?:what(?:'s| is| are| was| were)|define|explain)\b|\bmeaning of\b/, "definition"],
];

const MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december";
const NEEDED: Partial<Record<ExpectedAnswer, RegExp>> = {
  person:
    /^(?:who|whom)(?!['’]s|\s+(?:is|was|are|were)\s+(?!the\s|an?\s))\b|^which (?:person|actor|author|singer|player|president)\b/i,
  time: /^(?:when (?:was|were|did|had)|(?:in |on )?(?:what|which) (?:year|date|day|month|century))\b/i,
  number:
    /^(?:how (?:many|much|old|tall|high|heavy|deep|wide)|what(?:'s| is| are| was| were) (?:the )?(?:(?:price|cost)s? of|(?:maximum|minimum|average|total)|population|number)|(?:price|cost)s? of)\b/i,
};
const TIME = new RegExp(
  `\\b(?:${MONTHS})\\b|\\b(?:1\\d{3}|20\\d{2})s?\\b|\\b\\d{1,2}(?:st|nd|rd|th) century\\b|\\btoday\\b|\\byears? ago\\b|` +
    "\\b\\d{1,4} ?(?:b\\.?c|a\\.?d|b?ce)\\b|\\b\\d{1,2} ?: ?\\d{2}\\b|\\b\\d{1,4}[./-]\\d{1,2}[./-]\\d{2,4}\\b|\\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\\b",
  "giu",
);
const HAS_CASES = /\p{Ll}/u;
/** A word with a capital: within a sentence, or its first, unless that is one of those that sentences begin with. */
const NAME = /(?<=[\p{L}\p{N},;:)"”’'`“(])\s["“(`']*\p{Lu}[\p{L}'’.-]+|^[^\p{L}\p{N}]*\p{Lu}[\p{L}'’.-]+/gu;
/** Capitals that name nobody. */
const NO_NAMES: ReadonlySet<string> = new Set(
  (
    "the a an in on at of it he she they we you i this that his her my our your their its as for by from with when while after before " +
    "during although since if there these those one some many most all both each but and or to was is were are no not yes see also " +
    `monday tuesday wednesday thursday friday saturday sunday gmbh inc ltd llc ag corp co plc ${MONTHS.replaceAll("|", " ")}`
  ).split(" "),
);
const NUMBER =
  /\p{N}+(?:[.,]\p{N}+)*|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|twenty|thirty|forty|fifty|hundred|thousand|million|billion|dozen|once|twice)\b/giu;
