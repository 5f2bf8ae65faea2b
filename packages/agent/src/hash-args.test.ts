import { createHash } from "node:crypto";
import type { JsonObject } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { hashArgs } from "./hash-args.ts";

it("hashes arguments however they are ordered, and apart for each tool", () => {
  expect(hashArgs("a", { x: 1, y: { b: 1, a: [1, 2] } })).toBe(hashArgs("a", { y: { a: [1, 2], b: 1 }, x: 1 }));
  expect(hashArgs("a", { x: 1 })).not.toBe(hashArgs("b", { x: 1 }));
  expect(hashArgs("a", { x: [1, 2] })).not.toBe(hashArgs("a", { x: [2, 1] }));
});

it.each<[JsonObject, string]>([
  [{}, '["a",{}]'],
  [{ c: 3, a: 1, b: 2 }, '["a",{"a":1,"b":2,"c":3}]'],
  [{ b: { d: [], c: {} }, a: null }, '["a",{"a":null,"b":{"c":{},"d":[]}}]'],
  [{ x: [1, "2", true, null, [3], { z: 1, y: 2 }] }, '["a",{"x":[1,"2",true,null,[3],{"y":2,"z":1}]}]'],
  [{ 'quote"': "of\ntwo lines" }, '["a",{"quote\\"":"of\\ntwo lines"}]'],
])("of %j is the SHA-256 of its JSON in order, so that a grant outlives an update", (args, canonical) => {
  expect(hashArgs("a", args)).toBe(createHash("sha256").update(canonical).digest("hex"));
});
