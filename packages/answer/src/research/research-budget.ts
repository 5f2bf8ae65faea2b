import type { ResearchModel } from "@quarry/contract";

/** How far a run may go; fixed by its model before it starts. */
export interface ResearchBudget {
  /** Plans: after the tasks of one, the next looks at what is still missing. */
  readonly maxPlans: number;
  readonly maxTasksPerPlan: number;
  readonly resultsPerSearch: number;
  readonly pagesPerTask: number;
  readonly maxPages: number;
  readonly maxTokens: number;
  readonly maxMs: number;
}

/** The three budgets. */
export const RESEARCH_BUDGETS: Readonly<Record<ResearchModel, ResearchBudget>> = {
  "exa-research-fast": {
    maxPlans: 1,
    maxTasksPerPlan: 3,
    resultsPerSearch: 5,
    pagesPerTask: 3,
    maxPages: 10,
    maxTokens: 150_000,
    maxMs: 60_000,
  },
  "exa-research": {
    maxPlans: 2,
    maxTasksPerPlan: 4,
    resultsPerSearch: 8,
    pagesPerTask: 4,
    maxPages: 30,
    maxTokens: 500_000,
    maxMs: 180_000,
  },
  "exa-research-pro": {
    maxPlans: 3,
    maxTasksPerPlan: 6,
    resultsPerSearch: 12,
    pagesPerTask: 6,
    maxPages: 80,
    maxTokens: 1_500_000,
    maxMs: 600_000,
  },
};
