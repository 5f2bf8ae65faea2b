export {
  isIncluded,
  listCriteria,
  MAX_CARD_BYTES,
  nameOf,
  toAnswers,
  toCard,
  toWorkflowItem,
  websetItemSchema,
} from "./project-item.ts";
export type { EnrichmentNames, ItemAnswers, ItemCard, WebsetItem, WorkflowItem } from "./project-item.ts";
export { checkWorkflow } from "./check-workflow.ts";
export { aboutWorkflow, describeWorkflows, workflowArgs, workflowNames } from "./workflow-args.ts";
export type { WorkflowArgs, WorkflowName } from "./workflow-args.ts";
export { runFlow } from "./flows/run-flow.ts";
export { SIGNAL_EVENT, SIGNAL_RESOURCE } from "./flow.ts";
export type { Flow, FlowResult, FlowSignal, Plain } from "./flow.ts";
export type {
  FoundAnswer,
  FoundPage,
  ReadPage,
  ResearchPort,
  ResearchState,
  RetrievalPort,
  WebhooksPort,
  WebsetsPort,
  WebsetState,
  WebsetWish,
  WorkflowPorts,
} from "./ports.ts";
export { createWorkflowCleanupHandler, createWorkflowJobHandler, showSteps } from "./runs/workflow-job.ts";
export type { WorkflowJobDeps } from "./runs/workflow-job.ts";
