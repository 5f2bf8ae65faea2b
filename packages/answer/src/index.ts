export { answerQuestion, NOTHING_FOUND } from "./answer/answer-question.ts";
export type { AnswerDeps, AnswerEnd, AnswerEvent, AnswerRequest, AnswerSentence } from "./answer/answer.ts";
export { beginBatch, openResults, showBatch, writeResults } from "./batches/batch.ts";
export type { BatchDeps } from "./batches/batch.ts";
export {
  BATCH_SWEEP_JOB,
  createBatchJobHandler,
  createBatchSweepHandler,
  scheduleBatchSweep,
} from "./batches/batch-job.ts";
export type { BatchJobDeps, BatchOperation, OperationReply } from "./batches/batch-job.ts";
export { createContentWriter } from "./contents/create-content-writer.ts";
export { composeContext } from "./context/compose-context.ts";
export type { ComposedContext } from "./context/compose-context.ts";
export type { Quote } from "./evidence/quote.ts";
export { beginAgentRun, getAgentRun } from "./research/agent-run.ts";
export { RESEARCH_BUDGETS } from "./research/research-budget.ts";
export type { ResearchBudget } from "./research/research-budget.ts";
export type { ResearchDeps } from "./research/research-deps.ts";
export { createResearchJobHandler } from "./research/research-job.ts";
export type { ResearchJobDeps } from "./research/research-job.ts";
