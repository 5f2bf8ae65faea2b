export { createAnalyser, createTokenReader } from "./analysis/analyser.ts";
export type { Analyser, QueryWord } from "./analysis/analyser.ts";
export { MAX_FILTER_ENTRIES } from "./filter/index-filter.ts";
export type { IndexFilter } from "./filter/index-filter.ts";
export { matchesIndexFilter } from "./filter/matches-index-filter.ts";
export { dropSearchIndex, openSearchIndex } from "./open-search-index.ts";
export type { SearchIndexOptions } from "./open-search-index.ts";
export { openPatientReader } from "./open-patient-reader.ts";
export type { PatientReader } from "./open-patient-reader.ts";
export { inverseFrequency } from "./pages/bm25.ts";
export type { TermStatistics } from "./pages/bm25.ts";
export type { PageIdentity } from "./pages/page-key.ts";
export type { PageFacts, PageToIndex } from "./pages/page-row.ts";
export type { PageField } from "./pages/page-text.ts";
export type { ScoreParts } from "./pages/score-page.ts";
export { parseWordQuery } from "./query/parse-word-query.ts";
export type { ParsedWordQuery } from "./query/parse-word-query.ts";
export { conditionsOf } from "./query/word-query.ts";
export type { QueryConditions, WordQuery } from "./query/word-query.ts";
export { MAX_HITS } from "./search-index.ts";
export type {
  FindOptions,
  IndexedVersion,
  IndexStats,
  OptimizeReport,
  PageChunks,
  PageVersion,
  SearchIndex,
  VectorHit,
  VersionList,
  WordHit,
  WriteOutcome,
} from "./search-index.ts";
export { REBUILD_COMMAND } from "./tables/catalog.ts";
export type { EmbeddingModel } from "./tables/create-index.ts";
export { chunkText } from "./text/chunk-text.ts";
export type { ChunkOptions, TextChunk, TextHeading } from "./text/chunk-text.ts";
export { splitSentences, splitShownSentences } from "./text/split-sentences.ts";
export type { TextRange } from "./text/split-sentences.ts";
