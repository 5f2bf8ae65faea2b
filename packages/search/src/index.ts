export { createFetchLive } from "./contents/fetch-live.ts";
export type { FetchLive, FetchLiveDeps } from "./contents/fetch-live.ts";
export type { ContentPage } from "./contents/content-page.ts";
export type { ContentWriter, FillWish } from "./contents/content-writer.ts";
export type { ContentsPlan } from "./contents/contents-plan.ts";
export { confidenceOf, findEvidence } from "./contents/evidence.ts";
export type { Evidence } from "./contents/evidence.ts";
export { fillSchema } from "./contents/fill-schema.ts";
export type { FilledObject } from "./contents/fill-schema.ts";
export { getContents } from "./contents/get-contents.ts";
export type { ContentsOutcome, ContentsRequest } from "./contents/get-contents.ts";
export { getPages } from "./contents/get-pages.ts";
export type { GetPagesDeps, PageOutcome, PageWish } from "./contents/get-pages.ts";
export { pickHighlights } from "./contents/highlights.ts";
export type { Highlight } from "./contents/highlights.ts";
export { checkSchema, readOutputSchema } from "./contents/output-schema.ts";
export { createSentenceScorer } from "./contents/sentence-scorer.ts";
export type { ScoreSentences, SearchedText } from "./contents/sentence-scorer.ts";
export type { ContentsDeps } from "./contents/shape-results.ts";
export { explainSearch } from "./explain.ts";
export type { ExplainOutcome } from "./explain.ts";
export { findPages } from "./find/find-pages.ts";
export { findSimilarPages } from "./find/find-similar.ts";
export type { SimilarQuery } from "./find/find-similar.ts";
export { MAX_PAGES } from "./find/page-query.ts";
export { askJudgedQueries, JUDGED_TYPES } from "./judged/ask-judged-queries.ts";
export { scoreRanking } from "./judged/score-ranking.ts";
export type { AskForUrls, JudgedType, QueryWithGrades } from "./judged/ask-judged-queries.ts";
export { createVectorBacklog } from "./find/vector-backlog.ts";
export { partsOfTexts } from "./find/read-parts.ts";
export type { PagePart, PartSize, PartWish } from "./find/read-parts.ts";
export type {
  FindPagesDeps,
  FoundPages,
  PageQuery,
  PageText,
  RankedPage,
  ReadVectorBacklog,
  SearchPlan,
  SearchWarning,
  StageTiming,
  VectorBacklog,
} from "./find/page-query.ts";
export type { RankExplanation } from "./rank/explain-rank.ts";
export { guessLanguages } from "./understand/guess-languages.ts";
export { createUpstreams, listUpstreamEndpoints } from "./upstream/create-upstreams.ts";
export type { UpstreamSettings } from "./upstream/create-upstreams.ts";
export { fillFromUpstream } from "./upstream/fill-from-upstream.ts";
export type { FillDeps, FilledPage, FilledPages } from "./upstream/fill-from-upstream.ts";
export type { AskEndpoint, EndpointReply, EndpointRequest, UpstreamProvider } from "./upstream/upstream-provider.ts";
export { contentsOptionsOf } from "./request/contents-options-of.ts";
export { findForRequest } from "./request/find-for-request.ts";
export type { FillIn } from "./request/find-for-request.ts";
export { TYPE_PLANS } from "./request/search-plan.ts";
export type { Turns } from "./request/turns.ts";
export { composeSearchOutput, search, writeSearchOutput } from "./search.ts";
export type { SearchDeps, SearchOutcome, SearchRequest } from "./search.ts";
export { findSimilar } from "./similar.ts";
export type { SimilarOutcome, SimilarRequest } from "./similar.ts";
