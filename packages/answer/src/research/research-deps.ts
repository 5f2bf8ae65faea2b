import type { PriceList, ResearchModel } from "@quarry/contract";
import type { LimitedLlm, Llm } from "@quarry/models";
import type { ContentPage, ScoreSentences } from "@quarry/search";
import type { QuestionDeps } from "../evidence/question.ts";
import type { ResearchBudget } from "./research-budget.ts";

/** What research needs from outside. */
export interface ResearchDeps extends QuestionDeps {
  readonly search: (
    question: { readonly teamIds: readonly string[]; readonly query: string; readonly limit: number },
    signal: AbortSignal,
  ) => Promise<readonly { readonly url: string }[]>;
  /** A page, stored or fetched now; undefined when it cannot be had. */
  readonly readPage: (
    place: { readonly teamIds: readonly string[]; readonly url: string },
    signal: AbortSignal,
  ) => Promise<ContentPage | undefined>;
  readonly scoreSentences: ScoreSentences;
  readonly llm: Llm | undefined;
  readonly prices: PriceList;
  readonly newId: (prefix: string) => string;
}

/** The task at hand, and what is left for it. */
export interface ResearchTask {
  readonly teamIds: readonly string[];
  readonly model: ResearchModel;
  readonly instructions: string;
  readonly outputSchema: Readonly<Record<string, unknown>> | null;
  /** What whoever asks adds for the model. */
  readonly systemPrompt?: string | undefined;
  /** Names that the result must not speak of. */
  readonly exclusions?: readonly string[] | undefined;
  readonly budget: ResearchBudget;
  /** The model with what is left of the token budget; undefined when there is none. */
  readonly llm: LimitedLlm | undefined;
}
