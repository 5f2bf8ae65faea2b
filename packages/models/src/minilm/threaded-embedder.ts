import { ThreadPool } from "@quarry/base";
import type { Embedder } from "../embedder.ts";
import { MINILM } from "./model-files.ts";

/** Texts handed to a thread at once: enough to make the hop cheap, few enough to stop soon. */
const TEXTS_PER_TASK = 32;

/** One task of this many long passages takes about a second; far beyond that, the thread is stuck. */
const TASK_TIMEOUT_MS = 120_000;

/**
 * The embedded model in `threads` worker threads, for passages in bulk. Threads start with the first call.
 * `entry` is the bundled `embed-thread.ts`.
 */
export function createThreadedEmbedder(options: { readonly entry: URL; readonly threads: number }): Embedder {
  const pool = new ThreadPool({ entry: options.entry, threads: options.threads });
  return {
    model: MINILM.model,
    dimensions: MINILM.dimensions,
    embed: async (texts, signal) => {
      const tasks: Promise<readonly Float32Array[]>[] = [];
      for (let start = 0; start < texts.length; start += TEXTS_PER_TASK) {
        tasks.push(embedOnThread(pool, texts.slice(start, start + TEXTS_PER_TASK), signal));
      }
      return (await Promise.all(tasks)).flat();
    },
    close: () => pool.close(),
  };
}

async function embedOnThread(
  pool: ThreadPool,
  texts: readonly string[],
  signal: AbortSignal | undefined,
): Promise<readonly Float32Array[]> {
  const all = (await pool.run(texts, {
    timeoutMs: TASK_TIMEOUT_MS,
    ...(signal === undefined ? {} : { signal }),
  })) as Float32Array;
  return texts.map((_, index) => all.slice(index * MINILM.dimensions, (index + 1) * MINILM.dimensions));
}
