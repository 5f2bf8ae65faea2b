// Made by tools/train-search-fusion.ts from train splits; do not edit.
import type { RankModel } from "../rank-model.ts";

/** What ranking has learnt. */
export const RANK_MODEL: RankModel = {
  fusion: {
    doubtBelow: 0.9,
    decisive: 0.8,
    words: 1.4
  },
  rerank: {
    doubtBelow: 0.85,
    decisive: 0.5,
    coveredWords: 1.4,
    feedback: 0.75,
    adjacency: 1.6,
    expansion: 0
  },
  anchor: {
    words: {
      bias: -0.92,
      slope: 2.54
    },
    meaning: {
      bias: -2.42,
      slope: 4.43
    }
  },
  steepness: 9.5
};
