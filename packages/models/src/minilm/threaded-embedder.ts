import { ThreadPool } from "@quarry/base";
import type { Embedder } from "../embedder.ts";
import { MINILM } from "./model-files.ts";

/** Texts handed to a thread at once: enough to make the hop cheap, few enough to keep all threads busy. */
const TEXTS_PER_TASK = 8;

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
      signal?.throwIfAborted();
      const tasks: Promise<readonly Float32Array[]>[] = [];
      for (let start = 0; start < texts.length; start += TEXTS_PER_TASK) {
        tasks.push(embedOnThread(pool, texts.slice(start, start + TEXTS_PER_TASK)));
      }
      const vectors = (await Promise.all(tasks)).flat();
      signal?.throwIfAborted();
      return vectors;
    },
    close: () => pool.close(),
  };
}

/** Without the caller's signal: a thread that is ended in the middle of an inference takes the process with it. */
async function embedOnThread(pool: ThreadPool, texts: readonly string[]): Promise<readonly Float32Array[]> {
  const all = (await pool.run(texts, { timeoutMs: TASK_TIMEOUT_MS })) as Float32Array;
  return texts.map((_, index) => all.slice(index * MINILM.dimensions, (index + 1) * MINILM.dimensions));
}
