import { AppError } from "@quarry/base";
import type { Analyser, QueryWord } from "../analysis/analyser.ts";

/** What to look for by words. */
export interface WordQuery {
  /** Free words: more of them, rarer ones and those in titles rank a page higher. */
  readonly text: string;
  /** Each must stand on the page as it is written here, up to endings and capitals. */
  readonly phrases?: readonly string[] | undefined;
  /** Words or phrases that must not be on the page. */
  readonly without?: readonly string[] | undefined;
  /** Words or phrases that must be in the title. */
  readonly inTitle?: readonly string[] | undefined;
  /** Words or phrases that must not be in the title. */
  readonly withoutInTitle?: readonly string[] | undefined;
  /** `or` (the default): any word will do. `and`: all of them must be there. */
  readonly operator?: "or" | "and" | undefined;
  /** Languages the query may be in (ISO 639-1), the likeliest first; English when left out. */
  readonly languages?: readonly string[] | undefined;
}

/** Any of these tokens. */
export type TokenChoice = readonly string[];
/** These tokens in a row. */
export type TokenRow = readonly string[];

/** A query in tokens. */
export interface CompiledQuery {
  /** Give a page its score. */
  readonly scored: readonly string[];
  /** Each must be met by one of its tokens. */
  readonly required: readonly TokenChoice[];
  /** Each must be met by one of its rows. */
  readonly phrases: readonly (readonly TokenRow[])[];
  /** None may be met. */
  readonly excluded: readonly TokenRow[];
  /** As `phrases`, in the title. */
  readonly inTitle: readonly (readonly TokenRow[])[];
  /** As `excluded`, in the title. */
  readonly excludedInTitle: readonly TokenRow[];
}

/** Whether a query insists on anything, and on anything that must be there. */
export interface QueryConditions {
  readonly isAny: boolean;
  readonly isPositive: boolean;
}

/** The most characters a query may have. */
export const MAX_QUERY_LENGTH = 20_000;
/** More words than this add time, not meaning: the first ones count. */
const MAX_SCORED_TOKENS = 128;
const MAX_QUERY_LANGUAGES = 6;

/** Turns a query into tokens. Throws `invalid_request` when it is too long. */
export function compileQuery(analyser: Analyser, query: WordQuery): CompiledQuery {
  const { phrases = [], without = [], inTitle = [], withoutInTitle = [] } = query;
  const parts = [query.text, ...phrases, ...without, ...inTitle, ...withoutInTitle];
  if (parts.reduce((sum, part) => sum + part.length, 0) > MAX_QUERY_LENGTH) {
    throw new AppError("invalid_request", `a query has at most ${MAX_QUERY_LENGTH} characters; shorten it`);
  }
  const languages = (query.languages ?? []).slice(0, MAX_QUERY_LANGUAGES);
  const free = tellingWords(analyser.analyseQuery(query.text, languages));
  const inPhrases = [...phrases, ...inTitle].flatMap((phrase) =>
    tellingWords(analyser.analyseQuery(phrase, languages)),
  );
  const toRows = (phrase: string): readonly TokenRow[] => tokenRows(analyser.analyseQuery(phrase, languages));
  const hasRows = (rows: readonly TokenRow[]): boolean => rows.some((row) => row.length > 0);
  const scored = new Set([...free, ...inPhrases].flatMap(({ tokens }) => tokens));
  return {
    scored: [...scored].slice(0, MAX_SCORED_TOKENS),
    required: query.operator === "and" ? free.filter(({ role }) => role !== "whole").map(({ tokens }) => tokens) : [],
    phrases: phrases.map(toRows).filter(hasRows),
    excluded: without.flatMap(toRows).filter((row) => row.length > 0),
    inTitle: inTitle.map(toRows).filter(hasRows),
    excludedInTitle: withoutInTitle.flatMap(toRows).filter((row) => row.length > 0),
  };
}

/** Whether any word is left to look for, after punctuation and the like. */
export function isEmptyQuery(query: CompiledQuery): boolean {
  return query.scored.length === 0 && !hasConditions(query);
}

/** Whether scores alone decide, so that the engine may skip pages that cannot win. */
export function isPlainQuery(query: CompiledQuery): boolean {
  return query.scored.length > 0 && !hasConditions(query);
}

/** Whether a query insists on anything. */
export function hasConditions({ required, phrases, excluded, inTitle, excludedInTitle }: CompiledQuery): boolean {
  return [required, phrases, excluded, inTitle, excludedInTitle].some((conditions) => conditions.length > 0);
}

/** What pages must meet: conditions without a single word, such as `"->"`, count for nothing. */
export function conditionsOf(analyser: Analyser, query: WordQuery): QueryConditions {
  const compiled = compileQuery(analyser, query);
  const isPositive = [compiled.required, compiled.phrases, compiled.inTitle].some((some) => some.length > 0);
  return { isAny: hasConditions(compiled), isPositive };
}

/** Common words say nothing, unless there are no others: "to be or not to be". */
function tellingWords(words: readonly QueryWord[]): readonly QueryWord[] {
  const telling = words.filter(({ role }) => role !== "phrase");
  return telling.length > 0 ? telling : words;
}

/** A phrase as rows of tokens, one for each language that makes a difference. */
function tokenRows(words: readonly QueryWord[]): readonly TokenRow[] {
  const variants = Math.max(1, ...words.map(({ tokens }) => tokens.length));
  const rows = Array.from({ length: variants }, (_, variant) =>
    words.map(({ tokens }) => tokens[Math.min(variant, tokens.length - 1)] ?? ""),
  );
  return [...new Map(rows.map((row) => [row.join(" "), row])).values()];
}
