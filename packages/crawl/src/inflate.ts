import { pipeline } from "node:stream";
import { constants, createGunzip } from "node:zlib";

/** Whether bytes begin as gzip does. */
export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/**
 * Unpacks gzip as it comes, any number of members in a row. Rejects when the bytes are no gzip; what ends too early
 * gives all that was there. Whoever stops reading stops the source too; counting what comes out is the caller's.
 */
export async function* gunzipStream(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const gunzip = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH });
  let failure: Error | undefined;
  pipeline(source, gunzip, (error) => {
    failure = error ?? undefined;
  });
  try {
    for await (const chunk of gunzip) yield chunk as Uint8Array;
  } finally {
    gunzip.destroy();
  }
  // A source that broke ends the stream like one that finished.
  if (failure !== undefined) throw failure;
}

/** Whether an error says that bytes are no gzip, or broken gzip. */
export function isUnpackingError(thrown: unknown): thrown is Error {
  return thrown instanceof Error && "code" in thrown && typeof thrown.code === "string" && thrown.code.startsWith("Z_");
}

/** A stream whose first bytes are known. */
export interface PeekedStream {
  /** At least as many as were asked for, unless the stream is shorter. */
  readonly start: Buffer;
  /** The stream from its beginning; whoever stops reading it stops the source. */
  readonly whole: AsyncIterable<Uint8Array>;
  /** Stops the source unread. */
  readonly close: () => Promise<void>;
}

/** Looks at the first `count` bytes of a stream. One that breaks after some bytes breaks when those have been read. */
export async function peekStream(source: AsyncIterable<Uint8Array>, count: number): Promise<PeekedStream> {
  const iterator = source[Symbol.asyncIterator]();
  const close = async (): Promise<void> => {
    await iterator.return?.();
  };
  let start: Buffer = Buffer.alloc(0);
  let failure: { readonly cause: unknown } | undefined;
  let isDone = false;
  while (start.byteLength < count && !isDone) {
    try {
      const next = await iterator.next();
      isDone = next.done === true;
      if (next.done !== true) start = Buffer.concat([start, next.value]);
    } catch (cause) {
      if (start.byteLength === 0) throw cause;
      failure = { cause };
      isDone = true;
    }
  }
  async function* whole(): AsyncGenerator<Uint8Array> {
    try {
      if (start.byteLength > 0) yield start;
      if (failure !== undefined) throw failure.cause;
      for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value;
    } finally {
      await close();
    }
  }
  return { start, whole: whole(), close };
}
