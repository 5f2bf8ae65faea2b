/* eslint-disable max-lines -- the names this room lends, one after another */
export { countRedirectsTo } from "./crawls/count-redirects.ts";
export { isPageKnown, nextPageAt, nextPages, postponePage, queuePages } from "./crawls/crawl-frontier.ts";
export type { PageHistory, PageToQueue, QueuedPage } from "./crawls/crawl-frontier.ts";
export { nextRoundAt, noteSitemapsRead, setRecrawl, startDueRounds } from "./crawls/crawl-rounds.ts";
export { countPagesByStatus, listCrawlPages } from "./crawls/list-crawl-pages.ts";
export type { CrawlPage } from "./crawls/list-crawl-pages.ts";
export { recordSitemapFaults } from "./crawls/record-sitemap-faults.ts";
export type { SitemapFault } from "./crawls/record-sitemap-faults.ts";
export { recordVisits, REDIRECTED } from "./crawls/record-visits.ts";
export type { CrawlSpent, VisitedPage } from "./crawls/record-visits.ts";
export { isCrawlFinished } from "./crawls/crawl-state.ts";
export type { CrawlStatus } from "./crawls/crawl-state.ts";
export { DEFAULT_RECRAWL } from "./crawls/crawl.ts";
export type { Crawl, CrawlRequest, RecrawlSettings, RenderMode } from "./crawls/crawl.ts";
export {
  CRAWL_JOB,
  createCrawl,
  findCrawl,
  getCrawl,
  listCrawls,
  moveCrawlBy,
  steerCrawl,
} from "./crawls/manage-crawls.ts";
export { backupDatabase } from "./backup/backup-database.ts";
export type { BackupOptions } from "./backup/backup-database.ts";
export type { BackupReport } from "./backup/backup-format.ts";
export { restoreDatabase } from "./backup/restore-database.ts";
export type { RestoreOptions } from "./backup/restore-database.ts";
export type { BlobStore } from "./blobs/blob-store.ts";
export { createDirectoryBlobStore } from "./blobs/directory-blob-store.ts";
export { baseUrl, createS3BlobStore, parseS3Url } from "./blobs/s3-blob-store.ts";
export type { S3Place, SendToStorage } from "./blobs/s3-blob-store.ts";
export type { ObjectStorageCredentials } from "./blobs/sign-request.ts";
export { deleteDocuments, deleteDocumentsOf } from "./documents/delete-documents.ts";
export { SHARED_TEAM } from "./documents/document.ts";
export type { DocumentDetails, DocumentFacts, DocumentSource, StoredDocument } from "./documents/document.ts";
export { findSnapshot, getExtractedText, saveExtractedTexts, saveSnapshots } from "./documents/extracted-texts.ts";
export type { ExtractedText, SnapshotFacts } from "./documents/extracted-texts.ts";
export { findDocumentsWithText, findOwnUrls, findTextParts, findTexts } from "./documents/read-document-texts.ts";
export type { DocumentPlace } from "./documents/read-document-texts.ts";
export { listDocumentsByUrl } from "./documents/export-documents.ts";
export type { DocumentWithText } from "./documents/export-documents.ts";
export {
  countQueuedUpTo,
  findExpectedVersions,
  listExpectedVersions,
  requeueAbove,
  requeueEverything,
  requeueVectors,
  requeueWords,
} from "./documents/document-versions.ts";
export type { ExpectedVersion } from "./documents/document-versions.ts";
export {
  beginIndexTask,
  createIndexTask,
  findIndexTask,
  finishIndexTask,
  INDEX_TASK_CHANNEL,
  INDEX_TASK_KINDS,
} from "./documents/index-tasks.ts";
export type { IndexTask, IndexTaskKind } from "./documents/index-tasks.ts";
export {
  confirmVectors,
  confirmWords,
  countEmbeddingOutbox,
  readEmbeddingOutbox,
} from "./documents/embedding-outbox.ts";
export type { DocumentToEmbed, DocumentVersion } from "./documents/embedding-outbox.ts";
export { findDuplicates } from "./documents/find-duplicate.ts";
export {
  confirmIndexed,
  countIndexOutbox,
  countQueued,
  INDEX_OUTBOX_CHANNEL,
  readIndexOutbox,
} from "./documents/index-outbox.ts";
export type { IndexChange } from "./documents/index-outbox.ts";
export { readIndexStats } from "./documents/index-stats.ts";
export type { IndexStats } from "./documents/index-stats.ts";
export {
  findPassageVectors,
  hashPassage,
  importChunkVectors,
  sweepPassageVectors,
} from "./documents/passage-vectors.ts";
export type { PassageVector } from "./documents/passage-vectors.ts";
export { findDocument, findDocuments, listDocuments, listPastVersions } from "./documents/read-documents.ts";
export type { PastVersion } from "./documents/read-documents.ts";
export type { SampleWish } from "./documents/sample-load.ts";
export {
  beginSampleLoad,
  findSharedHistory,
  finishSampleLoad,
  hasDocuments,
  isSampleLoaded,
} from "./documents/sample-load.ts";
export { saveDocuments } from "./documents/save-documents.ts";
export type { DocumentToSave, Fingerprint, SavedDocument } from "./documents/save-documents.ts";
export { isUniqueViolation } from "./database-errors.ts";
export type { Database, Queryable, QueryOptions, Transaction } from "./database.ts";
export { findPostgresBinaries } from "./embedded/postgres-binaries.ts";
export type { PostgresBinaries } from "./embedded/postgres-binaries.ts";
export { choosePostgresUser } from "./embedded/postgres-user.ts";
export type { PostgresUser } from "./embedded/postgres-user.ts";
export { lockDataDirectory, readDataDirectoryOwner } from "./embedded/data-directory-lock.ts";
export type { DataDirectoryLock, DataDirectoryOwner } from "./embedded/data-directory-lock.ts";
export { startEmbeddedPostgres } from "./embedded/start-embedded-postgres.ts";
export type {
  EmbeddedPostgres,
  EmbeddedPostgresEvent,
  EmbeddedPostgresOptions,
} from "./embedded/start-embedded-postgres.ts";
export { endLeases } from "./end-leases.ts";
export { appendEvent, appendEvents, EVENTS_CHANNEL, getEvent, listEvents, readSettledSequence } from "./events.ts";
export type { EventQuestion, EventResource, NewEvent, StoredEvent } from "./events.ts";
export { holdLock } from "./hold-lock.ts";
export type { HeldLock } from "./hold-lock.ts";
export { statusOfKey } from "./identity/api-key.ts";
export type { ApiKey } from "./identity/api-key.ts";
export { findKeyCredential, findSessionCredential } from "./identity/find-credential.ts";
export type { Credential } from "./identity/find-credential.ts";
export {
  claimRequest,
  CLAIM_LEASE_MS,
  giveUpClaim,
  renewClaim,
  storeReply,
  sweepIdempotentRequests,
} from "./identity/idempotent-requests.ts";
export type { ClaimOutcome, IdempotentRequest, RequestClaim } from "./identity/idempotent-requests.ts";
export {
  createKey,
  getKey,
  listKeys,
  revokeKey,
  revokePreviousSecret,
  rotateKey,
  updateKey,
} from "./identity/manage-keys.ts";
export type { KeyAndSecret, KeyChange, NewKey } from "./identity/manage-keys.ts";
export { createSession, createSignInLink, endSession, redeemSignInLink } from "./identity/sessions.ts";
export type { ExpiringToken, SessionOwner } from "./identity/sessions.ts";
export {
  createFirstKey,
  createTeam,
  ensureFirstTeam,
  getTeam,
  needsFirstKey,
  renewLocalKey,
} from "./identity/teams.ts";
export type { FirstTeam } from "./identity/teams.ts";
export { readUsage, writeUsage } from "./identity/usage.ts";
export type { UsageQuestion, UsageRecord, UsageRow } from "./identity/usage.ts";
export { toJsonb } from "./jsonb.ts";
export type { Json } from "./jsonb.ts";
export { cancelJob, cancelJobs } from "./jobs/cancel-jobs.ts";
export type { CancelOutcome } from "./jobs/cancel-jobs.ts";
export { claimJobs, MAX_JOBS_PER_CLAIM } from "./jobs/claim-jobs.ts";
export type { ClaimOptions } from "./jobs/claim-jobs.ts";
export { deleteFinishedJobs } from "./jobs/delete-finished-jobs.ts";
export type { FinishedState } from "./jobs/delete-finished-jobs.ts";
export { enqueueJob, enqueueJobs } from "./jobs/enqueue-job.ts";
export type { EnqueuedJob, NewJob } from "./jobs/enqueue-job.ts";
export { countJobs, getJob, listJobs } from "./jobs/find-jobs.ts";
export type { JobFilter } from "./jobs/find-jobs.ts";
export type { JobCompletion, JobHandler, JobRun } from "./jobs/job-handler.ts";
export { startJobRunner } from "./jobs/job-runner.ts";
export type { JobRunner, JobRunnerEvent, JobRunnerOptions, JobRunnerStep } from "./jobs/job-runner.ts";
export { deleteJobSchedule, enqueueDueSlots, listJobSchedules, setJobSchedule } from "./jobs/job-schedules.ts";
export type { JobSchedule, NewJobSchedule } from "./jobs/job-schedules.ts";
export { isFinished, JOB_STATES, moveJob } from "./jobs/job-state.ts";
export type { JobEvent, JobLifecycle, JobState } from "./jobs/job-state.ts";
export type { Job, JobLease, LeasedJob } from "./jobs/job.ts";
export { keepDoing } from "./jobs/keep-doing.ts";
export { readQueueAges } from "./jobs/queue-ages.ts";
export { makeWakeUp } from "./jobs/wake-up.ts";
export type { WakeUp } from "./jobs/wake-up.ts";
export { nextSlot } from "./jobs/next-slot.ts";
export type { CronTime } from "./jobs/next-slot.ts";
export { requeueDeadJobs } from "./jobs/requeue-dead-jobs.ts";
export type { JobOutcome } from "./jobs/run-job.ts";
export { completeJob, completeJobs, failJob, handBackJobs, requeueLostJobs } from "./jobs/settle-job.ts";
export type { FailOptions, FailureOutcome, LostJob } from "./jobs/settle-job.ts";
export { citeSnapshots, dropCitations } from "./retention/cite-snapshots.ts";
export type { CitedText, Citer } from "./retention/cite-snapshots.ts";
export { dropOldUsage } from "./retention/drop-usage.ts";
export { dropOldVersions } from "./retention/old-versions.ts";
export { planRetention } from "./retention/plan-retention.ts";
export type { RetentionPlan } from "./retention/plan-retention.ts";
export {
  areBlobsBusy,
  findUnknownSnapshots,
  keepBlobs,
  noteBlobsRemoved,
  queueBlobRemoval,
  RemovedBlobsError,
  takeBlobsToRemove,
} from "./retention/removed-blobs.ts";
export type { RetentionPolicy } from "./retention/retention-policy.ts";
export { dropUnusedTexts } from "./retention/unused-texts.ts";
export type { DroppedTexts } from "./retention/unused-texts.ts";
export { migrate, readSchemaVersion } from "./migrate.ts";
export type { MigrateOptions, MigrationReport } from "./migrate.ts";
export { openDatabase } from "./open-database.ts";
export type { DatabaseAddress, OpenDatabaseOptions } from "./open-database.ts";
export {
  cancelResearch,
  createResearch,
  getResearch,
  listResearch,
  deleteResearch,
  moveResearchBy,
  RESEARCH_JOB,
  stopResearch,
  steerResearch,
} from "./research/manage-research.ts";
export { appendResearchEvents, listResearchEvents, RESEARCH_CHANNEL } from "./research/research-events.ts";
export type { NewResearchEvent, StoredResearchEvent } from "./research/research-events.ts";
export {
  AGENT_BACKTEST_JOB,
  createAgentBacktest,
  dropExpiredBacktests,
  endAgentBacktest,
  findAgentBacktest,
  getAgentBacktest,
} from "./agent-monitors/agent-backtests.ts";
export type { AgentBacktest } from "./agent-monitors/agent-backtests.ts";
export type {
  AgentMonitor,
  AgentMonitorCitation,
  AgentMonitorContent,
  AgentMonitorEntity,
  AgentMonitorField,
} from "./agent-monitors/agent-monitor.ts";
export { listAgentChanges, listAgentEntities } from "./agent-monitors/list-agent-monitor-parts.ts";
export type { AgentMonitorChange, AgentMonitorSince } from "./agent-monitors/list-agent-monitor-parts.ts";
export {
  addAgentMonitorEntities,
  AGENT_MONITOR_CITER,
  AGENT_MONITOR_JOB,
  createAgentMonitor,
  deleteAgentMonitor,
  enqueueRefresh,
  findAgentMonitor,
  getAgentMonitor,
  listAgentMonitors,
  lockAgentMonitor,
} from "./agent-monitors/manage-agent-monitors.ts";
export type { NewAgentMonitorEntity } from "./agent-monitors/manage-agent-monitors.ts";
export {
  addAgentTokens,
  beginAgentRefresh,
  endAgentRefresh,
  keepAgentContents,
  listStaleEntities,
  readAgentContents,
} from "./agent-monitors/refresh-agent-monitor.ts";
export type { FoundContent } from "./agent-monitors/refresh-agent-monitor.ts";
export { isBatchOver } from "./batches/batch.ts";
export type { Batch, BatchRequest, BatchStatus, BatchUrl } from "./batches/batch.ts";
export {
  endBatch,
  failOpenRequests,
  listBatchResults,
  listOpenRequests,
  settleRequests,
} from "./batches/batch-requests.ts";
export type { BatchOutcome, BatchResult } from "./batches/batch-requests.ts";
export {
  BATCH_JOB,
  cancelBatch,
  createBatch,
  deleteBatch,
  dropExpiredResults,
  enqueueBatchJob,
  findBatch,
  getBatch,
  listBatches,
  listCompletedBatches,
  lockBatch,
} from "./batches/manage-batches.ts";
export type { NewBatch } from "./batches/manage-batches.ts";
export { isResearchFinished } from "./research/research-state.ts";
export type { ResearchStatus } from "./research/research-state.ts";
export type { Research } from "./research/research.ts";
export { addKnowledge, deleteKnowledge, listKnowledge, updateKnowledge } from "./tools/agent-knowledge.ts";
export type { Knowledge } from "./tools/agent-knowledge.ts";
export { addAgentPlan, changeAgentPlan, findAgentPlan } from "./tools/agent-plans.ts";
export type { AgentPlan } from "./tools/agent-plans.ts";
export {
  endAgentTask,
  extendTaskLeases,
  findAgentTask,
  getAgentTask,
  listAgentTasks,
  listLostTasks,
  startAgentTask,
  takeEndedTasks,
  takeTaskMessages,
  tellAgentTask,
} from "./tools/agent-tasks.ts";
export type { AgentTask, AgentTaskEnd, AgentTaskState, NewAgentTask } from "./tools/agent-tasks.ts";
export { addBugfixReport, listBugfixReports } from "./tools/bugfix-reports.ts";
export type { BugfixReport } from "./tools/bugfix-reports.ts";
export { isYes, moveApproval } from "./tools/approval-state.ts";
export type { ApprovalDecision, ApprovalMove, ApprovalState } from "./tools/approval-state.ts";
export {
  answerApproval,
  expireApprovals,
  findApprovalByQuery,
  findApprovalOfCall,
  getApproval,
  listApprovals,
} from "./tools/approvals.ts";
export type { AnswerOutcome, Approval, ApprovalAnswer, ApprovalQuestion, EndOfCall } from "./tools/approvals.ts";
export { readCallContext } from "./tools/call-context.ts";
export type { CallContext } from "./tools/call-context.ts";
export { makeToolCallId, recordToolCall } from "./tools/record-tool-call.ts";
export type { EndedToolCall } from "./tools/record-tool-call.ts";
export { appendAudit, findChainBreak, listAudit } from "./tools/tool-audit.ts";
export type { AuditEntry, AuditRecord, ChainBreak } from "./tools/tool-audit.ts";
export { isToolCallEnded, moveToolCall } from "./tools/tool-call-state.ts";
export type { ToolCallMove, ToolCallState } from "./tools/tool-call-state.ts";
export {
  acceptToolCall,
  endToolCall,
  extendCallLeases,
  findToolCall,
  followToolCall,
  getToolCall,
  listEarlierOutcomes,
  listLostCalls,
  listResultsAfter,
  listWaitingCalls,
  takeGrant,
} from "./tools/tool-calls.ts";
export type { AcceptOutcome, CallEnding, NewApproval, NewToolCall, ToolCall, ToolCallEnd } from "./tools/tool-calls.ts";
export { deleteToolRule, listToolRules, saveToolRule } from "./tools/tool-rules.ts";
export type { SavedRule } from "./tools/tool-rules.ts";
export {
  changeSessionTodos,
  closeToolSession,
  getToolSession,
  listToolSessions,
  openToolSession,
  switchSessionMode,
  takeSessionMessages,
  updateToolSession,
} from "./tools/tool-sessions.ts";
export type { NewToolSession, SessionChange, SessionMode, ToolSession } from "./tools/tool-sessions.ts";
export { TOOLS_CHANNEL } from "./tools/tools-channel.ts";
export {
  cancelOpenCells,
  changeWebsetEnrichment,
  deleteWebsetEnrichment,
  fillWebsetCell,
  findWebsetCell,
  getWebsetEnrichment,
  insertWebsetEnrichment,
  isItemEnriched,
  listOpenCells,
  listWebsetCells,
  listWebsetEnrichments,
  openWebsetCells,
  chooseCellItems,
  type CellChoice,
  overrideWebsetCell,
} from "./websets/manage-webset-enrichments.ts";
export {
  deleteJudgedQuery,
  listJudgedQueries,
  listJudgedRuns,
  recordJudgedRun,
  saveJudgedQuery,
} from "./judged-queries.ts";
export type { JudgedFigures, JudgedQuery, JudgedRun, Judgment } from "./judged-queries.ts";
export { listCellAttempts, recordCellAttempt } from "./websets/cell-attempts.ts";
export type { CellFilling, NewWebsetEnrichment, OpenCell } from "./websets/manage-webset-enrichments.ts";
export {
  archiveValue,
  countItemsOfGroup,
  deleteWebsetItem,
  findEnrichedItems,
  findKnownIdentities,
  findWebsetItem,
  getWebsetItem,
  insertWebsetItem,
  insertWebsetItems,
  listPastValues,
  listWebsetItems,
  readItemContents,
  updateWebsetItem,
} from "./websets/manage-webset-items.ts";
export type { NewWebsetItem } from "./websets/manage-webset-items.ts";
export {
  advanceWebsetSearch,
  findWebsetSearch,
  getWebsetSearch,
  insertWebsetSearch,
  listWebsetSearches,
  moveWebsetSearchBy,
} from "./websets/manage-webset-searches.ts";
export type { NewWebsetSearch, SearchProgress } from "./websets/manage-webset-searches.ts";
export {
  beginWebsetWork,
  bookExpense,
  changeWebset,
  deleteWebset,
  endWebsetWork,
  findWebset,
  getWebset,
  insertWebset,
  setWebsetPriority,
  listWebsets,
  lockWebset,
} from "./websets/manage-websets.ts";
export type { NewWebset, WebsetExpense } from "./websets/manage-websets.ts";
export {
  countPassedOfSource,
  findCandidate,
  findCandidatesByKey,
  findHumanVerdict,
  insertCandidates,
  judgeCandidate,
  listCaptures,
  listOpenCandidates,
  listRejectedCandidates,
  skipOpenCandidates,
} from "./websets/webset-candidates.ts";
export type { CandidateState, NewCandidate, WebsetCandidate } from "./websets/webset-candidates.ts";
export type { PastValue, WebsetCell, WebsetEnrichment, WebsetFormat } from "./websets/webset-enrichment.ts";
export type { HumanMark, WebsetEvaluation, WebsetItem, WebsetReference } from "./websets/webset-item.ts";
export {
  countActiveWebsets,
  isWebsetBusy,
  mayItemsCome,
  readWebsetBacklog,
  readWebsetParts,
  statusOfParts,
} from "./websets/webset-parts.ts";
export type { WebsetBacklog, WebsetParts } from "./websets/webset-parts.ts";
export type { WebsetCriterion, WebsetScope, WebsetSearch } from "./websets/webset-search.ts";
export { isWebsetSearchOpen, statusOfEnrichment, statusOfWebset } from "./websets/webset-state.ts";
export type { WebsetActivity, WebsetSearchStatus, WebsetStatus } from "./websets/webset-state.ts";
export type { Webset, WebsetCaps, WebsetPriority, WebsetSource } from "./websets/webset.ts";
export { claimUpload, giveUpUpload } from "./imports/claim-upload.ts";
export { countImportRows, keepImportRows, MAX_IMPORT_ROWS_PER_READ, readImportRows } from "./imports/import-rows.ts";
export type { ImportRow } from "./imports/import-rows.ts";
export type { ImportFailure, ImportStatus } from "./imports/import-state.ts";
export type { Import, ImportEntity } from "./imports/import.ts";
export {
  createImport,
  deleteImport,
  failMissedImports,
  findImports,
  finishImport,
  getImport,
  IMPORT_JOB,
  listImports,
  startImport,
  updateImport,
} from "./imports/manage-imports.ts";
export type { NewImport } from "./imports/manage-imports.ts";
export { addAttempt, listAttempts } from "./webhooks/attempts.ts";
export type { WebhookAttempt } from "./webhooks/attempts.ts";
export {
  claimDeliveries,
  handBackDeliveries,
  listDueWebhooks,
  requeueLostDeliveries,
  settleDelivery,
  sweepDeliveries,
  WEBHOOKS_CHANNEL,
} from "./webhooks/deliver.ts";
export type { DueWebhook, LeasedDelivery, Settlement } from "./webhooks/deliver.ts";
export { DELIVERY_STATES } from "./webhooks/delivery-state.ts";
export type { DeliveryState } from "./webhooks/delivery-state.ts";
export { listDeliveries, MAX_REPLAYED_EVENTS, replayDeliveries } from "./webhooks/list-deliveries.ts";
export type { ReplayWish, WebhookDelivery } from "./webhooks/list-deliveries.ts";
export {
  createWebhook,
  deleteWebhook,
  findWebhookOf,
  getWebhook,
  listWebhooks,
  MAX_WEBHOOKS_PER_TEAM,
  retireWebhook,
  rotateWebhookSecret,
  updateWebhook,
} from "./webhooks/manage-webhooks.ts";
export type { NewWebhook, WebhookChange } from "./webhooks/manage-webhooks.ts";
export type { Webhook } from "./webhooks/webhook.ts";
export {
  changeMonitor,
  createMonitor,
  deleteMonitor,
  getMonitor,
  listMonitors,
  listMonitorsOfWebsets,
  MONITOR_SLOT_JOB,
} from "./monitors/manage-monitors.ts";
export type { MonitorChange, NewMonitor } from "./monitors/manage-monitors.ts";
export {
  createSearchMonitor,
  deleteSearchMonitor,
  findSearchMonitor,
  getSearchMonitor,
  listSearchMonitors,
  lockSearchMonitor,
  SEARCH_MONITOR_SLOT_JOB,
  writeSearchMonitor,
} from "./monitors/manage-search-monitors.ts";
export type { NewSearchMonitor, SearchMonitorFilter } from "./monitors/manage-search-monitors.ts";
export { isMonitorRunFinished } from "./monitors/monitor-run-state.ts";
export type { MonitorRunStatus } from "./monitors/monitor-run-state.ts";
export {
  advanceMonitorRun,
  createMonitorRun,
  findMonitorRun,
  getMonitorRun,
  listMonitorRuns,
  listOpenMonitorRuns,
  lookAgainAtRun,
  MONITOR_RUN_JOB,
  moveMonitorRunBy,
  nameRunSearch,
} from "./monitors/monitor-runs.ts";
export type { Monitor, MonitorRun } from "./monitors/monitor.ts";
export {
  createSearchMonitorRun,
  endSearchMonitorRun,
  findSearchMonitorRun,
  findShownResults,
  keepShownResults,
  listSearchMonitorRuns,
  SEARCH_MONITOR_RUN_JOB,
  startSearchMonitorRun,
} from "./monitors/search-monitor-runs.ts";
export type { SearchMonitorRunEnd } from "./monitors/search-monitor-runs.ts";
export type {
  SearchMonitor,
  SearchMonitorRun,
  SearchMonitorRunStatus,
  SearchMonitorStatus,
  SearchMonitorTrigger,
} from "./monitors/search-monitor.ts";
export { updateItemContent } from "./monitors/update-item-content.ts";
export { cutExport, readExportRows } from "./exports/cut-export.ts";
export type { ExportedItem } from "./exports/cut-export.ts";
export {
  createWebsetExport,
  EXPORT_JOB,
  findKnownFiles,
  findWebsetExport,
  finishWebsetExport,
  forgetExportFile,
  getWebsetExport,
  listOldExports,
} from "./exports/manage-exports.ts";
export type { NewWebsetExport, WebsetExportEnd } from "./exports/manage-exports.ts";
export type {
  WebsetExport,
  WebsetExportFormat,
  WebsetExportHeader,
  WebsetExportStatus,
} from "./exports/webset-export.ts";
export {
  cancelWorkflow,
  createWorkflow,
  findWorkflow,
  getWorkflow,
  listWorkflows,
  MAX_ACTIVE_WORKFLOWS,
  moveWorkflowBy,
  queueWorkflow,
  WORKFLOW_CLEANUP_JOB,
  WORKFLOW_JOB,
} from "./workflows/manage-workflows.ts";
export { isWorkflowFinished } from "./workflows/workflow-state.ts";
export type { WorkflowStatus } from "./workflows/workflow-state.ts";
export {
  findWorkflowMemory,
  keepWorkflowMemory,
  keepWorkflowStep,
  listWorkflowSteps,
  tellWorkflowProgress,
} from "./workflows/workflow-steps.ts";
export type {
  WorkflowFailure,
  WorkflowMade,
  WorkflowProgress,
  WorkflowStep,
  WorkflowTask,
} from "./workflows/workflow-task.ts";
export {
  createPageMonitor,
  deletePageMonitor,
  findPageMonitor,
  getPageMonitor,
  listPageMonitors,
  PAGE_MONITOR_JOB,
  recordPageCheck,
  updatePageMonitor,
} from "./page-monitors/manage-page-monitors.ts";
export type { NewPageMonitor, PageCheck, PageMonitorChange } from "./page-monitors/manage-page-monitors.ts";
export type { PageMonitor } from "./page-monitors/page-monitor.ts";
