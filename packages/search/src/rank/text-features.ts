import { inverseFrequency, type Analyser, type TermStatistics } from "@quarry/retrieval";

/** A query as ranking compares it with texts. */
export interface QueryTokens {
  /** Words that tell pages apart: any of its tokens stands for a word. */
  readonly words: readonly { readonly tokens: readonly string[]; readonly weight: number }[];
  /** Words that stand side by side in the query, common ones too, of which at least one is telling. */
  readonly pairs: readonly { readonly first: string; readonly second: string; readonly weight: number }[];
}

/** A page's text in tokens, or the part of it that ranking reads. */
export interface PageTokens {
  readonly title: readonly string[];
  readonly body: readonly string[];
}

/** What a page's text says about a query; each is 0 to 1. */
export interface TextFeatures {
  /** The share of the query's words that the page has, rare words counting more. */
  readonly cover: number;
  /** The share of the query's neighbouring words that are neighbours on the page. */
  readonly adjacency: number;
}

/** Reads a query for `compareTexts`. */
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

/** Compares a query with a page's tokens. */
export function compareTexts({ words, pairs }: QueryTokens, { title, body }: PageTokens): TextFeatures {
  const inPage = new Set([...title, ...body]);
  const neighbours = new Set([...pairsOf(title), ...pairsOf(body)]);
  return {
    cover: shareOf(words, ({ tokens }) => tokens.some((token) => inPage.has(token))),
    adjacency: shareOf(pairs, ({ first, second }) => neighbours.has(`${first} ${second}`)),
  };
}

function pairsOf(tokens: readonly string[]): readonly string[] {
  return tokens.slice(1).map((token, place) => `${tokens[place] ?? ""} ${token}`);
}

function shareOf<Item extends { readonly weight: number }>(
  items: readonly Item[],
  isMet: (item: Item) => boolean,
): number {
  let [met, all] = [0, 0];
  for (const item of items) {
    all += item.weight;
    if (isMet(item)) met += item.weight;
  }
  return all === 0 ? 0 : met / all;
}
