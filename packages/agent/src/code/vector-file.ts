import { createHash } from "node:crypto";
import { appendFile, mkdir, readFile, stat, truncate } from "node:fs/promises";
import path from "node:path";
import { isMissing } from "../workspace/resolve-path.ts";

/** Turns texts into vectors of one length. */
export interface CodeEmbedder {
  /** Vectors of two models are never compared. */
  readonly model: string;
  /** One vector of unit length a text, in order. */
  readonly embed: (texts: readonly string[], signal: AbortSignal) => Promise<readonly Float32Array[]>;
}

const KEY_BYTES = 16;
const SCALE_BYTES = 4;
/** The numbers of a vector are kept as whole ones up to this: an eighth of the room, and the order stays. */
const LARGEST = 127;

interface KeptVector {
  readonly scale: number;
  readonly values: Int8Array;
}

/** Vectors by the key of their text, in a file that is only appended to. */
export class VectorFile {
  readonly #file: string;
  readonly #kept = new Map<string, KeptVector>();
  /** How long the file was before an append that failed: what that left behind is cut off before the next. */
  #cutAt: number | undefined;
  /** Appends come one after another. */
  #last: Promise<void> = Promise.resolve();

  private constructor(file: string) {
    this.#file = file;
  }

  /** Opens the vectors that a model made. */
  static async open(directory: string, model: string): Promise<VectorFile> {
    const name = createHash("sha256").update(model).digest("hex").slice(0, 16);
    const vectors = new VectorFile(path.join(directory, `${name}.vectors`));
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const bytes = await readFile(vectors.#file).catch((error: unknown) => {
      if (isMissing(error)) return Buffer.alloc(0);
      throw error;
    });
    // The first four bytes say how long a vector is.
    const dimensions = bytes.length < 4 ? 0 : bytes.readUInt32LE(0);
    const recordBytes = KEY_BYTES + SCALE_BYTES + dimensions;
    for (let at = 4; dimensions > 0 && at + recordBytes <= bytes.length; at += recordBytes) {
      const start = at + KEY_BYTES + SCALE_BYTES;
      vectors.#kept.set(bytes.toString("hex", at, at + KEY_BYTES), {
        scale: bytes.readFloatLE(at + KEY_BYTES),
        values: new Int8Array(bytes.buffer, bytes.byteOffset + start, dimensions),
      });
    }
    // What a dying process left half-written would shift everything after it.
    const torn = dimensions === 0 ? bytes.length : (bytes.length - 4) % recordBytes;
    if (torn > 0) await truncate(vectors.#file, bytes.length - torn);
    return vectors;
  }

  has(key: string): boolean {
    return this.#kept.has(key);
  }

  /** How near the text of a key is to a vector; undefined when it has none yet. */
  nearness(key: string, vector: Float32Array): number | undefined {
    const kept = this.#kept.get(key);
    if (kept?.values.length !== vector.length) return undefined;
    let sum = 0;
    for (let at = 0; at < vector.length; at += 1) sum += (kept.values[at] ?? 0) * (vector[at] ?? 0);
    return sum * kept.scale;
  }

  /** Keeps vectors, in memory and on the disk. */
  async add(vectors: readonly (readonly [key: string, vector: Float32Array])[]): Promise<void> {
    const records = vectors.map(([key, vector]) => {
      const scale = Math.max(1e-9, ...vector.map(Math.abs)) / LARGEST;
      const values = Int8Array.from(vector, (value) => Math.round(value / scale));
      this.#kept.set(key, { scale, values });
      const head = Buffer.alloc(KEY_BYTES + SCALE_BYTES);
      head.write(key, "hex");
      head.writeFloatLE(scale, KEY_BYTES);
      return Buffer.concat([head, Buffer.from(values.buffer)]);
    });
    const [first] = vectors;
    if (first === undefined) return;
    const appended = this.#last.then(() => this.#append(first[1].length, records));
    this.#last = appended.catch(() => undefined); // whoever waits for it is told
    await appended;
  }

  /** A full disk may take a part of the bytes: half a record would shift all that come after it. */
  async #append(dimensions: number, records: readonly Buffer[]): Promise<void> {
    if (this.#cutAt !== undefined && (await sizeOf(this.#file)) > this.#cutAt) await truncate(this.#file, this.#cutAt);
    this.#cutAt = await sizeOf(this.#file);
    const head = Buffer.alloc(4);
    head.writeUInt32LE(dimensions);
    const bytes = Buffer.concat(this.#cutAt === 0 ? [head, ...records] : records);
    await appendFile(this.#file, bytes, { mode: 0o600 });
    this.#cutAt = undefined;
  }
}

async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if (isMissing(error)) return 0;
    throw error;
  }
}
