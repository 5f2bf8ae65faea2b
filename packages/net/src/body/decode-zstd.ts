import { Decompress } from "fzstd";
import { setImmediate } from "node:timers/promises";
import type { Chunks } from "./chunks.ts";

/** RFC 9659: a zstd body on the web never needs a larger window. */
const MAX_WINDOW_BYTES = 8 * 1024 * 1024;
/** RFC 8878, section 3.1.1.2.4. */
const MAX_BLOCK_BYTES = 128 * 1024;
/**
 * The decoder moves its whole window for every block, so that many tiny blocks
 * under a large window would cost minutes: about a second's worth is allowed.
 */
const MAX_WORK_BYTES = 4 * 1024 * 1024 * 1024;
/** After so much work the other requests get their turn. */
const WORK_SLICE_BYTES = 16 * 1024 * 1024;

/**
 * Decodes zstd. The frames are walked here first (RFC 8878), so that the decoder
 * only ever sees whole blocks of legal size under a legal window: by itself it
 * would give a hostile frame gigabytes of memory.
 */
export async function* decodeZstd(source: Chunks): Chunks {
  const decoded: Uint8Array[] = [];
  const decoder = new Decompress((chunk) => decoded.push(chunk));
  let work = 0;
  let slice = 0;
  for await (const unit of walkFrames(source)) {
    work += unit.workBytes;
    slice += unit.workBytes;
    if (work > MAX_WORK_BYTES) throw new Error("zstd: too many blocks for so large a window");
    if (slice > WORK_SLICE_BYTES) {
      slice = 0;
      await setImmediate();
    }
    decoder.push(unit.bytes);
    yield* decoded.splice(0);
  }
  decoder.push(new Uint8Array(0), true);
  yield* decoded.splice(0);
}

interface Unit {
  readonly bytes: Uint8Array;
  readonly workBytes: number;
}

const FRAME_MAGIC = 0xfd2fb528;
const SKIPPABLE_MAGIC = 0x184d2a50;

/** Frame headers, blocks and checksums, each whole; skippable frames are left out. */
async function* walkFrames(source: Chunks): AsyncIterable<Unit> {
  const iterator = source[Symbol.asyncIterator]();
  try {
    yield* readFrames(createByteReader(iterator));
  } finally {
    await iterator.return?.(); // closes the connection when the reader stops early
  }
}

async function* readFrames(reader: ByteReader): AsyncIterable<Unit> {
  for (let magic = await reader.takeOrEnd(4); magic !== undefined; magic = await reader.takeOrEnd(4)) {
    const number = magic.readUInt32LE(0);
    if ((number & 0xfffffff0) === SKIPPABLE_MAGIC) {
      await reader.skip((await reader.take(4)).readUInt32LE(0));
      continue;
    }
    if (number !== FRAME_MAGIC) throw new Error("zstd: not a frame");
    const header = await readFrameHeader(reader);
    yield { bytes: Buffer.concat([magic, header.bytes]), workBytes: header.windowBytes };
    for (let isLast = false; !isLast;) {
      const head = await reader.take(3);
      const fields = head.readUIntLE(0, 3);
      const size = fields >>> 3;
      if (size > MAX_BLOCK_BYTES) throw new Error("zstd: a block is larger than 128 KiB");
      const isRepeated = ((fields >>> 1) & 3) === 1;
      isLast = (fields & 1) === 1;
      const body = await reader.take(isRepeated ? 1 : size);
      yield { bytes: Buffer.concat([head, body]), workBytes: header.windowBytes };
    }
    if (header.hasChecksum) yield { bytes: await reader.take(4), workBytes: 0 };
  }
}

interface FrameHeader {
  readonly bytes: Buffer;
  readonly windowBytes: number;
  readonly hasChecksum: boolean;
}

async function readFrameHeader(reader: ByteReader): Promise<FrameHeader> {
  const descriptor = await reader.take(1);
  const flags = descriptor.readUInt8(0);
  const isSingleSegment = (flags & 0x20) !== 0;
  if ((flags & 0x03) !== 0) throw new Error("zstd: a dictionary is asked for");
  const sizeBytes = [isSingleSegment ? 1 : 0, 2, 4, 8][flags >>> 6] ?? 0;
  const rest = await reader.take((isSingleSegment ? 0 : 1) + sizeBytes);
  const windowBytes = isSingleSegment ? readContentSize(rest) : readWindow(rest.readUInt8(0));
  if (windowBytes > MAX_WINDOW_BYTES) throw new Error("zstd: the window is larger than 8 MiB");
  return { bytes: Buffer.concat([descriptor, rest]), windowBytes, hasChecksum: (flags & 0x04) !== 0 };
}

function readWindow(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >>> 3));
  return base + (base / 8) * (descriptor & 7);
}

function readContentSize(field: Buffer): number {
  if (field.length === 8) return Number(field.readBigUInt64LE(0));
  return field.readUIntLE(0, field.length) + (field.length === 2 ? 256 : 0);
}

interface ByteReader {
  /** Exactly so many bytes; throws when there are fewer. */
  readonly take: (count: number) => Promise<Buffer>;
  /** The same, but undefined when nothing at all is left. */
  readonly takeOrEnd: (count: number) => Promise<Buffer | undefined>;
  readonly skip: (count: number) => Promise<void>;
}

function createByteReader(iterator: AsyncIterator<Uint8Array>): ByteReader {
  let parts: Uint8Array[] = []; // joined only when enough are there: a body may come byte by byte
  let length = 0;
  const readMore = async (): Promise<boolean> => {
    const next = await iterator.next();
    if (next.done === true) return false;
    parts.push(next.value);
    length += next.value.length;
    return true;
  };
  const cut = (count: number): Buffer => {
    const [only] = parts;
    const whole = only !== undefined && parts.length === 1 ? only : Buffer.concat(parts);
    parts = [whole.subarray(count)];
    length -= count;
    return Buffer.from(whole.buffer, whole.byteOffset, count);
  };
  const takeOrEnd = async (count: number): Promise<Buffer | undefined> => {
    while (length < count) {
      if (await readMore()) continue;
      if (length === 0) return undefined;
      throw new Error("zstd: the data end too soon");
    }
    return cut(count);
  };
  const take = async (count: number): Promise<Buffer> => {
    if (count === 0) return Buffer.alloc(0);
    const taken = await takeOrEnd(count);
    if (taken === undefined) throw new Error("zstd: the data end too soon");
    return taken;
  };
  const skip = async (count: number): Promise<void> => {
    let left = count;
    while (left > 0) {
      if (length === 0 && !(await readMore())) throw new Error("zstd: the data end too soon");
      const skipped = Math.min(left, length);
      cut(skipped);
      left -= skipped;
    }
  };
  return { take, takeOrEnd, skip };
}
