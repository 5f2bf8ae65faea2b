import { AppError, ThreadPool } from "@quarry/base";
import type { CodeAnswers, CodeTask } from "./code-thread-task.ts";

/** Runs tasks about code. Rejects with `timeout` when one takes too long. */
export interface CodeThread {
  /** Whether it was asked before and still knows what it learnt. */
  readonly isWarm: () => boolean;
  readonly run: <T extends CodeTask>(task: T, signal: AbortSignal) => Promise<CodeAnswers[T["kind"]]>;
  readonly close: () => Promise<void>;
}

/** A thread that nobody asked for so long ends, and gives its memory back. */
const IDLE_MS = 5 * 60_000;
const TIMEOUT_MS = 60_000;

/** A thread that starts with the first task and ends when nobody needs it. `entry` is the bundled `code-thread.ts`. */
export function createCodeThread(entry: URL, options: { readonly maxMegabytes: number }): CodeThread {
  let pool: ThreadPool | undefined;
  let running = 0;
  let isClosed = false;
  const stop = async (): Promise<void> => {
    const ending = pool;
    pool = undefined;
    await ending?.close();
  };
  const idle = setTimeout(() => void (running === 0 ? stop() : idle.refresh()), IDLE_MS).unref();
  return {
    isWarm: () => pool !== undefined,
    run: async (task, signal) => {
      if (isClosed) throw new AppError("unavailable", "the code tools are closed");
      pool ??= new ThreadPool({ entry, threads: 1, resourceLimits: { maxOldGenerationSizeMb: options.maxMegabytes } });
      running += 1;
      try {
        // The thread answers with what code-thread-task.ts says for the task.
        return (await pool.run(task, { timeoutMs: TIMEOUT_MS, signal })) as CodeAnswers[(typeof task)["kind"]];
      } finally {
        running -= 1;
        idle.refresh();
      }
    },
    close: async () => {
      isClosed = true;
      clearTimeout(idle);
      await stop();
    },
  };
}

/** Runs tasks in this thread, where there is no bundle for another: in tests and evaluations. */
export function createInlineThread(): CodeThread {
  let isWarm = false;
  return {
    isWarm: () => isWarm,
    run: async (task) => {
      isWarm = true;
      const { runCodeTask } = await import("./code-thread-task.ts");
      return (await runCodeTask(task)) as CodeAnswers[(typeof task)["kind"]];
    },
    close: () => Promise.resolve(),
  };
}
