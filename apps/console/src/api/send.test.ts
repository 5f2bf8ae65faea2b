import { expect, it } from "vitest";
import { messageOf } from "./send.ts";

it.each([
  ["search", { error: "say q", tag: "INVALID_REQUEST", requestId: "1" }, "say q"],
  ["websets", { statusCode: 400, error: "Bad Request", message: "say q" }, "say q"],
  ["agent", { error: { type: "INVALID_REQUEST", message: "say q" } }, "say q"],
  ["nobody", "<html>", "The server answered 500 without saying why. Its log does."],
])("reads the sentence of an error in the family of %s", (_, body, sentence) => {
  expect(messageOf(body, 500)).toBe(sentence);
});
