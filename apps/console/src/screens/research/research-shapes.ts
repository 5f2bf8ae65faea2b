/** What a step of a run did. */
export type Operation =
  | { readonly type: "think"; readonly content: string }
  | {
      readonly type: "search";
      readonly query: string;
      readonly results: readonly { readonly url: string }[];
      readonly pageTokens: number;
    }
  | { readonly type: "crawl"; readonly result: { readonly url: string }; readonly pageTokens: number };

/** One event of a run, as far as the console reads it. */
export type ResearchEvent = { readonly createdAt: number } & (
  | { readonly eventType: "research-definition" }
  | { readonly eventType: "plan-definition"; readonly planId: string }
  | {
      readonly eventType: "plan-operation";
      readonly planId: string;
      readonly operationId: string;
      readonly data: Operation;
    }
  | {
      readonly eventType: "plan-output";
      readonly planId: string;
      readonly output: { readonly outputType: "tasks" | "stop"; readonly reasoning: string };
    }
  | {
      readonly eventType: "task-definition";
      readonly planId: string;
      readonly taskId: string;
      readonly instructions: string;
    }
  | {
      readonly eventType: "task-operation";
      readonly planId: string;
      readonly taskId: string;
      readonly operationId: string;
      readonly data: Operation;
    }
  | {
      readonly eventType: "task-output";
      readonly planId: string;
      readonly taskId: string;
      readonly output: { readonly content: string };
    }
  | { readonly eventType: "research-output"; readonly output: { readonly outputType: "completed" | "failed" } }
);

/** The budgets by name. */
export const RESEARCH_MODELS = ["exa-research-fast", "exa-research", "exa-research-pro"] as const;

/** One budget by name. */
export type ResearchModel = (typeof RESEARCH_MODELS)[number];

/** A page that a report cites. */
export interface ResearchCitation {
  readonly url: string;
  readonly title: string;
  readonly snippet: string;
}

/** A research task. */
export interface Research {
  readonly researchId: string;
  readonly createdAt: number;
  readonly finishedAt?: number;
  readonly status: "pending" | "running" | "completed" | "canceled" | "failed";
  readonly model: ResearchModel;
  readonly instructions: string;
  readonly outputSchema?: Readonly<Record<string, unknown>>;
  readonly events?: readonly ResearchEvent[];
  readonly output?: { readonly content: string; readonly parsed?: Readonly<Record<string, unknown>> };
  readonly costDollars?: {
    readonly total: number;
    readonly numSearches: number;
    readonly numPages: number;
    readonly reasoningTokens: number;
  };
  readonly citations?: readonly ResearchCitation[];
  readonly error?: string;
}
