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
export { checkCadence } from "./monitors/check-cadence.ts";
export type { MonitorEngine, MonitorSearch } from "./monitors/monitor-engine.ts";
export { createMonitorRunHandler, createMonitorSlotHandler } from "./monitors/monitor-jobs.ts";
export type { MonitorJobDeps } from "./monitors/monitor-jobs.ts";
export {
  beginMonitor,
  removeMonitor,
  removeMonitorsOfWebset,
  triggerMonitor,
  updateMonitor,
} from "./monitors/monitor-service.ts";
export type { MonitorDeps } from "./monitors/monitor-service.ts";
export { showMonitor, showMonitorRun } from "./monitors/show-monitor.ts";
export {
  createSearchMonitorRunHandler,
  createSearchMonitorSlotHandler,
  MAX_AUTHENTICATION_FAILURES,
} from "./monitors/search/search-monitor-jobs.ts";
export type { SearchMonitorJobDeps } from "./monitors/search/search-monitor-jobs.ts";
export {
  batchSearchMonitors,
  beginSearchMonitor,
  removeSearchMonitor,
  triggerSearchMonitor,
  updateSearchMonitor,
} from "./monitors/search/search-monitor-service.ts";
export type { SearchMonitorDeps } from "./monitors/search/search-monitor-service.ts";
export { showSearchMonitor, showSearchMonitorRun } from "./monitors/search/show-search-monitor.ts";
