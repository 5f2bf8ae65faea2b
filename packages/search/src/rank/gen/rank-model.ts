// Made by tools/train-search-fusion.ts from train splits; do not edit.
import type { RankModel } from "../rank-model.ts";

/** What ranking has learnt. */
export const RANK_MODEL: RankModel = {
  fusion: {
    doubtBelow: 0.8,
    words: 1
  },
  rerank: {
    doubtBelow: 0.7,
    coveredWords: 3,
    feedback: 3,
    adjacency: 0.4,
    expansion: 0.3
  },
  anchor: {
    words: {
      bias: -1.2,
      slope: 2.5
    },
    meaning: {
      bias: -2.07,
      slope: 3.68
    }
  },
  steepness: 7
};
