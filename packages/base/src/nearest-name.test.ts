import { expect, it } from "vitest";
import { editDistance, nearestName } from "./nearest-name.ts";

it.each([
  ["", "", 0],
  ["port", "port", 0],
  ["", "port", 4],
  ["port", "", 4],
  ["prot", "port", 1],
  ["pot", "port", 1],
  ["portt", "port", 1],
  ["kitten", "sitting", 3],
  ["ca", "abc", 3],
])("counts the edits from %j to %j", (from, to, distance) => {
  expect(editDistance(from, to)).toBe(distance);
});

it("takes the first of equals, whatever the case, and nothing from nothing", () => {
  expect(nearestName("PORT", ["host", "port", "Port"])).toBe("port");
  expect(nearestName("port", [])).toBeUndefined();
});
