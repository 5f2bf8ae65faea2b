import { AppError } from "@quarry/base";
import type { PassageVector } from "@quarry/store";

/** Vectors of one model by the passages they stand for. */
export interface SampleVectors {
  readonly model: string;
  readonly entries: readonly PassageVector[];
}

const HASH_BYTES = 32;
/** The largest number a byte holds on both sides of 0. */
const STEPS = 127;

/**
 * Packs unit vectors into a byte a number, each stretched so that its largest number fills the byte: a quarter of the
 * room, at an angle of less than half a degree. First a line of JSON, then the hash and the bytes of each.
 */
export function packSampleVectors({ model, entries }: SampleVectors): Buffer {
  const dimensions = entries[0]?.vector.length ?? 0;
  const head = Buffer.from(`${JSON.stringify({ format: 1, model, dimensions, count: entries.length })}\n`);
  const rowBytes = HASH_BYTES + dimensions;
  const rows = Buffer.alloc(rowBytes * entries.length);
  for (const [place, { hash, vector }] of entries.entries()) {
    const start = place * rowBytes;
    const scale = vector.reduce((largest, number) => Math.max(largest, Math.abs(number)), 0) / STEPS;
    rows.set(hash, start);
    for (const [index, number] of vector.entries()) {
      rows.writeInt8(scale === 0 ? 0 : Math.round(number / scale), start + HASH_BYTES + index);
    }
  }
  return Buffer.concat([head, rows]);
}

/** The vectors again, of unit length. Throws `internal` for anything that `packSampleVectors` did not make. */
export function unpackSampleVectors(packed: Buffer): SampleVectors {
  const headEnd = packed.indexOf("\n");
  const head = readHead(packed.subarray(0, Math.max(0, headEnd)).toString("utf8"));
  const rowBytes = HASH_BYTES + head.dimensions;
  const rows = packed.subarray(headEnd + 1);
  if (rows.length !== rowBytes * head.count) throw damaged();
  const entries = Array.from({ length: head.count }, (_, place) => {
    const row = rows.subarray(place * rowBytes, (place + 1) * rowBytes);
    const numbers = new Int8Array(row.buffer, row.byteOffset + HASH_BYTES, head.dimensions);
    return { hash: row.subarray(0, HASH_BYTES), vector: toUnitLength(Float32Array.from(numbers)) };
  });
  return { model: head.model, entries };
}

function readHead(line: string): { readonly model: string; readonly dimensions: number; readonly count: number } {
  try {
    const head = JSON.parse(line) as Record<string, unknown>;
    const { format, model, dimensions, count } = head;
    if (format === 1 && typeof model === "string" && typeof dimensions === "number" && typeof count === "number") {
      return { model, dimensions, count };
    }
  } catch {
    // not JSON: said below, as for JSON of another shape
  }
  throw damaged();
}

function toUnitLength(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, number) => sum + number * number, 0));
  return length === 0 ? vector : vector.map((number) => number / length);
}

function damaged(): AppError {
  return new AppError("internal", "the sample's vectors are damaged: install again, or set QUARRY_SAMPLE=0");
}
