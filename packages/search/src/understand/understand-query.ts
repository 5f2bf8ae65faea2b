import { parseWordQuery, type WordQuery } from "@quarry/retrieval";
import { guessLanguages } from "./guess-languages.ts";
import { isDomainLike } from "./intersect-domains.ts";
import { stripRequest } from "./strip-request.ts";

/** A query, read. */
export interface UnderstoodQuery {
  /** For the search by words. */
  readonly words: WordQuery;
  /** For the search by meaning; empty when nothing but signs was typed. */
  readonly meaning: string;
  readonly includeDomains: readonly string[];
  readonly excludeDomains: readonly string[];
  /** Whether it names sites and nothing to look for on them. */
  readonly isSiteAlone: boolean;
  /** Quoted in a sentence, for emphasis: a page may do without, and is better with it. */
  readonly likedPhrases: readonly string[];
  /** Left out by a bare `-word`; whoever meant an option of a command wants to know. */
  readonly wordsLeftOut: readonly string[];
  /** Whether it asks for what is new. */
  readonly wantsFresh: boolean;
  /** Whether its end was left out. */
  readonly isShortened: boolean;
}

/** More than this is not read: about 1,500 words. */
export const MAX_QUERY_CHARACTERS = 10_000;
/** A query with more words outside its quotes than this is prose, which quotes and capitals do not make stricter. */
const MAX_TYPED_WORDS = 8;

/**
 * Reads a query as somebody typed it or a program made it: signs (phrases, `-word`, `site:`, `title:`), the languages it
 * may be in, whether it asks for news. Takes any text and never throws; what makes no sense as a sign is text.
 */
export function understandQuery(text: string, now: Date): UnderstoodQuery {
  const clean = text.toWellFormed().replaceAll(CONTROLS, " ");
  const kept = clean.slice(0, MAX_QUERY_CHARACTERS).toWellFormed();
  const parsed = parseWordQuery(kept);
  const { phrases = [], without = [], inTitle = [], withoutInTitle = [], operator } = parsed.query;
  const notDomains = parsed.includeDomains.filter((entry) => !isDomainLike(entry));
  const includeDomains = parsed.includeDomains.filter(isDomainLike);
  const isSiteAlone = includeDomains.length > 0 && parsed.plainText.trim() === "" && notDomains.length === 0;
  // Who names a site and nothing else wants its pages: the first of them are those whose addresses say its name most.
  const siteWords = isSiteAlone ? includeDomains.map(wordsOfDomain) : [];
  const free = [parsed.query.text, ...notDomains, ...siteWords].join(" ").trim();
  const isProse = /[?？]\s*$/u.test(kept) || free.split(/\s+/).length > MAX_TYPED_WORDS;
  const strict = isProse ? [] : phrases;
  const needsAll = operator === "and" && !isProse;
  return {
    words: {
      text: stripRequest([free, ...(isProse ? phrases : [])].join(" ").trim()),
      phrases: strict,
      without,
      inTitle,
      withoutInTitle,
      operator: needsAll ? "and" : "or",
      languages: guessLanguages(parsed.plainText),
    },
    meaning: [parsed.plainText, ...notDomains, ...siteWords].join(" ").trim(),
    includeDomains,
    excludeDomains: parsed.excludeDomains.filter(isDomainLike),
    isSiteAlone,
    likedPhrases: isProse ? phrases : [],
    wordsLeftOut: parsed.wordsLeftOut,
    wantsFresh: wantsFresh(parsed.plainText, now),
    isShortened: kept.length < clean.length,
  };
}

function wordsOfDomain(entry: string): string {
  return entry.replace(/^[a-z]+:\/\//i, "").replaceAll(/[*/]+/g, " ");
}

/** All but the visible; tabs and line breaks are white space anyway. */
const CONTROLS = /[\u0000-\u001f\u007f-\u009f]/g;

/** Words that ask for what is new, in the languages most queries are in. */
const FRESH =
  /(?<![\p{L}\p{N}])(?:latest|newest|most recent|recent(?:ly)?|breaking|today|this (?:week|month|year)|news|neueste[nrs]?|aktuelle?[nrs]?|heute|nachrichten|dernières? nouvelles|récente?s?|aujourd'hui|actualités?|últim[ao]s? noticias|recientes?|noticias|hoy|ultime notizie|notizie|oggi|最新|今日|новости|последние)(?![\p{L}\p{N}])/iu;

/** A query names this year or the last as often as it says "latest". */
function wantsFresh(text: string, now: Date): boolean {
  const year = now.getUTCFullYear();
  return FRESH.test(text) || new RegExp(`(?<!\\d)(?:${year}|${year - 1})(?!\\d)`).test(text);
}
