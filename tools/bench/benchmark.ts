import type { Table } from "../eval/print-table.ts";

/** One measurement that `npm run bench` knows. */
export interface Benchmark {
  readonly name: string;
  /** Measures and returns what to print; figures also go to a JSON file. */
  readonly run: (options: BenchmarkOptions) => Promise<BenchmarkResult>;
}

/** How a measurement is run. */
export interface BenchmarkOptions {
  /** A fraction of the full size, for a smoke run: 1 is full. */
  readonly size: number;
  /** The only corpus to measure, where there are several. */
  readonly corpus?: string | undefined;
  /** Where what takes long to build is kept for the next run; without it everything is built anew. */
  readonly keep?: string | undefined;
  readonly progress: (line: string) => void;
}

/** What was measured: tables for people, figures for programs. */
export interface BenchmarkResult {
  readonly tables: readonly Table[];
  readonly figures: Readonly<Record<string, number>>;
}
