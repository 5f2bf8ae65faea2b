import type { Table } from "./print-table.ts";

/** A part of the evaluation: its table, and the sets that are not on this machine. */
export interface PartOutcome {
  readonly table: Table | undefined;
  readonly missing: readonly string[];
}
