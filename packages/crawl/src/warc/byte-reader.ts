/** Reads a stream by lines and lengths, holding no more of it than was asked for. */
export interface ByteReader {
  /** The next line without its end, in Latin-1 so that no byte is lost; cut at `maxBytes`, the rest of it passed over. */
  readonly line: (maxBytes: number) => Promise<string | undefined>;
  /** The next `length` bytes, of which the first `keep` are given; `missing` when the stream ends before. */
  readonly take: (length: number, keep: number) => Promise<{ readonly bytes: Uint8Array; readonly missing: number }>;
  /** How many bytes have been read. */
  readonly position: () => number;
  /** Stops the stream. */
  readonly close: () => Promise<void>;
}

const LINE_FEED = 0x0a;

export function createByteReader(source: AsyncIterable<Uint8Array>): ByteReader {
  const iterator = source[Symbol.asyncIterator]();
  let chunk: Buffer = Buffer.alloc(0);
  let position = 0;

  /** Whether there is a byte to read. */
  const fill = async (): Promise<boolean> => {
    while (chunk.byteLength === 0) {
      const next = await iterator.next();
      if (next.done === true) return false;
      chunk = Buffer.from(next.value.buffer, next.value.byteOffset, next.value.byteLength);
    }
    return true;
  };
  const consume = (count: number): Buffer => {
    const taken = chunk.subarray(0, count);
    chunk = chunk.subarray(count);
    position += taken.byteLength;
    return taken;
  };

  return {
    line: async (maxBytes) => {
      let text = "";
      let isEnded = false;
      let isEmpty = true;
      while (!isEnded && (await fill())) {
        isEmpty = false;
        const end = chunk.indexOf(LINE_FEED);
        isEnded = end !== -1;
        const part = consume(isEnded ? end + 1 : chunk.byteLength);
        if (text.length < maxBytes)
          text += part.toString("latin1", 0, Math.min(part.byteLength, maxBytes - text.length + 2));
      }
      return isEmpty ? undefined : text.replace(/\r?\n$/, "").slice(0, maxBytes);
    },
    take: async (length, keep) => {
      const kept: Buffer[] = [];
      let [left, room] = [length, keep];
      while (left > 0 && (await fill())) {
        const part = consume(Math.min(left, chunk.byteLength));
        left -= part.byteLength;
        if (room > 0) kept.push(part.subarray(0, room));
        room -= part.byteLength;
      }
      return { bytes: Buffer.concat(kept), missing: left };
    },
    position: () => position,
    close: async () => {
      await iterator.return?.();
    },
  };
}
