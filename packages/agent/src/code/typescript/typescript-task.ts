import type { LintProblem } from "../../workspace/lint-problem.ts";
import type { CodePlace } from "../code-place.ts";

/** What the TypeScript service can be asked; paths are absolute, offsets count UTF-16 units of the file as it is on the disk. */
export type TypescriptTask =
  | { readonly kind: "definitions"; readonly root: string; readonly file: string; readonly offsets: readonly number[] }
  | { readonly kind: "problems"; readonly root: string; readonly files: readonly string[] }
  | { readonly kind: "fix"; readonly root: string; readonly file: string }
  | { readonly kind: "symbols"; readonly root: string; readonly query: string; readonly limit: number };

/** What it answers. */
export interface TypescriptAnswers {
  readonly definitions: readonly CodePlace[];
  readonly problems: readonly LintProblem[];
  /** The file's text with what can be mended mended; undefined when nothing can. */
  readonly fix: string | undefined;
  /** Only of projects that were asked before: nothing is loaded for it. */
  readonly symbols: readonly CodePlace[];
}
