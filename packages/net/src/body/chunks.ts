/** A body, or a part of the way from the wire to the reader. */
export type Chunks = AsyncIterable<Uint8Array>;
