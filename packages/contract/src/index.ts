export type { Caller } from "./domain/caller.ts";
export { priceContents, priceSearch, PRICE_LISTS } from "./domain/prices.ts";
export type { Cost, PriceList, SearchTier } from "./domain/prices.ts";
export { hasScope, scopeNames, SCOPES } from "./domain/scope.ts";
export type { Scope } from "./domain/scope.ts";
export {
  agentErrorSchema,
  agentErrorTypes,
  errorSchemas,
  searchErrorSchema,
  websetsErrorSchema,
} from "./http/errors.ts";
export type { AgentError, AgentErrorType, ErrorFamily, SearchError, WebsetsError } from "./http/errors.ts";
export { eventSchema, eventsQuerySchema } from "./http/events.ts";
export { aliveSchema, healthComponentSchema, healthSchema, readinessSchema } from "./http/health.ts";
export type { Health, HealthComponent, Readiness } from "./http/health.ts";
export {
  apiKeySchema,
  apiKeyWithSecretSchema,
  createKeySchema,
  MAX_ROTATION_GRACE_SECONDS,
  rotateKeySchema,
  scopeSchema,
  updateKeySchema,
} from "./http/keys.ts";
export type { ApiKeyReply } from "./http/keys.ts";
export { pageOf, pagingQuery } from "./http/paging.ts";
export { configSchema, keptModelSchema, modelEndpointSchema, modelTestSchema, sampleLoadSchema } from "./http/setup.ts";
export { retentionRunSchema, retentionSchema } from "./http/retention.ts";
export { meSchema, signInLinkSchema, signInSchema, signOutReplySchema } from "./http/session.ts";
export {
  createTeamKeySchema,
  teamKeySchema,
  teamKeyUsageQuerySchema,
  teamKeyUsageSchema,
  updateTeamKeySchema,
} from "./http/team-management.ts";
export {
  approvalAnswerSchema,
  approvalSchema,
  approvalsQuerySchema,
  auditRecordSchema,
  backgroundShellSchema,
  toolCallQuerySchema,
  toolExplanationSchema,
  toolSchema,
  toolSessionSchema,
  toolSessionWishSchema,
} from "./http/tools.ts";
export { checkpointDifferenceSchema, checkpointSchema, fileChangeSchema, undoneSchema } from "./http/tool-changes.ts";
export { usageGroups, usageQuerySchema, usageReplySchema, usageRowSchema } from "./http/usage.ts";
export type { UsageGroup } from "./http/usage.ts";
export { absentable, instant, queryBoolean, queryInteger, queryList, timestampSchema } from "./http/values.ts";
export {
  changesQuerySchema,
  changesSchema,
  deletedDocumentsSchema,
  deleteDocumentsQuerySchema,
  deleteDocumentsSchema,
  documentInputSchema,
  documentSchema,
  documentsQuerySchema,
  documentsReplySchema,
  extractedSchema,
  extractSchema,
  findDocumentsQuerySchema,
  MAX_DOCUMENT_CHARACTERS,
  snapshotSchema,
  wholeDocumentSchema,
} from "./http/documents.ts";
export {
  crawlPageSchema,
  crawlPagesQuerySchema,
  crawlSchema,
  crawlWithStatusesSchema,
  createCrawlSchema,
  mapReplySchema,
  mapSchema,
  MAX_CRAWL_PAGES,
  recrawlSchema,
} from "./http/crawls.ts";
export {
  addAgentMonitorEntitiesSchema,
  AGENT_MONITOR_FIELD_MODES,
  AGENT_MONITOR_FIELD_TYPES,
  agentMonitorBacktestSchema,
  agentMonitorChangesSchema,
  agentMonitorEntitiesSchema,
  agentMonitorSchema,
  createAgentMonitorBacktestSchema,
  createAgentMonitorSchema,
  listAgentMonitorPartsQuerySchema,
  listAgentMonitorsQuerySchema,
  MAX_AGENT_MONITOR_ENTITIES,
} from "./http/agent-monitors.ts";
export type {
  AgentMonitorBacktestWire,
  AgentMonitorChangesWire,
  AgentMonitorEntitiesWire,
  AgentMonitorEntityWish,
  AgentMonitorFieldMode,
  AgentMonitorFieldType,
  AgentMonitorWire,
  CreateAgentMonitorBacktestBody,
  CreateAgentMonitorBody,
} from "./http/agent-monitors.ts";
export {
  batchListSchema,
  BATCHES_BETA,
  batchSchema,
  createBatchSchema,
  listBatchesQuerySchema,
  MAX_BATCH_REQUESTS,
} from "./http/batches.ts";
export type { BatchWire, CreateBatchBody } from "./http/batches.ts";
export { judgedQuerySchema, judgedRunSchema, saveJudgedQuerySchema } from "./http/judged-queries.ts";
export { indexTaskParamsSchema, indexTaskSchema, searchIndexSchema } from "./http/index-admin.ts";
export {
  documentFileQuerySchema,
  documentFileReplySchema,
  exportedDocumentSchema,
  exportFormats,
  importedFactsSchema,
  indexExportQuerySchema,
  indexImportQuerySchema,
  indexImportReplySchema,
  indexStatsSchema,
} from "./http/index-transfer.ts";
export type { ImportedFacts } from "./http/index-transfer.ts";
export {
  contentsOptionsSchema,
  DEFAULT_LIVECRAWL_TIMEOUT_MS,
  MAX_CONTENT_CHARACTERS,
  MAX_SUBPAGES,
  pageSections,
} from "./http/contents-options.ts";
export type { ContentsOptions, PageSectionName } from "./http/contents-options.ts";
export { contentsReplySchema, contentsSchema, contentsStatusSchema } from "./http/contents.ts";
export type { ContentsBody, ContentsReplyBody, ContentsStatus } from "./http/contents.ts";
export { explainReplySchema, explainSchema } from "./http/explain.ts";
export type { ExplainBody, ExplainReplyBody } from "./http/explain.ts";
export { findSimilarReplySchema, findSimilarSchema } from "./http/find-similar.ts";
export type { FindSimilarBody, FindSimilarReplyBody } from "./http/find-similar.ts";
export type { Grounding, SearchOutput, SearchResult, Warning } from "./http/search-result.ts";
export { MAX_DOMAINS, MAX_QUERY_CHARACTERS, searchReplySchema, searchSchema, searchTypes } from "./http/search.ts";
export type { SearchBody, SearchReplyBody, SearchType } from "./http/search.ts";
export {
  answerCitationSchema,
  answerDetailsSchema,
  answerReplySchema,
  answerSchema,
  answerStreamFrameSchema,
  referenceSchema,
} from "./http/answer.ts";
export type { AnswerCitation, Reference } from "./http/answer.ts";
export {
  MAX_INSTRUCTIONS,
  createResearchSchema,
  getResearchQuerySchema,
  listResearchQuerySchema,
  researchEventSchema,
  researchModels,
  researchSchema,
  stampedResearchEventSchema,
} from "./http/research.ts";
export type {
  ResearchCitation,
  ResearchCost,
  ResearchEvent,
  ResearchModel,
  ResearchOperation,
} from "./http/research.ts";
export { ToolCallSchema as AgentToolCallSchema } from "./rpc/gen/agent/v1/agent_pb.ts";
export type { ToolCall as AgentToolCall } from "./rpc/gen/agent/v1/agent_pb.ts";
export { ExaFetchArgsSchema, ExaFetchResultSchema } from "./rpc/gen/agent/v1/exa_fetch_tool_pb.ts";
export { ExaSearchArgsSchema, ExaSearchResultSchema } from "./rpc/gen/agent/v1/exa_search_tool_pb.ts";
export {
  ExecClientMessageSchema,
  ExecServerMessageSchema,
  ExecStreamElementSchema,
} from "./rpc/gen/agent/v1/exec_pb.ts";
export type { ExecServerMessage, ExecStreamElement } from "./rpc/gen/agent/v1/exec_pb.ts";
export { ExecService } from "./rpc/gen/agent/v1/exec_service_pb.ts";
export { FetchArgsSchema, FetchResultSchema } from "./rpc/gen/agent/v1/fetch_exec_pb.ts";
export { InteractionQuerySchema, InteractionResponseSchema } from "./rpc/gen/agent/v1/interaction_pb.ts";
export type { InteractionQuery, InteractionResponse } from "./rpc/gen/agent/v1/interaction_pb.ts";
export {
  ClientSideToolV2,
  ClientSideToolV2CallSchema,
  ClientSideToolV2ResultSchema,
  EditFileV2ParamsSchema,
  EditFileV2ResultSchema,
  HumanReviewSchema,
  ListDirV2ParamsSchema,
  RipgrepRawSearchParamsSchema,
  StreamedBackPartialToolCallSchema,
  StreamedBackToolCallV2Schema,
  ToolResultErrorSchema,
  WebFetchParamsSchema,
  WebFetchResultSchema,
  WebSearchParamsSchema,
  WebSearchResultSchema,
} from "./rpc/gen/aiserver/v1/tools_pb.ts";
export type {
  ClientSideToolV2Call,
  ClientSideToolV2Result,
  HumanReview,
  StreamedBackToolCallV2,
} from "./rpc/gen/aiserver/v1/tools_pb.ts";
export { CallClientSideV2ToolRequestSchema, VmDaemonService } from "./rpc/gen/aiserver/v1/vm_daemon_pb.ts";
export { ApprovalDecision, ApprovalSchema, ApprovalStatus } from "./rpc/gen/quarry/v1/approval_pb.ts";
export type { Approval as ApprovalMessage } from "./rpc/gen/quarry/v1/approval_pb.ts";
export { AnswerRequestSchema, ApprovalService } from "./rpc/gen/quarry/v1/approval_service_pb.ts";
export type { AnswerRequest } from "./rpc/gen/quarry/v1/approval_service_pb.ts";
export {
  Execute_Step as ExecuteStep,
  ExecuteSchema,
  ExecutionReportSchema,
  SessionRequestSchema,
  SessionResponseSchema,
  ToolEvent_OutputChunk_Channel as OutputChannel,
  ToolEventSchema,
  ToolSchema as ToolMessageSchema,
  ToolService,
  ToolTier as ToolTierValue,
} from "./rpc/gen/quarry/v1/tool_service_pb.ts";
export type {
  Execute as ExecuteMessage,
  ExecutionReport as ExecutionReportMessage,
  SessionRequest,
  SessionResponse,
  ToolEvent as ToolEventMessage,
} from "./rpc/gen/quarry/v1/tool_service_pb.ts";
export { protocolMessage, protocolRegistry } from "./rpc/protocol-registry.ts";
export { chatCompletionSchema, chatCompletionsSchema } from "./http/chat-completions.ts";
export { contextReplySchema, contextSchema } from "./http/context.ts";
export {
  EXA_EVENT_TYPES,
  exaEvent,
  exaEventSchema,
  exaEventsQuerySchema,
  UNLISTED_EVENT_TYPES,
} from "./http/exa-events.ts";
export type {
  EventJson,
  ExaEventData,
  ExaEventType,
  ExaResourceKind,
  ExaResources,
  NewExaEvent,
} from "./http/exa-events.ts";
export {
  createdImportSchema,
  createImportSchema,
  importSchema,
  listImportsQuerySchema,
  MAX_IMPORT_BYTES,
  updateImportSchema,
} from "./http/imports.ts";
export type { CreateImport, ImportWire } from "./http/imports.ts";
export { ENTITY_TYPES, metadataSchema, websetEntitySchema } from "./http/webset-entity.ts";
export type { WebsetEntity } from "./http/webset-entity.ts";
export {
  cellAttemptSchema,
  enrichmentResultSchema,
  itemAnswersSchema,
  itemCardSchema,
  itemPropertiesSchema,
  pastValueSchema,
  websetItemSchema,
} from "./http/webset-items.ts";
export type { CellAttempt, ItemAnswers, ItemCard, PastValueWire, WebsetItemWire } from "./http/webset-items.ts";
export {
  previewReplySchema,
  websetEnrichmentSchema,
  websetEstimateSchema,
  websetExplanationSchema,
  websetSchema,
  websetSearchSchema,
  websetTeamSchema,
} from "./http/webset-shapes.ts";
export type {
  WebsetEnrichmentWire,
  WebsetEstimateWire,
  WebsetExplanationWire,
  WebsetPreviewWire,
  WebsetSearchWire,
  WebsetWire,
} from "./http/webset-shapes.ts";
export {
  createEnrichmentSchema,
  createWebsetSchema,
  createWebsetSearchSchema,
  ENRICHMENT_FORMATS,
  getWebsetQuerySchema,
  listItemsQuerySchema,
  listWebsetsQuerySchema,
  MAX_SEARCH_COUNT,
  overrideCellSchema,
  overrideVerdictSchema,
  previewQuerySchema,
  previewWebsetSchema,
  projectedItemsQuerySchema,
  updateEnrichmentSchema,
  updateWebsetSchema,
  valueHistoryQuerySchema,
  verdictAttemptsQuerySchema,
  WEBSET_HINT,
  websetCapsSchema,
} from "./http/websets.ts";
export type {
  CreateEnrichment,
  CreateWebset,
  CreateWebsetSearch,
  PreviewWebset,
  UpdateEnrichment,
} from "./http/websets.ts";
export { makeWebhookSecret, signWebhook } from "./http/webhook-signature.ts";
export {
  createWebhookSchema,
  listAttemptsQuerySchema,
  listDeliveriesQuerySchema,
  listWebhooksQuerySchema,
  QUARRY_EVENT_TYPES,
  replayedSchema,
  replayWebhookSchema,
  rotatedWebhookSchema,
  rotateWebhookSchema,
  testWebhookSchema,
  updateWebhookSchema,
  WEBHOOK_EVENT_TYPES,
  webhookAttemptSchema,
  webhookDeliveriesSchema,
  webhookDeliverySchema,
  webhookSchema,
} from "./http/webhooks.ts";
export type { WebhookEventType } from "./http/webhooks.ts";
export { createExportSchema, EXPORT_FORMATS, exportSchema } from "./http/exports.ts";
export type { ExportFormat, ExportWire } from "./http/exports.ts";
export {
  createMonitorSchema,
  listMonitorRunsQuerySchema,
  listMonitorsQuerySchema,
  monitorRunSchema,
  monitorSchema,
  updateMonitorSchema,
} from "./http/monitors.ts";
export type {
  CreateMonitor,
  MonitorBehavior,
  MonitorCadence,
  MonitorRunWire,
  MonitorWire,
  UpdateMonitor,
} from "./http/monitors.ts";
export {
  batchSearchMonitorsReplySchema,
  batchSearchMonitorsSchema,
  createdSearchMonitorSchema,
  createSearchMonitorSchema,
  listSearchMonitorRunsQuerySchema,
  listSearchMonitorsQuerySchema,
  readPeriodMs,
  SEARCH_MONITOR_EVENTS,
  searchMonitorRunSchema,
  searchMonitorSchema,
  updateSearchMonitorSchema,
} from "./http/search-monitors.ts";
export type {
  BatchSearchMonitors,
  CreateSearchMonitor,
  SearchMonitorEvent,
  SearchMonitorFailure,
  SearchMonitorRunWire,
  SearchMonitorWire,
  UpdateSearchMonitor,
} from "./http/search-monitors.ts";
export {
  createPageMonitorSchema,
  listPageMonitorsQuerySchema,
  pageChangeEventSchema,
  pageChangeSchema,
  pageMonitorSchema,
  updatePageMonitorSchema,
} from "./http/page-monitors.ts";
export type { PageMonitorWire } from "./http/page-monitors.ts";
export {
  agentEfforts,
  agentEventSchema,
  agentRequestSchema,
  agentRunSchema,
  listAgentQuerySchema,
} from "./http/agent-runs.ts";
export type { AgentEvent, AgentRequest, AgentRun } from "./http/agent-runs.ts";
export { responseRequestSchema, responseSchema } from "./http/responses.ts";
export type { ResponseRequest, ResponseWire } from "./http/responses.ts";
