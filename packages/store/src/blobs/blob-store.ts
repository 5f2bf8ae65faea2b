/**
 * Where bytes lie that are too large for rows: snapshots, uploads, exports. Keys are paths of
 * `[a-z0-9._-]` parts. A blob is whole or absent, never half-written, also after a crash.
 */
export interface BlobStore {
  /** Keeps `bytes` under `key`; writing the same key again replaces it. */
  readonly put: (key: string, bytes: Uint8Array) => Promise<void>;
  /** The bytes, or undefined when there is no such blob. */
  readonly get: (key: string) => Promise<Uint8Array | undefined>;
  readonly has: (key: string) => Promise<boolean>;
  /** Takes a blob away; no error when it was not there. */
  readonly delete: (key: string) => Promise<void>;
  /** Every key below `prefix`, in no order. */
  readonly list: (prefix: string) => AsyncIterable<string>;
}
