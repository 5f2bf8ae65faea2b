import type { Evidence } from "../evidence.ts";
import type { CellQuestion } from "./cell.ts";
import type { ColumnTopic } from "./find-candidates.ts";

/** A value for a cell, the rule that found it and the quote it stands in. */
export interface Filled {
  readonly result: readonly string[];
  readonly rule: string;
  readonly references: readonly Evidence[];
  /** Whether the quote shows only that the page is of the entity, since the value stands in the page's structured data alone. */
  readonly isBeside?: boolean;
}

/** What a filler works on. */
export interface Filling extends Pick<CellQuestion, "entity" | "enrichment" | "pages"> {
  readonly topic: ColumnTopic;
}
