import fc from "fast-check";
import { expect, it } from "vitest";
import { packOffsets, unpackOffsets } from "./pack-offsets.ts";

it("gives back any map", () => {
  const run = fc.array(fc.nat({ max: 2 ** 40 }), { minLength: 4, maxLength: 4 });
  fc.assert(
    fc.property(fc.array(run), (runs) => {
      expect(unpackOffsets(packOffsets(runs.flat()))).toEqual(runs.flat());
    }),
  );
});

it("takes about four bytes a run of a usual page", () => {
  const runs = Array.from({ length: 1_000 }, (_, index) => [index * 50, 49, index * 60 + 3, 49]).flat();
  expect(packOffsets(runs).length).toBeLessThan(5_000);
});
