import path from "node:path";
import type { WorkspaceDeps } from "../workspace/workspace-deps.ts";
import { analyseFile } from "./analyse-file.ts";
import { CodeIndexes } from "./code-indexes.ts";
import type { CodeTools, FindKnowledge } from "./code-port.ts";
import { createCodeThread, createInlineThread, type CodeThread } from "./create-code-thread.ts";
import { createGit } from "./git.ts";
import { createLints } from "./lints/create-lints.ts";
import { createPythonService } from "./python/python-service.ts";
import type { Scan } from "./scanned-file.ts";
import { scanWorkspace } from "./scan-workspace.ts";
import type { CodeEmbedder } from "./vector-file.ts";

/** What may differ from machine to machine. */
export interface CodeToolsOptions {
  /** The directories that tools may work in. */
  readonly roots: readonly string[];
  /** Where indexes are kept, outside of every workspace. */
  readonly directory: string;
  readonly embedder?: CodeEmbedder;
  readonly findKnowledge?: FindKnowledge;
  readonly gitTimeoutMs?: number;
  /** The bundled `code-thread.ts`. Absent, code is read and compiled in this thread. */
  readonly threadEntry?: URL;
}

/** What reading files may take of memory in its thread, and what the TypeScript service may. */
const READING_MEGABYTES = 512;
const TYPESCRIPT_MEGABYTES = 1_536;

/** Puts the parts together. */
export function createCodeTools(
  deps: Pick<WorkspaceDeps, "ripgrep" | "protectedPaths">,
  options: CodeToolsOptions,
): CodeTools {
  const { embedder, findKnowledge, gitTimeoutMs, threadEntry } = options;
  const threadOf = (maxMegabytes: number): CodeThread =>
    threadEntry === undefined ? createInlineThread() : createCodeThread(threadEntry, { maxMegabytes });
  const [reading, typescript] = [threadOf(READING_MEGABYTES), threadOf(TYPESCRIPT_MEGABYTES)];
  const scan = (root: string, signal: AbortSignal): Promise<Scan> => scanWorkspace(deps, root, signal);
  const stop = new AbortController();
  const indexes = new CodeIndexes(
    {
      scan,
      analyse: (relative, text) =>
        reading.run({ kind: "analyse", relative, text }, stop.signal).catch((error: unknown) => {
          if (stop.signal.aborted) throw error;
          return analyseFile(relative, text, { isPlain: true }); // a file that breaks its grammar is read by its lines
        }),
      ...(embedder === undefined ? {} : { embedder }),
    },
    path.join(options.directory, "code-index"),
  );
  const python = createPythonService(scan);
  return {
    indexes,
    git: createGit(gitTimeoutMs === undefined ? {} : { timeoutMs: gitTimeoutMs }),
    typescript,
    python,
    lints: createLints({ typescript, python }, options.roots),
    ...(findKnowledge === undefined ? {} : { findKnowledge }),
    close: async () => {
      stop.abort();
      await Promise.all([reading.close(), typescript.close(), python.close()]);
      await indexes.close();
    },
  };
}
