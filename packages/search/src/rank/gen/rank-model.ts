// Made by tools/train-search-fusion.ts from train splits; do not edit.
import type { RankModel } from "../rank-model.ts";

/** What ranking has learnt. */
export const RANK_MODEL: RankModel = {
  fusion: { words: 0.3, meaning: 0.7 },
  rerank: { words: 0.3, meaning: 0.7, feedback: 0.3, cover: 0, titleCover: 0, adjacency: 0.05, expansion: 0.1 },
  anchor: { bias: -3, words: 3, meaning: 6 },
  steepness: 5,
};
