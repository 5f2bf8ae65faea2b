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
export { aboutWorkflow, describeWorkflows, readWorkflowArgs, workflowArgs, workflowNames } from "./workflow-args.ts";
export type { WorkflowArgs, WorkflowName } from "./workflow-args.ts";
