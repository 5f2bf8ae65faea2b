import type { Table } from "./print-table.ts";

/** What an evaluation gets to know about its run. */
export interface EvaluationRun {
  /** The folder of judged sets; one that is missing is skipped by name. */
  readonly dataDir: string;
  /** Measure only about this many pages or queries of each set; for a quick look. */
  readonly sample: number | undefined;
  /** Whether to run the other systems we compare ourselves with. */
  readonly withBaseline: boolean;
  readonly progress: (line: string) => void;
}

/** What an evaluation found: tables for people, `figures` for programs. */
export interface EvaluationResult {
  readonly tables: readonly Table[];
  readonly figures: unknown;
  /** Sets that are not on this machine. */
  readonly skipped: readonly string[];
}

/** One quality measurement, run by `npm run eval -- --only NAME`. */
export interface Evaluation {
  readonly name: string;
  readonly run: (run: EvaluationRun) => Promise<EvaluationResult>;
}
