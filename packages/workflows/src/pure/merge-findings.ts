import { nameSimilarity, sameAddress } from "./name-similarity.ts";

/** Two names count as one entity above this. */
export const SAME_NAME = 0.85;

/** What a query found, as far as merging needs to know it. */
export interface Finding {
  readonly url: string;
  readonly name: string;
}

/** One entity, with the queries that found it. */
export interface MergedFinding<T extends Finding> {
  /** As the first query that found it shows it. */
  readonly item: T;
  /** Places in the list of queries, ascending. */
  readonly queries: readonly number[];
  /** The share of all queries that found it. */
  readonly confidence: number;
}

/** How far the findings of two queries are the same. */
export interface Overlap {
  readonly queries: readonly [number, number];
  readonly shared: number;
  /** Of all that either found. */
  readonly share: number;
}

/** Joins what several queries found: the same address, or names that are alike, are one entity. */
export function mergeFindings<T extends Finding>(
  found: readonly (readonly T[])[],
  similarity: number = SAME_NAME,
): readonly MergedFinding<T>[] {
  const merged: {
    readonly item: T;
    readonly urls: Set<string>;
    readonly names: string[];
    readonly queries: Set<number>;
  }[] = [];
  for (const [query, items] of found.entries()) {
    for (const item of items) {
      const url = sameAddress(item.url);
      const known = merged.find(
        ({ urls, names }) => urls.has(url) || names.some((name) => nameSimilarity(name, item.name) > similarity),
      );
      if (known === undefined) {
        merged.push({ item, urls: new Set([url]), names: [item.name], queries: new Set([query]) });
        continue;
      }
      known.urls.add(url);
      known.names.push(item.name);
      known.queries.add(query);
    }
  }
  return merged.map(({ item, queries }) => ({
    item,
    queries: [...queries].sort((a, b) => a - b),
    confidence: queries.size / found.length,
  }));
}

/** The overlap of each pair of queries, in order. */
export function overlapMatrix(merged: readonly MergedFinding<Finding>[], queryCount: number): readonly Overlap[] {
  const pairs: Overlap[] = [];
  for (let one = 0; one < queryCount; one += 1) {
    for (let other = one + 1; other < queryCount; other += 1) {
      const shared = merged.filter(({ queries }) => queries.includes(one) && queries.includes(other)).length;
      const either = merged.filter(({ queries }) => queries.includes(one) || queries.includes(other)).length;
      pairs.push({ queries: [one, other], shared, share: either === 0 ? 0 : shared / either });
    }
  }
  return pairs;
}
