/** How the engine should look for the nearest vectors. */
export type VectorPlan =
  /** Compare with every chunk that passes the filter. */
  | { readonly kind: "exact" }
  /** Look into the partitions nearest to the vector, and read the whole vectors of the best `refineFactor` times as many. */
  | { readonly kind: "probe"; readonly partitions: number; readonly refineFactor: number };

/** What the plan depends on. */
export interface VectorSearchSize {
  /** Chunks in the table. */
  readonly chunks: number;
  /** Those that pass the filter. */
  readonly matching: number;
  /** Of the vector index; 0 when there is none. */
  readonly partitions: number;
  readonly limit: number;
}

/**
 * Keeps recall under filters. A fixed number of partitions misses most of what passes a selective filter, so it grows as
 * the filter lets less through; where reading every chunk that passes is cheaper than that, they are all read.
 */
export function planVectorSearch({ chunks, matching, partitions, limit }: VectorSearchSize): VectorPlan {
  if (partitions === 0) return { kind: "exact" };
  const share = matching / Math.max(1, chunks);
  const unfiltered = Math.max(MIN_PROBES, Math.ceil((partitions * PROBED_CHUNKS) / Math.max(1, chunks)));
  const probes = Math.min(partitions, Math.ceil(unfiltered / Math.max(share, 1e-9)));
  const probeCostUs = (chunks * probes * PROBED_CHUNK_US) / partitions;
  if (matching * READ_CHUNK_US <= probeCostUs + FREE_EXACT_US) return { kind: "exact" };
  const refineFactor = Math.min(MAX_REFINE, Math.max(MIN_REFINE, Math.ceil(MIN_REFINED / limit)));
  return { kind: "probe", partitions: probes, refineFactor };
}

/**
 * How many chunks to ask for so that they are of so many pages, as a rule: the nearest chunks are often of the same
 * pages, the more so the longer pages are, and asking again costs more than asking for more.
 */
export function chunksToAskFor(pages: number, index: { readonly chunks: number; readonly pages: number }): number {
  const average = index.chunks / Math.max(1, index.pages);
  return Math.ceil(pages * Math.min(MAX_CHUNKS_A_PAGE, Math.max(MIN_CHUNKS_A_PAGE, average / 3)));
}

const MIN_CHUNKS_A_PAGE = 2;
const MAX_CHUNKS_A_PAGE = 6;

/** Chunks compared in their short form when nothing is filtered out: 6 ms that bring recall near to 1. */
const PROBED_CHUNKS = 40_000;
/** Partitions looked into at least. */
const MIN_PROBES = 20;
/** Measured: a chunk read at random, and a chunk compared in its short form, in microseconds. */
const READ_CHUNK_US = 13;
const PROBED_CHUNK_US = 0.15;
/** An exact search this cheap is always worth it. */
const FREE_EXACT_US = 5_000;
/** The short form is nearly exact: reading three times as many whole vectors found nothing that once did not. */
const MIN_REFINE = 1;
const MAX_REFINE = 20;
/** At least so many whole vectors are compared. */
const MIN_REFINED = 60;
