import { parseWordQuery, type WordQuery } from "@quarry/retrieval";
import { guessLanguages } from "./guess-languages.ts";
import { isDomainLike } from "./intersect-domains.ts";

/** A query, read. */
export interface UnderstoodQuery {
  /** For the search by words. */
  readonly words: WordQuery;
  /** For the search by meaning; empty when nothing but signs was typed. */
  readonly meaning: string;
  readonly includeDomains: readonly string[];
  readonly excludeDomains: readonly string[];
  /** Whether the query insists on anything: a phrase, a word that must not be there, a word in the title. */
  readonly hasConditions: boolean;
  /** Whether it asks for what is new. */
  readonly wantsFresh: boolean;
  /** Whether its end was left out. */
  readonly isShortened: boolean;
}

/** More than this is not read: about 1,500 words. */
export const MAX_QUERY_CHARACTERS = 10_000;

/**
 * Reads a query as somebody typed it or a program made it: signs (phrases, `-word`, `site:`, `title:`), the languages it
 * may be in, whether it asks for news. Takes any text and never throws; what makes no sense as a sign is text.
 */
export function understandQuery(text: string, now: Date): UnderstoodQuery {
  const clean = text.toWellFormed().replaceAll(CONTROLS, " ");
  const kept = clean.slice(0, MAX_QUERY_CHARACTERS).toWellFormed();
  const parsed = parseWordQuery(kept);
  const { phrases, without, inTitle } = parsed.query;
  const domains = parsed.includeDomains.filter(isDomainLike);
  const excluded = parsed.excludeDomains.filter(isDomainLike);
  const noDomains = parsed.includeDomains.filter((entry) => !isDomainLike(entry));
  return {
    words: {
      ...parsed.query,
      text: [parsed.query.text, ...noDomains].join(" ").trim(),
      languages: guessLanguages(parsed.plainText),
    },
    meaning: [parsed.plainText, ...noDomains].join(" ").trim(),
    includeDomains: domains,
    excludeDomains: excluded,
    hasConditions:
      (phrases?.length ?? 0) + (without?.length ?? 0) + (inTitle?.length ?? 0) > 0 || parsed.query.operator === "and",
    wantsFresh: wantsFresh(parsed.plainText, now),
    isShortened: kept.length < clean.length,
  };
}

/** All but tab and line breaks, which are white space. */
const CONTROLS = /[\u0000-\u001f\u007f-\u009f]/g;

/** Words that ask for what is new, in the languages most queries are in. */
const FRESH =
  /(?<![\p{L}\p{N}])(?:latest|newest|most recent|recent(?:ly)?|breaking|today|this (?:week|month|year)|news|neueste[nrs]?|aktuelle?[nrs]?|heute|nachrichten|dernières? nouvelles|récente?s?|aujourd'hui|actualités?|últim[ao]s? noticias|recientes?|noticias|hoy|ultime notizie|notizie|oggi|最新|今日|новости|последние)(?![\p{L}\p{N}])/iu;

/** A query names this year or the last as often as it says "latest". */
function wantsFresh(text: string, now: Date): boolean {
  const year = now.getUTCFullYear();
  return FRESH.test(text) || new RegExp(`(?<!\\d)(?:${year}|${year - 1})(?!\\d)`).test(text);
}
