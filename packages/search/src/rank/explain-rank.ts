import type { PageField } from "@quarry/retrieval";

/** Why a page stands where it does. */
export interface RankExplanation {
  readonly sentence: string;
  /** Its place by words and by meaning alone, from 1; null when it was not found that way. */
  readonly placeByWords: number | null;
  readonly placeByMeaning: number | null;
  /** What each part added to the score before it was brought to 0..1. */
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
