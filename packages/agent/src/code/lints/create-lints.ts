import { realpath } from "node:fs/promises";
import path from "node:path";
import type { Lints, LintProblem } from "../../workspace/lint-problem.ts";
import { isWithin } from "../../workspace/resolve-path.ts";
import { canLint, lintFiles, type LintDeps, type LintedFile } from "./lint-files.ts";

/** Linters for the tools that read and mend problems, and for those that edit. */
export interface FileLints extends Lints {
  readonly lint: (root: string, absolutes: readonly string[], signal: AbortSignal) => Promise<readonly LintedFile[]>;
  /**
   * A person or a rule let the workspace's own ESLint run: from now on it is also asked when files are read or edited.
   * Before that it never runs, since its configuration is code of the workspace.
   */
  readonly trust: (root: string) => void;
  readonly isTrusted: (root: string) => boolean;
}

/** Makes them. `roots` are the directories that tools may work in. */
export function createLints(deps: LintDeps, roots: readonly string[]): FileLints {
  const trusted = new Set<string>();
  const seen = new Map<string, readonly string[]>();
  const lint: FileLints["lint"] = (root, absolutes, signal) =>
    lintFiles(deps, { root, absolutes, isTrusted: trusted.has(root) }, signal);
  const problems = async (absolutes: readonly string[], signal: AbortSignal): Promise<readonly LintProblem[]> => {
    const found: LintProblem[] = [];
    const real = await Promise.all(roots.map((root) => realpath(root).catch(() => root))); // not there: holds nothing
    for (const absolute of absolutes.filter(canLint)) {
      const root = real.find((each) => isWithin(each, absolute)) ?? path.dirname(absolute);
      const [linted] = await lint(root, [absolute], signal);
      // Of a text that is gone nothing is said.
      if (linted !== undefined && !linted.isStale) found.push(...linted.problems);
    }
    return found;
  };
  return {
    lint,
    problems,
    trust: (root) => trusted.add(root),
    isTrusted: (root) => trusted.has(root),
    newProblems: async (absolutes, signal) => {
      const found = await problems(absolutes, signal);
      const fresh = found.filter(({ absolute, message }) => seen.get(absolute)?.includes(message) !== true);
      for (const absolute of absolutes) {
        seen.set(
          absolute,
          found.filter((problem) => problem.absolute === absolute).map(({ message }) => message),
        );
      }
      return fresh;
    },
  };
}
