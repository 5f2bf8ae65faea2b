import { AppError } from "@quarry/base";
import { verifies } from "@quarry/tests";
import { expect, it } from "vitest";
import { z } from "zod";
import { checkInput } from "./check-input.ts";

const schema = z.strictObject({
  query: z.string().min(1),
  numResults: z.int().min(1).max(100).optional(),
  type: z.enum(["auto", "fast"]).optional(),
  tags: z
    .array(z.object({ name: z.string() }))
    .max(2)
    .optional(),
  text: z.union([z.boolean(), z.strictObject({ maxCharacters: z.int().positive() })]).optional(),
  when: z.iso.datetime().optional(),
  url: z.url().optional(),
  country: z
    .union([z.string().regex(/^[a-z]{2}$/, { error: "expected two letters, such as us" }), z.object({})])
    .optional(),
});

function refuse(value: unknown): AppError {
  try {
    checkInput(schema, "body", value);
  } catch (error) {
    if (error instanceof AppError) return error;
  }
  throw new Error("the value was accepted");
}

verifies(["http:errors:wrong-type", "http:errors:invalid-body-prefix"], "names the field and what was expected", () => {
  const cases: readonly (readonly [unknown, string])[] = [
    [{}, "query: expected a string, received nothing"],
    [{ query: 1 }, "query: expected a string, received 1"],
    [{ query: null }, "query: expected a string, received null"],
    [{ query: "" }, "query: expected at least 1 characters, received 0"],
    [{ query: "a", numResults: "5" }, 'numResults: expected a number, received "5"'],
    [{ query: "a", numResults: 1.5 }, "numResults: expected a whole number, received 1.5"],
    [{ query: "a", numResults: 101 }, "numResults: expected at most 100, received 101"],
    [{ query: "a", type: "slow" }, 'type: expected one of "auto", "fast", received "slow"'],
    [{ query: "a", tags: {} }, "tags: expected a list, received an object"],
    [{ query: "a", tags: "some" }, 'tags: expected a list, received "some"'],
    [{ query: "a", country: "usa" }, 'country: expected two letters, such as us, received "usa"'],
    [{ query: "a", tags: [{ name: "x" }, { name: 2 }] }, "tags[1].name: expected a string, received 2"],
    [{ query: "a", tags: [1, 2, 3].map(() => ({ name: "" })) }, "tags: expected at most 2 entries, received 3"],
    [{ query: "a", text: "yes" }, 'text: expected one of true or false, an object, received "yes"'],
    [{ query: "a", text: { maxCharacters: -1 } }, "text.maxCharacters: expected at least 0, received -1"],
    [{ query: "a", when: "today" }, 'when: expected an ISO 8601 date and time, received "today"'],
    [{ query: "a", url: "no" }, 'url: expected a URL, received "no"'],
    [
      { query: "a", numResult: 5 },
      "numResult: unknown field; allowed are query, numResults, type, tags, text, when, url, country",
    ],
    [{ query: "a", text: { max: 1, maxCharacters: 2 } }, "text.max: unknown field; leave it out"],
    [[], "expected an object, received a list"],
  ];
  expect(cases.map(([value]) => refuse(value).message)).toEqual(
    cases.map(([, message]) => `Invalid request body | Validation error: ${message}`),
  );
});

it("tags the part of the request and lists every issue for those who read details", () => {
  const error = refuse({ query: 1, numResults: 0 });
  expect(error.details).toEqual({
    tag: "INVALID_REQUEST_BODY",
    issues: [
      { path: "query", message: "expected a string, received 1" },
      { path: "numResults", message: "expected at least 1, received 0" },
    ],
  });
});

it("names five fields at most and shows long values shortened", () => {
  const many = z.record(z.string(), z.number());
  const value = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`f${index}`, "x".repeat(500)]));
  expect(() => checkInput(many, "query", value)).toThrow(/^Invalid request query .*; and 4 more$/);
  expect(() => checkInput(many, "query", value)).toThrow(
    expect.objectContaining({ message: expect.not.stringContaining("x".repeat(61)) as string }),
  );
});
