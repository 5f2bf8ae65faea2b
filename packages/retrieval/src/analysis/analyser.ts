import { foldWord } from "./fold-word.ts";
import { PLAIN_RUNS, PLAIN_TEXT, RUNS, splitRun } from "./split-words.ts";
import { stemWord } from "./stem-word.ts";
import { isStopWord } from "./stop-words.ts";

/** A word of a query. */
export interface QueryWord {
  /** Any of these stands for it: one for each language the query may be in. */
  readonly tokens: readonly string[];
  /**
   * `word`: look for it. `whole`: look for it, but a search for all words need not insist, since its parts follow.
   * `phrase`: too common to tell pages apart, or contained in its neighbours; counts in phrases only.
   */
  readonly role: "word" | "whole" | "phrase";
}

/**
 * Turns text and queries into the same tokens, for any script: NFKC, compounds whole and in parts, scripts without
 * spaces in pairs of signs, lower case, stems by language, marks folded. A token has no white space and at most
 * MAX_TOKEN_LENGTH characters, so an engine that splits at spaces takes it as it is. Holds a cache: one for a thread.
 */
export interface Analyser {
  /** The tokens of a text in the language it is written in (ISO 639-1); unknown: null. Stop words are kept. */
  readonly analyseText: (text: string, language: string | null) => readonly string[];
  /** The words of a query that may be in any of `languages`; the first decides what is too common to matter. */
  readonly analyseQuery: (text: string, languages: readonly string[]) => readonly QueryWord[];
}

/** Longer tokens are cut here, in texts and queries alike. */
export const MAX_TOKEN_LENGTH = 60;

/** Raise it whenever a text would give other tokens than before: old indexes are then built anew. */
export const ANALYSER_VERSION = 1;

/** Runs of text remembered, of all languages together; at about 150 bytes each. */
const MAX_REMEMBERED_RUNS = 100_000;
/** Words of queries remembered; a query may be long, and its words of any length. */
const MAX_REMEMBERED_WORDS = 10_000;
/** Shorter parts the engine of the language copies anyway. */
const MIN_SLICED_LENGTH = 13;
const DEFAULT_LANGUAGE = "en";
/** Soft hyphens, joiners, direction marks: there for the typesetter. */
const INVISIBLE = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\u{e0000}-\u{e007f}]/gu;

/** Makes an analyser. */
export function createAnalyser(): Analyser {
  const wordTokens = new Map<string, string>();

  /** Queries share words with one another, and every one is read twice: to find pages and to rank them. */
  const tokenOfWord = (word: string, language: string): string => {
    const name = `${language} ${word}`;
    const known = wordTokens.get(name);
    if (known !== undefined) return known;
    const token = toToken(word, language);
    if (wordTokens.size >= MAX_REMEMBERED_WORDS) wordTokens.clear();
    wordTokens.set(name, ownCopy(token));
    return token;
  };

  return {
    analyseText: createTokenReader((token) => token),

    analyseQuery: (text, languages) => {
      const known = [...new Set((languages.length === 0 ? [null] : languages).map(primaryLanguage))];
      const first = known[0] ?? DEFAULT_LANGUAGE;
      return runsOf(text)
        .flatMap(splitRun)
        .map(({ text: word, role }) => ({
          tokens: [...new Set(known.map((language) => tokenOfWord(word, language)))],
          role: role === "sign" || isStopWord(word.toLowerCase(), first) ? "phrase" : role,
        }));
    },
  };
}

/**
 * Makes what reads texts as `Analyser.analyseText` does and gives of each token what `toValue` makes of it. That is asked
 * once as a rule, not for each time a token comes: who wants something else than the token itself need not look it up.
 */
export function createTokenReader<Value>(
  toValue: (token: string) => Value,
): (text: string, language: string | null) => readonly Value[] {
  const caches = new Map<string, Map<string, readonly Value[]>>();
  let remembered = 0;

  const readRun = (run: string, language: string, cache: Map<string, readonly Value[]>): readonly Value[] => {
    const known = cache.get(run);
    if (known !== undefined) return known;
    const values = splitRun(run).map(({ text }) => toValue(ownCopy(toToken(text, language))));
    if (remembered >= MAX_REMEMBERED_RUNS) {
      for (const one of caches.values()) one.clear();
      remembered = 0;
    }
    cache.set(ownCopy(run), values);
    remembered += 1;
    return values;
  };

  const cacheOf = (language: string): Map<string, readonly Value[]> => {
    const known = caches.get(language);
    if (known !== undefined) return known;
    const cache = new Map<string, readonly Value[]>();
    caches.set(language, cache);
    return cache;
  };

  return (text, language) => {
    const known = primaryLanguage(language);
    const cache = cacheOf(known);
    const values: Value[] = [];
    for (const run of runsOf(text)) {
      for (const value of readRun(run, known, cache)) values.push(value);
    }
    return values;
  };
}

/**
 * A pattern remembers each place of a text that it may go back to, and has room for some millions: of a longer text it is
 * shown a part at a time.
 */
const MAX_READ_AT_ONCE = 250_000;

/** The runs of a text. No run crosses the end of a line, so each line takes the fastest way it can. */
function runsOf(text: string): readonly string[] {
  if (text.length > MAX_READ_AT_ONCE) return partsOf(text).flatMap(runsOf);
  if (PLAIN_TEXT.test(text)) return text.match(PLAIN_RUNS) ?? [];
  if (!text.includes("\n")) return normalise(text).match(RUNS) ?? [];
  return text.split("\n").flatMap((line) => (line === "" ? [] : runsOf(line)));
}

/** Parts of a text that end where no run does if they can, and never between the halves of a character. */
function partsOf(text: string): readonly string[] {
  const parts: string[] = [];
  for (let from = 0; from < text.length;) {
    const part = text.slice(from, from + MAX_READ_AT_ONCE);
    const isLast = from + part.length >= text.length;
    const gap = Math.max(part.lastIndexOf("\n"), part.lastIndexOf(" "));
    const whole = /[\ud800-\udbff]$/.test(part) ? part.length - 1 : part.length;
    const length = isLast ? part.length : gap > 0 ? gap : whole;
    parts.push(part.slice(0, length));
    from += length;
  }
  return parts;
}

/** A part of a string keeps the whole of it in memory; what is remembered must not. */
function ownCopy(part: string): string {
  return part.length < MIN_SLICED_LENGTH ? part : Buffer.from(part, "utf16le").toString("utf16le");
}

/** "en-GB" and "eng_Latn" are "en" for our rules. */
function primaryLanguage(language: string | null): string {
  const primary = language?.toLowerCase().split(/[-_]/)[0] ?? "";
  return primary === "" || primary === "und" ? DEFAULT_LANGUAGE : primary;
}

function normalise(text: string): string {
  return text.toWellFormed().replaceAll(INVISIBLE, "").normalize("NFKC");
}

function toToken(word: string, language: string): string {
  const lower = word.toLowerCase();
  const token = isStopWord(lower, language) ? foldWord(lower) : stemAndFold(lower, language);
  if (token === "") return lower; // nothing but marks
  return token.length <= MAX_TOKEN_LENGTH ? token : token.slice(0, MAX_TOKEN_LENGTH).toWellFormed();
}

/** English borrows words with marks and loses them; where marks are the language's own, its rules need them. */
function stemAndFold(lower: string, language: string): string {
  return language === "en" ? stemWord(foldWord(lower), language) : foldWord(stemWord(lower, language));
}
