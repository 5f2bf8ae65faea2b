import type { LintProblem } from "../../workspace/lint-problem.ts";
import type { Scan } from "../scanned-file.ts";
import { startPyright, type Pyright, type PythonPlace } from "./pyright.ts";

/** Answers about Python files; a language server is started with the first question about a directory. */
export interface PythonService {
  readonly definitions: (
    root: string,
    file: { readonly absolute: string; readonly text: string },
    places: readonly { readonly line: number; readonly column: number }[],
    signal: AbortSignal,
  ) => Promise<readonly PythonPlace[]>;
  readonly problems: (
    root: string,
    files: readonly { readonly absolute: string; readonly text: string }[],
    signal: AbortSignal,
  ) => Promise<readonly LintProblem[]>;
  readonly close: () => Promise<void>;
}

/** A server that nobody asked for so long ends. */
const IDLE_MS = 5 * 60_000;
/** The most servers at once: each takes some 200 MB. */
const MAX_SERVERS = 2;

interface Running {
  readonly server: Promise<Pyright>;
  readonly idle: NodeJS.Timeout;
}

/** Makes one. `scan` lists the files of a directory as they are now. */
export function createPythonService(scan: (root: string, signal: AbortSignal) => Promise<Scan>): PythonService {
  const running = new Map<string, Running>();

  const stop = async (root: string): Promise<void> => {
    const found = running.get(root);
    running.delete(root);
    clearTimeout(found?.idle);
    await (await found?.server.catch(() => undefined))?.close(); // one that did not start needs no end
  };
  const open = async (root: string): Promise<Pyright> => {
    let found = running.get(root);
    if (found === undefined) {
      const [oldest] = running.keys();
      if (running.size >= MAX_SERVERS && oldest !== undefined) await stop(oldest);
      const server = startPyright(root);
      found = { server, idle: setTimeout(() => void stop(root), IDLE_MS).unref() };
      running.set(root, found);
      const forget = (): void => {
        if (running.get(root)?.server === server) running.delete(root);
      };
      server.then(({ ended }) => ended.then(forget), forget);
    }
    found.idle.refresh();
    return found.server;
  };
  /** The server knows of every file that changed since it was last asked. */
  const ask = async (root: string, signal: AbortSignal): Promise<Pyright> => {
    const { files } = await scan(root, signal);
    const server = await open(root);
    await server.follow(files);
    return server;
  };

  return {
    definitions: async (root, file, places, signal) => (await ask(root, signal)).definitions(file, places, signal),
    problems: async (root, files, signal) => {
      if (files.length === 0) return [];
      const server = await ask(root, signal);
      const found: LintProblem[] = [];
      for (const file of files) found.push(...(await server.problems(file, signal)));
      return found;
    },
    close: async () => {
      await Promise.all([...running.keys()].map(stop));
    },
  };
}
