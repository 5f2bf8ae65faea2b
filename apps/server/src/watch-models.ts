import { AppError, sleep } from "@quarry/base";
import type { HealthComponent } from "@quarry/contract";
import type { Embedder } from "@quarry/models";

/** The model that reads queries in this process: loaded in the background, so that a start does not wait for it. */
export interface ModelWatch {
  readonly check: () => HealthComponent;
  /** The vector of one query. Rejects with `unavailable`, to be asked again, while the model is being loaded. */
  readonly embedQuery: (text: string, signal?: AbortSignal) => Promise<Float32Array>;
  /** The vectors of several texts that are no queries. Rejects as `embedQuery` does. */
  readonly embedTexts: (texts: readonly string[], signal: AbortSignal) => Promise<readonly Float32Array[]>;
  /**
   * Returns once the model is there, is known not to come, or has not come for long: work that goes on right after a start should
   * find what it would have found before. Rejects when `signal` aborts.
   */
  readonly settle: (signal?: AbortSignal) => Promise<void>;
  readonly close: () => Promise<void>;
}

const RETRY_AFTER_MS = 1_000;
/** On a busy machine loading takes its time. */
const SETTLED_WITHIN_MS = 120_000;

/** Starts loading the embedder; `check` tells how that went. */
export function watchModels(load: () => Promise<Embedder>): ModelWatch {
  // Loading is how every start goes: nothing is wrong, and search by words works meanwhile.
  let state: HealthComponent = {
    name: "models",
    status: "ok",
    detail: "the embedding model is being loaded; search by words works meanwhile",
  };
  let embedder: Embedder | undefined;
  const began = performance.now();
  const loading = load().then(
    (loaded) => {
      const figures = { dimensions: loaded.dimensions, loadMs: Math.round(performance.now() - began) };
      state = { name: "models", status: "ok", detail: loaded.model, figures };
      embedder = loaded;
    },
    (error: unknown) => {
      state = { name: "models", status: "down", detail: AppError.from(error).message };
    },
  );
  const requireLoaded = (): Embedder => {
    if (embedder !== undefined) return embedder;
    const isLoading = state.status === "ok";
    throw new AppError("unavailable", state.detail ?? "there is no embedding model", {
      retryable: isLoading,
      ...(isLoading ? { retryAfterMs: RETRY_AFTER_MS } : {}),
    });
  };
  return {
    check: () => state,
    settle: async (signal) => {
      const done = new AbortController();
      const either = signal === undefined ? done.signal : AbortSignal.any([signal, done.signal]);
      try {
        await Promise.race([loading, sleep(SETTLED_WITHIN_MS, either)]);
      } finally {
        done.abort();
      }
    },
    embedTexts: async (texts, signal) => requireLoaded().embed(texts, signal),
    embedQuery: async (text, signal) => {
      const [vector] = await requireLoaded().embed([text], signal);
      if (vector === undefined) throw new AppError("internal", "the embedding model gave no vector");
      return vector;
    },
    close: async () => {
      await loading;
      await embedder?.close();
    },
  };
}
