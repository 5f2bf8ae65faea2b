export type {
  CompanyFields,
  Entity,
  EntityKind,
  EntityProperties,
  EntityType,
  PersonFields,
  WorkFields,
} from "./entities/entity.ts";
export { findEntities, mergeEntities } from "./entities/find-entities.ts";
export type { EntitySearch } from "./entities/find-entities.ts";
export { checkEvidence, findQuote, quoteAt } from "./evidence.ts";
export type { Evidence, PageText } from "./evidence.ts";
export type { CellFormat, CellQuestion, CellValue, EnrichmentWish } from "./extractors/cell.ts";
export { fillCell } from "./extractors/fill-cell.ts";
export { judgeCriterion } from "./judge/judge-criterion.ts";
export type { CriterionQuestion, Satisfied, Verdict } from "./judge/verdict.ts";
export { estimateRecall } from "./recall/estimate-recall.ts";
export type { Captures, RecallEstimate } from "./recall/estimate-recall.ts";
export { understandQuery } from "./understand/understand-query.ts";
export type { UnderstandOutcome, UnderstoodWebset, WebsetQuery } from "./understand/understood-query.ts";
export { createImportJobHandler } from "./imports/import-job.ts";
export { beginImport, receiveUpload, removeImport, UPLOAD_VALID_MS } from "./imports/import-service.ts";
export type { BegunImport, ImportDeps } from "./imports/import-service.ts";
export { showImport } from "./imports/show-import.ts";
