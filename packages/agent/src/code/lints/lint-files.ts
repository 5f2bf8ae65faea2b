import { readFile } from "node:fs/promises";
import { AppError } from "@quarry/base";
import type { LintProblem } from "../../workspace/lint-problem.ts";
import { isMissing } from "../../workspace/resolve-path.ts";
import { contentIdOf, decodeText } from "../../workspace/text-file.ts";
import type { CodeThread } from "../create-code-thread.ts";
import { languageOf } from "../languages.ts";
import type { PythonService } from "../python/python-service.ts";
import { findEslint, lintByEslint } from "./eslint.ts";

/** What linters say of a file, and of which text. */
export interface LintedFile {
  readonly absolute: string;
  readonly text: string;
  readonly problems: readonly LintProblem[];
  /** Set when the file changed while it was looked at: then the problems are of an earlier text. */
  readonly isStale: boolean;
}

/** What linting needs. */
export interface LintDeps {
  readonly typescript: CodeThread;
  readonly python: PythonService;
}

/** How often a file that changes under the linters is looked at again. */
const TRIES = 3;

/**
 * The problems of files as they are now, by the TypeScript service, by pyright, and where `isTrusted` by the
 * workspace's own ESLint. A linter that fails is told as one more problem. Files that are not there are left out.
 */
export async function lintFiles(
  deps: LintDeps,
  asked: { readonly root: string; readonly absolutes: readonly string[]; readonly isTrusted: boolean },
  signal: AbortSignal,
): Promise<readonly LintedFile[]> {
  let [wanted, done] = [asked.absolutes, [] as readonly LintedFile[]];
  for (let tries = 1; ; tries += 1) {
    const before = await readAll(wanted);
    const problems = await findProblems(deps, { ...asked, files: before }, signal);
    const after = new Map((await readAll(wanted)).map((file) => [file.absolute, file.contentId]));
    const linted = before.map(({ absolute, text, contentId }) => ({
      absolute,
      text,
      problems: problems.filter((problem) => problem.absolute === absolute),
      isStale: after.get(absolute) !== contentId,
    }));
    const isLast = tries === TRIES;
    done = [...done, ...linted.filter(({ isStale }) => isLast || !isStale)];
    wanted = linted.filter(({ isStale }) => isStale).map(({ absolute }) => absolute);
    if (isLast || wanted.length === 0) break;
  }
  const byPath = new Map(done.map((file) => [file.absolute, file]));
  return asked.absolutes.flatMap((absolute) => byPath.get(absolute) ?? []);
}

interface ReadText {
  readonly absolute: string;
  readonly text: string;
  readonly contentId: string;
}

async function readAll(absolutes: readonly string[]): Promise<readonly ReadText[]> {
  const read = await Promise.all(
    absolutes.map(async (absolute) => {
      const bytes = await readFile(absolute).catch((error: unknown) => {
        if (isMissing(error)) return undefined;
        throw error;
      });
      const text = bytes === undefined ? undefined : decodeText(bytes)?.text;
      return bytes === undefined || text === undefined ? [] : [{ absolute, text, contentId: contentIdOf(bytes) }];
    }),
  );
  return read.flat();
}

async function findProblems(
  deps: LintDeps,
  asked: { readonly root: string; readonly files: readonly ReadText[]; readonly isTrusted: boolean },
  signal: AbortSignal,
): Promise<readonly LintProblem[]> {
  const { root, isTrusted } = asked;
  const scripts = asked.files.filter(({ absolute }) => isScript(absolute));
  const python = asked.files.filter(({ absolute }) => languageOf(absolute) === "python");
  const names = scripts.map(({ absolute }) => absolute);
  const found = await Promise.all([
    names.length === 0
      ? []
      : orTold("typescript", names, signal, () =>
          deps.typescript.run({ kind: "problems", root, files: names }, signal),
        ),
    python.length === 0
      ? []
      : orTold("pyright", [python[0]?.absolute ?? ""], signal, () => deps.python.problems(root, python, signal)),
    isTrusted && names.length > 0 ? orTold("eslint", names, signal, () => askEslint(root, names, signal)) : [],
  ]);
  return found.flat();
}

async function askEslint(
  root: string,
  absolutes: readonly string[],
  signal: AbortSignal,
): Promise<readonly LintProblem[]> {
  const problems: LintProblem[] = [];
  for (const absolute of absolutes) {
    const eslint = await findEslint(root, absolute);
    if (eslint === undefined) continue;
    problems.push(...(await lintByEslint(eslint, absolute, signal)));
  }
  return problems;
}

/** Whether TypeScript's service and ESLint know a file. */
export function isScript(file: string): boolean {
  const language = languageOf(file);
  return language === "typescript" || language === "tsx" || language === "javascript";
}

/** Whether anything here can lint a file. */
export function canLint(file: string): boolean {
  return isScript(file) || languageOf(file) === "python";
}

async function orTold(
  source: string,
  absolutes: readonly string[],
  signal: AbortSignal,
  look: () => Promise<readonly LintProblem[]>,
): Promise<readonly LintProblem[]> {
  try {
    return await look();
  } catch (error) {
    signal.throwIfAborted();
    const { message } = AppError.from(error);
    const at = { startLine: 1, startColumn: 1, endLine: 1, endColumn: 1 };
    return absolutes.slice(0, 1).map((absolute) => ({
      absolute,
      ...at,
      message: `${source} did not look: ${message}`,
      source,
      severity: "info",
    }));
  }
}
