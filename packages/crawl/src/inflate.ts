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
