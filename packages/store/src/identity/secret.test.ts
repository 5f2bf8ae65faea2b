import { expect, it } from "vitest";
import { hashSecret, hintOf, makeSecret } from "./secret.ts";

it("is 24 random bytes behind its prefix", () => {
  expect(makeSecret("qry")).toMatch(/^qry_[0-9a-f]{48}$/);
  expect(makeSecret("session")).toMatch(/^session_[0-9a-f]{48}$/);
  expect(makeSecret("link")).not.toBe(makeSecret("link"));
});

it("is kept as its SHA-256", () => {
  expect(hashSecret("abc").toString("hex")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
});

it.each([
  ["", "…"],
  ["fifteen letters", "…"],
  ["sixteen letters.", "…ers."],
  ["qry_0123456789abcdef", "…cdef"],
])("hints at %j by %j", (secret, hint) => {
  expect(hintOf(secret)).toBe(hint);
});
