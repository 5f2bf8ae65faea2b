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
export { createUpstreams, listUpstreamEndpoints } from "./upstream/create-upstreams.ts";
export type { UpstreamSettings } from "./upstream/create-upstreams.ts";
export { fillFromUpstream } from "./upstream/fill-from-upstream.ts";
export type { FillDeps, FilledPage, FilledPages } from "./upstream/fill-from-upstream.ts";
export type { AskEndpoint, EndpointReply, EndpointRequest, UpstreamProvider } from "./upstream/upstream-provider.ts";
