import { AppError } from "@quarry/base";
import type { HealthComponent } from "@quarry/contract";
import type { Embedder } from "@quarry/models";

/** The embedded models of this process: loaded in the background, so that a start does not wait for them. */
export interface ModelWatch {
  readonly check: () => HealthComponent;
  readonly close: () => Promise<void>;
}

/** Starts loading the embedder, if one is embedded; `check` tells how that went. */
export function watchModels(load: (() => Promise<Embedder>) | undefined): ModelWatch {
  let state: HealthComponent = { name: "models", status: "ok", detail: "embeddings come from QUARRY_EMBED_URL" };
  if (load === undefined) return { check: () => state, close: () => Promise.resolve() };
  // Loading is how every start goes: nothing is wrong, and search by words works meanwhile.
  state = {
    name: "models",
    status: "ok",
    detail: "the embedded model is being loaded; search by words works meanwhile",
  };
  const began = performance.now();
  const loading = load().then(
    (embedder) => {
      const figures = { dimensions: embedder.dimensions, loadMs: Math.round(performance.now() - began) };
      state = { name: "models", status: "ok", detail: embedder.model, figures };
      return embedder;
    },
    (error: unknown) => {
      state = { name: "models", status: "down", detail: AppError.from(error).message };
      return undefined;
    },
  );
  return { check: () => state, close: async () => (await loading)?.close() };
}
