import type { Json } from "../jsonb.ts";
import { columnsOf, type RowOf } from "./columns.ts";
import type { HumanMark, WebsetReference } from "./webset-item.ts";

/** The formats of an enrichment. */
export type WebsetFormat = "text" | "date" | "number" | "options" | "email" | "phone" | "url";

/** An enrichment: a question asked of every item. */
export interface WebsetEnrichment {
  readonly id: string;
  readonly websetId: string;
  readonly teamId: string;
  readonly title: string | null;
  readonly description: string;
  readonly format: WebsetFormat;
  readonly options: readonly { readonly label: string }[] | null;
  readonly instructions: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly canceledAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A row of `webset_enrichments`. */
export type WebsetEnrichmentRow = RowOf<WebsetEnrichment>;

const columns = columnsOf<WebsetEnrichment>({
  id: true,
  websetId: true,
  teamId: true,
  title: true,
  description: true,
  format: true,
  options: true,
  instructions: true,
  metadata: true,
  canceledAt: true,
  createdAt: true,
  updatedAt: true,
});

/** The columns of `toWebsetEnrichment`. */
export const WEBSET_ENRICHMENT_COLUMNS = columns.list;

/** Reads a row. */
export const toWebsetEnrichment = columns.read;

/** One item's answer to one enrichment. */
export interface WebsetCell {
  readonly itemId: string;
  readonly enrichmentId: string;
  readonly websetId: string;
  readonly status: "pending" | "completed" | "canceled";
  readonly result: readonly string[] | null;
  readonly reasoning: string | null;
  readonly references: readonly WebsetReference[];
  /** Null when Quarry filled it. */
  readonly human: HumanMark | null;
  readonly round: number;
  readonly updatedAt: Date;
}

/** A row of `webset_cells`. */
export interface WebsetCellRow {
  readonly item_id: string;
  readonly enrichment_id: string;
  readonly webset_id: string;
  readonly status: "pending" | "completed" | "canceled";
  readonly result: readonly string[] | null;
  readonly reasoning: string | null;
  readonly references_json: readonly WebsetReference[];
  readonly human: HumanMark | null;
  readonly round: number;
  readonly updated_at: Date;
}

/** The columns of `toWebsetCell`. */
export const WEBSET_CELL_COLUMNS =
  "item_id, enrichment_id, webset_id, status, result, reasoning, references_json, human, round, updated_at";

/** Reads a row. */
export function toWebsetCell(row: WebsetCellRow): WebsetCell {
  return {
    itemId: row.item_id,
    enrichmentId: row.enrichment_id,
    websetId: row.webset_id,
    status: row.status,
    result: row.result,
    reasoning: row.reasoning,
    references: row.references_json,
    human: row.human,
    round: row.round,
    updatedAt: row.updated_at,
  };
}

/** A value that was replaced, or the one that stands. */
export interface PastValue {
  /** A verdict's word, or a cell's result. */
  readonly value: Json;
  readonly reasoning: string | null;
  readonly references: readonly WebsetReference[];
  /** "quarry", or who gave it. */
  readonly by: string;
  readonly note: string | null;
  readonly at: string;
}
