import type { Embedder, Llm, LlmUsage } from "@quarry/models";
import type { Entity } from "../entities/entity.ts";
import type { Evidence, PageText } from "../evidence.ts";

/** Whether an entity meets a criterion, as far as its pages tell. */
export type Satisfied = "yes" | "no" | "unclear";

/** A verdict and what it rests on. `yes` and `no` have at least one reference; `unclear` may have none. */
export interface Verdict {
  readonly satisfied: Satisfied;
  /** Names the rule or the model, and the quote. */
  readonly reasoning: string;
  readonly references: readonly Evidence[];
  readonly usage?: LlmUsage | undefined;
}

/** One criterion of one entity. */
export interface CriterionQuestion {
  /** For pages of one entity: its name, aliases, type and address tell which sentences are about it. */
  readonly entity: Pick<Entity, "type" | "name" | "aliases" | "url">;
  readonly criterion: string;
  readonly pages: readonly PageText[];
  /** Today, for criteria such as "in the last two years"; without it those are unclear. */
  readonly now?: Date | undefined;
  readonly llm?: Llm | undefined;
  /** Tells how near sentences of short pages are to what is asked; without it their words alone count. */
  readonly embed?: Embedder["embed"] | undefined;
  readonly signal: AbortSignal;
}
