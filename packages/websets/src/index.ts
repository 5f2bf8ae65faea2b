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
export { readProduct } from "./extractors/product.ts";
export { readDates } from "./extractors/read-dates.ts";
export { readEmails } from "./extractors/read-emails.ts";
export { readNumbers } from "./extractors/read-numbers.ts";
export { readPhones } from "./extractors/read-phones.ts";
export { readUrls } from "./extractors/read-urls.ts";
export { embedClaim } from "./judge/embed-claim.ts";
export { judgeClaim } from "./judge/judge-claim.ts";
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
export { createWebset } from "./runs/create-webset.ts";
export type { Maker } from "./runs/create-webset.ts";
export { estimateWebset } from "./runs/estimate-webset.ts";
export { JUDGES } from "./runs/judges.ts";
export type { Judges } from "./runs/judges.ts";
export { explainWebset } from "./runs/explain-webset.ts";
export {
  cancelEnrichment,
  runEnrichment,
  createEnrichment,
  deleteEnrichment,
  getEnrichment,
  reopenCells,
  updateEnrichment,
} from "./runs/manage-enrichments.ts";
export {
  deleteItem,
  getItem,
  listItems,
  listProjectedItems,
  overrideCell,
  overrideVerdict,
  readAttempts,
  readVerdictAttempts,
  readHistory,
} from "./runs/manage-items.ts";
export { beginSearch, cancelSearch, createWebsetSearch, getSearch } from "./runs/manage-searches.ts";
export { previewWebset } from "./runs/preview-webset.ts";
export { readWebset, readWebsets } from "./runs/read-websets.ts";
export { tellIfIdle } from "./runs/settle-webset.ts";
export { showItem, showItems } from "./runs/show-item.ts";
export { showSearch, showWebset } from "./runs/show-webset.ts";
export {
  cancelWebset,
  pauseWebset,
  removeWebset,
  resumeWebset,
  updateWebset,
  withWebset,
} from "./runs/steer-webset.ts";
export type { WebsetReferenceOf } from "./runs/steer-webset.ts";
export type { FindQuestion, LivingParts, StoredPage, WebsetsDeps } from "./runs/websets-deps.ts";
export { createWebsetJobHandlers } from "./runs/websets-jobs.ts";
export { EXPORT_MEDIA_TYPES, readExportFile } from "./exports/export-file.ts";
export {
  createExportJobHandler,
  createFileSweepHandler,
  FILE_SWEEP_JOB,
  scheduleFileSweep,
} from "./exports/export-job.ts";
export { beginExport, openDownload, showExport } from "./exports/export-service.ts";
export type { ExportDeps } from "./exports/export-service.ts";
export type { AgentMonitorDeps, AgentMonitorJobDeps, AgentPageQuestion } from "./monitors/agent/agent-monitor-deps.ts";
export { createAgentBacktestHandler, createAgentMonitorHandler } from "./monitors/agent/agent-monitor-jobs.ts";
export {
  addToAgentMonitor,
  beginAgentBacktest,
  beginAgentMonitor,
  showAgentBacktest,
  showAgentChanges,
  showAgentEntities,
  showAgentMonitor,
} from "./monitors/agent/agent-monitor-service.ts";
export { createMonitorDeps } from "./monitors/create-monitor-deps.ts";
export { readLiving } from "./monitors/read-living.ts";
