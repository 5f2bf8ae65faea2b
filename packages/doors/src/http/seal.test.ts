import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { openSealed, seal } from "./seal.ts";

it("opens only with the secret and the salt it was closed with, and only unchanged", () => {
  const salt = randomBytes(32);
  const plain = Buffer.from('{"key":"qry_secret"}');
  const sealed = seal(plain, "mine", salt);
  expect(sealed.includes("qry_secret")).toBe(false);
  expect(openSealed(sealed, "mine", salt)).toEqual(plain);
  expect(openSealed(sealed, "yours", salt)).toBeUndefined();
  expect(openSealed(sealed, "mine", randomBytes(32))).toBeUndefined();
  const changed = Buffer.from(sealed);
  changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
  expect(openSealed(changed, "mine", salt)).toBeUndefined();
  expect(openSealed(Buffer.from("short"), "mine", salt)).toBeUndefined();
});
