import { inverseFrequency, type Analyser, type TermStatistics } from "@quarry/retrieval";
import type { PageTokens } from "./token-memory.ts";

/** A query as ranking compares it with texts. */
export interface QueryTokens {
  /** Words that tell pages apart: any of its tokens stands for a word. */
  readonly words: readonly { readonly tokens: readonly string[]; readonly weight: number }[];
  /** Words that stand side by side in the query, common ones too, of which at least one is telling. */
  readonly pairs: readonly { readonly first: string; readonly second: string; readonly weight: number }[];
}

/** What a page's text says about a query; each is 0 to 1. */
export interface TextFeatures {
  /** The share of the query's words that the page has, rare words counting more. */
  readonly cover: number;
  /** The share of the query's neighbouring words that are neighbours on the page. */
  readonly adjacency: number;
}

/** Reads a query for `textComparer`. */
export function toQueryTokens(
  analyser: Analyser,
  text: string,
  context: { readonly languages: readonly string[]; readonly statistics: TermStatistics },
): QueryTokens {
  const all = analyser.analyseQuery(text, context.languages);
  const weightOf = (tokens: readonly string[]): number =>
    Math.min(...tokens.map((token) => inverseFrequency(context.statistics, token)));
  const telling = all.filter(({ role }) => role !== "phrase");
  const chosen = new Map((telling.length > 0 ? telling : all).map(({ tokens }) => [tokens.join(" "), tokens]));
  const words = [...chosen.values()].map((tokens) => ({ tokens, weight: weightOf(tokens) }));
  const known = new Map(words.map(({ tokens, weight }) => [tokens[0] ?? "", weight]));
  const inRow = all.filter(({ role }) => role !== "whole").map(({ tokens }) => tokens[0] ?? "");
  const pairs = inRow.slice(1).flatMap((second, place) => {
    const first = inRow[place] ?? "";
    const weight = (known.get(first) ?? 0) + (known.get(second) ?? 0);
    return weight === 0 ? [] : [{ first, second, weight }];
  });
  return { words, pairs };
}

/** Makes what compares a query with pages whose tokens have these numbers. */
export function textComparer(
  { words, pairs }: QueryTokens,
  numberOf: (token: string) => number | undefined,
): (page: Pick<PageTokens, "title" | "body" | "distinct">) => TextFeatures {
  const wordsOf = new Map<number, number[]>();
  for (const [place, { tokens }] of words.entries()) {
    for (const token of tokens) append(wordsOf, numberOf(token), place);
  }
  const pairsOf = new Map<number, { readonly second: number; readonly place: number }[]>();
  for (const [place, { first, second }] of pairs.entries()) {
    const next = numberOf(second);
    if (next !== undefined) append(pairsOf, numberOf(first), { second: next, place });
  }
  return ({ title, body, distinct }) => {
    const hasWord = new Uint8Array(words.length);
    for (const number of distinct) for (const place of wordsOf.get(number) ?? NONE) hasWord[place] = 1;
    const hasPair = new Uint8Array(pairs.length);
    for (const row of pairsOf.size === 0 ? [] : [title, body]) {
      for (let at = 0; at + 1 < row.length; at += 1) {
        const followers = pairsOf.get(row[at] ?? 0);
        if (followers === undefined) continue;
        for (const { second, place } of followers) if (row[at + 1] === second) hasPair[place] = 1;
      }
    }
    return { cover: shareOf(words, hasWord), adjacency: shareOf(pairs, hasPair) };
  };
}

const NONE: readonly number[] = [];

function append<Item>(lists: Map<number, Item[]>, number: number | undefined, item: Item): void {
  if (number === undefined) return;
  const known = lists.get(number);
  if (known === undefined) lists.set(number, [item]);
  else known.push(item);
}

function shareOf(items: readonly { readonly weight: number }[], isMet: Uint8Array): number {
  let [met, all] = [0, 0];
  for (const [place, { weight }] of items.entries()) {
    all += weight;
    if (isMet[place] === 1) met += weight;
  }
  return all === 0 ? 0 : met / all;
}
