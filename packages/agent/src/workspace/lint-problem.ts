/** How bad a problem is, worst first. */
export type LintSeverity = "error" | "warning" | "info" | "hint";

/** A problem that a linter or a compiler found in a file. Lines and columns count from 1. */
export interface LintProblem {
  readonly absolute: string;
  readonly startLine: number;
  readonly startColumn: number;
  readonly endLine: number;
  readonly endColumn: number;
  readonly message: string;
  /** Who found it, such as `typescript` or `eslint`. */
  readonly source: string;
  readonly severity: LintSeverity;
  readonly code?: string;
  /** Whether a tool can fix it. */
  readonly isFixable?: boolean;
}

/** Finds problems in files as they are on the disk now. `languages` names those that callers know, by path. */
export interface Lints {
  /** The problems of these files that were not there when they were last looked at. */
  readonly newProblems: (
    absolutePaths: readonly string[],
    signal: AbortSignal,
    languages?: ReadonlyMap<string, string>,
  ) => Promise<readonly LintProblem[]>;
  /** All the problems of these files; with it an edit can also tell that it solved what earlier ones brought. */
  readonly problems?: (
    absolutePaths: readonly string[],
    signal: AbortSignal,
    languages?: ReadonlyMap<string, string>,
  ) => Promise<readonly LintProblem[]>;
}
