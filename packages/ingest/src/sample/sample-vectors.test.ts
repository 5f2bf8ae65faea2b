import { describe, expect, it } from "vitest";
import { packSampleVectors, unpackSampleVectors } from "./sample-vectors.ts";

const hash = Buffer.alloc(32, 7);

/** A unit vector of 384 numbers, another for each seed. */
function unitVector(seed: number): Float32Array {
  const vector = Float32Array.from({ length: 384 }, (_, index) => Math.sin(seed * 97 + index * index));
  const length = Math.hypot(...vector);
  return vector.map((number) => number / length);
}

describe("the sample's vectors", () => {
  it("come back with their hashes, at an angle of less than half a degree", () => {
    const entries = Array.from({ length: 20 }, (_, seed) => ({ hash, vector: unitVector(seed + 1) }));
    const read = unpackSampleVectors(packSampleVectors({ model: "m/1", entries }));
    expect([read.model, read.entries.length]).toEqual(["m/1", 20]);
    for (const [index, { hash: readHash, vector }] of read.entries.entries()) {
      expect(Buffer.from(readHash).equals(hash)).toBe(true);
      const cosine = vector.reduce((sum, number, place) => sum + number * (entries[index]?.vector[place] ?? 0), 0);
      expect(cosine).toBeGreaterThan(Math.cos(Math.PI / 360));
      expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
    }
  });

  it("may be none, or all zeros", () => {
    expect(unpackSampleVectors(packSampleVectors({ model: "m/1", entries: [] })).entries).toEqual([]);
    const zeros = { hash, vector: new Float32Array(3) };
    expect(unpackSampleVectors(packSampleVectors({ model: "m/1", entries: [zeros] })).entries[0]?.vector).toEqual(
      new Float32Array(3),
    );
  });

  it.each([
    ["nothing", Buffer.alloc(0)],
    ["another file", Buffer.from("PK\x03\x04 something else\nentirely")],
    [
      "a file cut short",
      packSampleVectors({ model: "m/1", entries: [{ hash, vector: unitVector(1) }] }).subarray(0, -1),
    ],
    ["another format", Buffer.from('{"format":2,"model":"m","dimensions":1,"count":0}\n')],
  ])("are refused as damaged when they are %s", (_, packed) => {
    expect(() => unpackSampleVectors(packed)).toThrow("QUARRY_SAMPLE=0");
  });
});
