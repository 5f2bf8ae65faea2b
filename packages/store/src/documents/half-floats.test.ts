import { describe, expect, it } from "vitest";
import { packHalfFloats, unpackHalfFloats } from "./half-floats.ts";

const roundTrip = (...numbers: number[]): number[] => [...unpackHalfFloats(packHalfFloats(new Float32Array(numbers)))];

describe("numbers in 16 bits", () => {
  it("come back exactly where 16 bits suffice", () => {
    const numbers = [0, 1, -1, 0.5, -0.25, 1.5, 2 ** -14, 2 ** -24, 65_504, -2_048];
    expect(roundTrip(...numbers)).toEqual(numbers);
  });

  it("are rounded to the nearest, up to the largest", () => {
    expect(roundTrip(1 + 2 ** -11, 1 + 3 * 2 ** -11, 1e6, 1e-9)).toEqual([1, 1 + 2 ** -9, 65_504, 0]);
  });

  it("err by at most a two-thousandth", () => {
    for (let number = 0.000_1; number < 2; number *= 1.017) {
      const [read = 0] = roundTrip(-number);
      expect(Math.abs(read + number) / number).toBeLessThan(1 / 2_000);
    }
  });
});
