import type { Llm, LlmUsage } from "@quarry/models";
import type { Entity } from "../entities/entity.ts";
import type { Evidence, PageText } from "../evidence.ts";

/** The seven formats of an enrichment. */
export type CellFormat = "text" | "date" | "number" | "options" | "email" | "phone" | "url";

/** What a column asks of every entity. */
export interface EnrichmentWish {
  readonly description: string;
  readonly format: CellFormat;
  readonly options?: readonly { readonly label: string }[] | null | undefined;
  readonly instructions?: string | null | undefined;
}

/**
 * A cell's value and what it rests on. A number is plain digits, a date ISO 8601, a phone number E.164 where possible, a
 * URL absolute, options are labels of the column. `null` when the pages do not tell; a value has at least one reference.
 */
export interface CellValue {
  readonly result: readonly string[] | null;
  readonly reasoning: string;
  readonly references: readonly Evidence[];
  readonly usage?: LlmUsage | undefined;
}

/** One column of one entity. */
export interface CellQuestion {
  readonly entity: Pick<Entity, "type" | "name" | "aliases" | "url" | "properties">;
  readonly enrichment: EnrichmentWish;
  readonly pages: readonly PageText[];
  readonly llm?: Llm | undefined;
  readonly signal: AbortSignal;
}
