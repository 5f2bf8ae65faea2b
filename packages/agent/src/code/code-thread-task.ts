import { analyseFile, type AnalysedFile } from "./analyse-file.ts";
import { runTypescriptTask } from "./typescript/run-typescript-task.ts";
import type { TypescriptAnswers, TypescriptTask } from "./typescript/typescript-task.ts";

/** What is done beside the main thread: reading a file for the index, or a question to the TypeScript service. */
export type CodeTask = { readonly kind: "analyse"; readonly relative: string; readonly text: string } | TypescriptTask;

/** What each task gives. */
export interface CodeAnswers extends TypescriptAnswers {
  readonly analyse: AnalysedFile;
}

/** Runs a task; in a thread by code-thread.ts, or in this one where there is none. */
export async function runCodeTask(task: CodeTask): Promise<CodeAnswers[CodeTask["kind"]]> {
  return task.kind === "analyse" ? analyseFile(task.relative, task.text) : runTypescriptTask(task);
}
