import type { PageField } from "@quarry/retrieval";
import type { FeatureWeights, RerankFeature } from "./rank-model.ts";
import type { ScoredPage } from "./score-pages.ts";

/** Why a page stands where it does. */
export interface RankExplanation {
  readonly sentence: string;
  /** Its place by words and by meaning alone, from 1; null when it was not among the best that way. */
  readonly placeByWords: number | null;
  readonly placeByMeaning: number | null;
  /** What each part is, and what it added to the sum that decides the order. */
  readonly parts: readonly { readonly name: string; readonly value: number; readonly points: number }[];
  /** The share of each field in the score by words. */
  readonly fields: Readonly<Record<PageField, number>> | null;
  /** The words that were found, the most telling first. */
  readonly words: readonly {
    readonly token: string;
    readonly score: number;
    readonly weight: number;
    readonly counts: Readonly<Record<PageField, number>>;
  }[];
}

/** Says in numbers and a sentence why a page stands at `place` (from 1). */
export function explainRank(page: ScoredPage, place: number, weights: FeatureWeights): RankExplanation {
  const { words, meaning } = page.candidate;
  const values: Readonly<Partial<Record<RerankFeature, number>>> = page.features ?? {
    words: page.words,
    meaning: page.meaning,
  };
  const parts = Object.entries(weights)
    .map(([name, weight]) => ({ name, value: values[name as RerankFeature] ?? 0, weight }))
    .filter(({ weight }) => weight !== 0)
    .map(({ name, value, weight }) => ({ name, value, points: value * weight }))
    .sort((one, other) => other.points - one.points);
  const found = (words?.parts?.words ?? []).toSorted((one, other) => other.score - one.score);
  return {
    sentence: toSentence(page, place, parts[0]?.name as RerankFeature | undefined),
    placeByWords: words?.place ?? null,
    placeByMeaning: meaning?.place ?? null,
    parts,
    fields: words?.parts?.fields ?? null,
    words: found,
  };
}

const REASONS: Readonly<Record<RerankFeature, string>> = {
  words: "it has the words of the query",
  meaning: "it is near the query in meaning",
  feedback: "it is like the other good pages",
  coveredWords: "it has the words of the query",
  adjacency: "it has words of the query side by side",
  expansion: "it has the words that the best pages share",
};

function toSentence({ candidate }: ScoredPage, place: number, first: RerankFeature | undefined): string {
  const { words, meaning } = candidate;
  const telling = (words?.parts?.words ?? [])
    .toSorted((one, other) => other.score - one.score)
    .slice(0, 3)
    .map(({ token }) => token);
  const byWords =
    words === undefined
      ? "no word of the query is on it"
      : `by words it is ${ordinal(words.place)}${telling.length === 0 ? "" : ` (${telling.join(", ")})`}`;
  const byMeaning =
    meaning === undefined
      ? "its meaning was not compared"
      : `by meaning ${ordinal(meaning.place)} (cosine ${meaning.score.toFixed(2)})`;
  return `Place ${place}, most of all because ${REASONS[first ?? "words"]}: ${byWords}, ${byMeaning}.`;
}

function ordinal(place: number | null): string {
  return place === null ? "further down" : `number ${place}`;
}
