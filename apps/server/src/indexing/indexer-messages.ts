import type { DatabaseAddress } from "@quarry/store";
import type { EmbedEndpoint } from "../open-embedder.ts";

/** Where the index lies and how it is reached. */
export interface IndexPlace {
  /** A directory, or an address of object storage or a cluster. */
  readonly url: string;
  /** For object storage: keys, region, endpoint. */
  readonly storageOptions: Readonly<Record<string, string>>;
}

/** What the indexing process is told at its start. */
export interface IndexerSettings {
  readonly database: DatabaseAddress;
  readonly index: IndexPlace;
  /** The bundled embedding thread, as a URL. */
  readonly embedThread: string;
  readonly embeddingThreads: number;
  /** Makes the vectors instead of the threads, when the operator set one. */
  readonly embedEndpoint: EmbedEndpoint | undefined;
}

/** What the server tells the indexing process. */
export type ToIndexer =
  | { readonly kind: "start"; readonly settings: IndexerSettings }
  /** Finish what runs, close, leave. */
  | { readonly kind: "stop" };

/**
 * What the indexing process does. `waiting`: another process writes the index, this one takes over when it dies.
 * `opening`: the index is being opened. `writing`: the outbox is brought to the index. `refused`: the index cannot be
 * used as it is; `detail` says what to do.
 */
export interface IndexerState {
  readonly phase: "starting" | "waiting" | "opening" | "writing" | "refused";
  readonly detail?: string | undefined;
  /** Since the process started. */
  readonly pagesIndexed: number;
  readonly pagesEmbedded: number;
  /** Passages the model has read; what was known is not counted. */
  readonly passagesEmbedded: number;
  /** What the last comparison with the store found, and mended. */
  readonly differences?: number | undefined;
}

/** What the indexing process tells the server. */
export type FromIndexer =
  /** The index has pages, or vectors, it had not. */
  | { readonly kind: "wrote" }
  | { readonly kind: "state"; readonly state: IndexerState }
  | { readonly kind: "trouble"; readonly where: string; readonly message: string };
