/** Turns texts into vectors whose dot product tells how near their meanings are. */
export interface Embedder {
  /** Names model and revision: vectors of two models are never compared. */
  readonly model: string;
  readonly dimensions: number;
  /** One unit-length vector a text, in order. Rejects with the signal's reason when aborted. */
  readonly embed: (texts: readonly string[], signal?: AbortSignal) => Promise<readonly Float32Array[]>;
  readonly close: () => Promise<void>;
}
