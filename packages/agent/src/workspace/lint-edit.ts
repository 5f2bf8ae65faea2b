import type { JsonObject } from "@bufbuild/protobuf";
import { AppError } from "@quarry/base";
import type { ToolContext } from "../tool.ts";
import type { EditDeps } from "./edit-target.ts";
import type { LintProblem, LintSeverity } from "./lint-problem.ts";

/** What linters say of an edit. */
export interface EditLints {
  readonly newProblems: readonly LintProblem[];
  /** It solved all that earlier edits of the session had brought into the file. */
  readonly solvedAll: boolean;
  readonly wasRun: boolean;
}

/** Nobody looked. */
export const NO_LINTS: EditLints = { newProblems: [], solvedAll: false, wasRun: false };

/**
 * Does an edit of a file between two looks of the linters, and tells what came with it. An edit is never undone or
 * failed by a linter that breaks: what it said is told as one more problem.
 */
export async function lintEdit<T>(
  deps: Pick<EditDeps, "lints" | "sessionFiles">,
  context: ToolContext,
  edit: { readonly absolute: string; readonly language: string; readonly write: () => Promise<T> },
): Promise<{ readonly written: T; readonly lints: EditLints }> {
  const { lints } = deps;
  const { absolute } = edit;
  if (lints === undefined) return { written: await edit.write(), lints: NO_LINTS };
  const languages = new Map([[absolute, edit.language]]);
  const all = lints.problems?.bind(lints);
  const look = all ?? lints.newProblems.bind(lints);
  const ask = async (): Promise<readonly LintProblem[]> => {
    try {
      return await look([absolute], context.signal, languages);
    } catch (error) {
      context.signal.throwIfAborted();
      return [failedLint(absolute, error)];
    }
  };
  const before = await ask();
  const written = await edit.write();
  const after = await ask();
  const newProblems = all === undefined ? after : without(after, before.map(keyOf));
  const { id } = context.session;
  const open = (await deps.sessionFiles.of(id, absolute)).problems ?? [];
  const now = new Set(after.map(keyOf));
  const left = open.filter((key) => now.has(key));
  await deps.sessionFiles.note(id, absolute, { problems: [...left, ...newProblems.map(keyOf)] });
  const solvedAll = all !== undefined && open.length > 0 && left.length === 0 && newProblems.length === 0;
  return { written, lints: { newProblems, solvedAll, wasRun: true } };
}

/** A problem as aiserver.v1 LinterError. */
export function toLinterError(problem: LintProblem): JsonObject {
  return {
    message: problem.message,
    range: {
      startPosition: { line: problem.startLine, column: problem.startColumn },
      endPosition: { line: problem.endLine, column: problem.endColumn },
    },
    source: problem.source,
    severity: SEVERITIES[problem.severity],
  };
}

const SEVERITIES: Readonly<Record<LintSeverity, string>> = {
  error: "DIAGNOSTIC_SEVERITY_ERROR",
  warning: "DIAGNOSTIC_SEVERITY_WARNING",
  info: "DIAGNOSTIC_SEVERITY_INFORMATION",
  hint: "DIAGNOSTIC_SEVERITY_HINT",
};

/** A problem wherever it stands: lines move with every edit. */
function keyOf({ source, code = "", message }: LintProblem): string {
  return `${source} ${code} ${message}`;
}

function without(problems: readonly LintProblem[], keys: readonly string[]): readonly LintProblem[] {
  const left = [...keys];
  return problems.filter((problem) => {
    const at = left.indexOf(keyOf(problem));
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
}

function failedLint(absolute: string, error: unknown): LintProblem {
  const message = `the problems of the file could not be found: ${AppError.from(error).message}`;
  const at = { startLine: 1, startColumn: 1, endLine: 1, endColumn: 1 };
  return { absolute, ...at, message, source: "quarry", severity: "info" };
}
