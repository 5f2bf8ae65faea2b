export { answerQuestion, NOTHING_FOUND } from "./answer/answer-question.ts";
export type { AnswerDeps, AnswerEnd, AnswerEvent, AnswerRequest, AnswerSentence } from "./answer/answer-question.ts";
export type { Quote } from "./evidence/quote.ts";
export { RESEARCH_BUDGETS } from "./research/research-budget.ts";
export type { ResearchBudget } from "./research/research-budget.ts";
export type { ResearchDeps } from "./research/research-deps.ts";
export { createResearchJobHandler } from "./research/research-job.ts";
export type { ResearchJobDeps } from "./research/research-job.ts";
