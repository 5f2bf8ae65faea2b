import { realpath } from "node:fs/promises";
import path from "node:path";
import { AppError, sleep } from "@quarry/base";
import type { Lints, LintProblem } from "../../workspace/lint-problem.ts";
import { isWithin } from "../../workspace/resolve-path.ts";
import { canLint, isScript, lintFiles, type LintDeps, type LintedFile } from "./lint-files.ts";

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

/** How long an edit waits for a language service that has to start first. */
const PATIENCE_MS = 3_000;
/** A service that answered within this time still runs; they end after five minutes. */
const WARM_MS = 4 * 60_000;

/** Makes them. `roots` are the directories that tools may work in. */
export function createLints(
  deps: LintDeps,
  roots: readonly string[],
  options: { readonly patienceMs?: number } = {},
): FileLints {
  const trusted = new Set<string>();
  const seen = new Map<string, readonly string[]>();
  const answeredAt = new Map<string, number>();
  const unanswered = new Set<string>();
  const lint: FileLints["lint"] = (root, absolutes, signal) =>
    lintFiles(deps, { root, absolutes, isTrusted: trusted.has(root) }, signal);

  /**
   * Looks at one file for an edit, which must not wait for a service that takes many seconds to start: that goes on
   * behind, and the looks before and after this edit are both refused, so that no old problem passes for a new one.
   */
  const look = async (root: string, absolute: string, signal: AbortSignal): Promise<readonly LintedFile[]> => {
    const service = `${root}\0${isScript(absolute) ? "typescript" : "python"}`;
    if (unanswered.delete(absolute)) throw starting();
    const isWarm = performance.now() - (answeredAt.get(service) ?? -Infinity) < WARM_MS;
    const looking = lint(root, [absolute], isWarm ? signal : new AbortController().signal).then((linted) => {
      answeredAt.set(service, performance.now());
      return linted;
    });
    if (isWarm) return looking;
    looking.catch(() => undefined); // told to whoever still waits
    const linted = await firstOf(looking, options.patienceMs ?? PATIENCE_MS, signal);
    if (linted !== undefined) return linted;
    unanswered.add(absolute);
    throw starting();
  };

  const problems = async (absolutes: readonly string[], signal: AbortSignal): Promise<readonly LintProblem[]> => {
    const found: LintProblem[] = [];
    const real = await Promise.all(roots.map((root) => realpath(root).catch(() => root))); // not there: holds nothing
    for (const absolute of absolutes.filter(canLint)) {
      const root = real.find((each) => isWithin(each, absolute)) ?? path.dirname(absolute);
      const [linted] = await look(root, absolute, signal);
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
        const own = found.filter((problem) => problem.absolute === absolute);
        seen.set(
          absolute,
          own.map(({ message }) => message),
        );
      }
      return fresh;
    },
  };
}

function starting(): AppError {
  return new AppError("unavailable", "the language service is starting; read_lints waits for it", { retryable: true });
}

/** What comes in time; undefined when nothing does. */
async function firstOf<T>(work: Promise<T>, patienceMs: number, signal: AbortSignal): Promise<T | undefined> {
  const stop = new AbortController();
  try {
    return await Promise.race([work, sleep(patienceMs, AbortSignal.any([signal, stop.signal])).then(() => undefined)]);
  } finally {
    stop.abort();
  }
}
