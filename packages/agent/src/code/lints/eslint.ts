import { execFile } from "node:child_process";
import { access } from "node:fs/promises";
import path from "node:path";
import { AppError } from "@quarry/base";
import type { LintProblem } from "../../workspace/lint-problem.ts";

/** The ESLint of a workspace: its program, and the directory of its configuration. */
export interface WorkspaceEslint {
  readonly program: string;
  readonly directory: string;
}

const CONFIGS = ["js", "mjs", "cjs", "ts", "mts", "cts"].map((ending) => `eslint.config.${ending}`);
const TIMEOUT_MS = 60_000;
const MAX_BYTES = 32 * 1024 * 1024;

/** The ESLint for a file: the nearest configuration above it and the program installed there, both within the root. */
export async function findEslint(root: string, file: string): Promise<WorkspaceEslint | undefined> {
  let directory: string | undefined;
  for (let at = path.dirname(file); ; at = path.dirname(at)) {
    if (directory === undefined) {
      const there = await Promise.all(CONFIGS.map((name) => exists(path.join(at, name))));
      if (there.includes(true)) directory = at;
    }
    const program = path.join(at, "node_modules", "eslint", "bin", "eslint.js");
    if (directory !== undefined && (await exists(program))) return { program, directory };
    if (at === root || at === path.dirname(at)) return undefined;
  }
}

/**
 * What a workspace's ESLint says of a file. Its configuration and its plug-ins are code of the workspace: run it only
 * where that was allowed. It gets a process of its own and nothing of our environment, which holds secrets. Throws
 * `unprocessable` with its words when it fails.
 */
export async function lintByEslint(
  eslint: WorkspaceEslint,
  file: string,
  signal: AbortSignal,
): Promise<readonly LintProblem[]> {
  const results = await run(eslint, [file], signal);
  return results.flatMap(({ filePath, messages }) => messages.map((message) => toProblem(filePath, message)));
}

/** A file's text with what a workspace's ESLint can mend mended; undefined when it can mend nothing. As above. */
export async function mendByEslint(
  eslint: WorkspaceEslint,
  file: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const [result] = await run(eslint, ["--fix-dry-run", file], signal);
  return result?.output;
}

interface EslintMessage {
  readonly ruleId: string | null;
  readonly severity: number;
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
  readonly endLine?: number;
  readonly endColumn?: number;
  readonly fix?: unknown;
}

interface EslintResult {
  readonly filePath: string;
  readonly messages: readonly EslintMessage[];
  readonly output?: string;
}

function run(
  { program, directory }: WorkspaceEslint,
  args: readonly string[],
  signal: AbortSignal,
): Promise<readonly EslintResult[]> {
  const late = AbortSignal.timeout(TIMEOUT_MS);
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [program, "--format=json", "--no-color", "--no-warn-ignored", ...args],
      {
        cwd: directory,
        encoding: "utf8",
        maxBuffer: MAX_BYTES,
        signal: AbortSignal.any([signal, late]),
        killSignal: "SIGKILL",
        env: { PATH: path.dirname(process.execPath), NO_COLOR: "1" },
      },
      (error, output, said) => {
        // Problems make it end with 1; that is no failure.
        if (error === null || error.code === 1) resolve(JSON.parse(output) as EslintResult[]);
        else if (signal.aborted) reject(signal.reason as Error);
        else if (late.aborted) reject(new AppError("timeout", `ESLint took longer than ${TIMEOUT_MS / 1_000} s`));
        else reject(new AppError("unprocessable", `ESLint failed: ${firstWords(said || output)}`, { cause: error }));
      },
    );
  });
}

function firstWords(text: string): string {
  const line = text.split("\n").find((one) => /\w/.test(one) && !/^Oops|^ESLint:/.test(one.trim()));
  return (line ?? "it said nothing").trim().slice(0, 300);
}

function toProblem(absolute: string, message: EslintMessage): LintProblem {
  const { line = 1, column = 1, endLine = line, endColumn = column, ruleId } = message;
  return {
    absolute,
    startLine: line,
    startColumn: column,
    endLine,
    endColumn,
    message: message.message,
    source: "eslint",
    severity: message.severity === 2 ? "error" : "warning",
    ...(ruleId === null ? {} : { code: ruleId }),
    ...(message.fix === undefined ? {} : { isFixable: true }),
  };
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false, // looked for further up
  );
}
