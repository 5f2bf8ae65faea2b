import type { Llm, LlmUsage } from "@quarry/models";
import type { EntityKind } from "../entities/entity.ts";
import type { EnrichmentWish } from "../extractors/cell.ts";

/** A webset's query, read. */
export interface UnderstoodWebset {
  readonly kind: "understood";
  readonly entity: EntityKind;
  /** 1 to 5; the given ones when there were any. */
  readonly criteria: readonly { readonly description: string }[];
  /** Several ways to ask the index, the query's own words first. */
  readonly formulations: readonly string[];
  /** Columns that would fit. */
  readonly enrichments: readonly Pick<EnrichmentWish, "description" | "format" | "options">[];
  /** Addresses and hosts the query names, to be crawled: absolute URLs. */
  readonly namedSites: readonly string[];
  readonly usage?: LlmUsage | undefined;
}

/** What became of reading it: a query without a single word cannot be understood. */
export type UnderstandOutcome = UnderstoodWebset | { readonly kind: "not-understood"; readonly reason: string };

/** A query as a client sends it. */
export interface WebsetQuery {
  readonly query: string;
  readonly entity?: EntityKind | undefined;
  readonly criteria?: readonly { readonly description: string }[] | undefined;
  readonly llm?: Llm | undefined;
  readonly signal: AbortSignal;
}
