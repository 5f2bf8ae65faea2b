export { findPages } from "./find/find-pages.ts";
export { findSimilarPages } from "./find/find-similar.ts";
export type { SimilarQuery } from "./find/find-similar.ts";
export { MAX_PAGES } from "./find/page-query.ts";
export type {
  FindPagesDeps,
  FoundPages,
  PageQuery,
  PageText,
  RankedPage,
  SearchPlan,
  SearchWarning,
  StageTiming,
} from "./find/page-query.ts";
export type { RankExplanation } from "./rank/explain-rank.ts";
