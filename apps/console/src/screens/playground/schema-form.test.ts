import { describe, expect, it } from "vitest";
import type { JsonSchema, OpenApiDocument } from "../../api/openapi.ts";
import { setPart, startingValue, toField, variantOf } from "./schema-form.ts";

const document: OpenApiDocument = {
  paths: {},
  components: { schemas: { Tree: { type: "object", properties: { child: { $ref: "#/components/schemas/Tree" } } } } },
};
const nullable = (schema: JsonSchema): JsonSchema => ({ anyOf: [schema, { type: "null" }] });

describe("a form from a schema", () => {
  it.each([
    [{ type: "string" }, { kind: "text", isLong: false, isDate: false }],
    [
      { type: "string", maxLength: 20_000 },
      { kind: "text", isLong: true, isDate: false },
    ],
    [
      { type: "string", format: "date-time" },
      { kind: "text", isLong: false, isDate: true },
    ],
    [
      { type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
      { kind: "number", isWhole: true, min: 1 },
    ],
    [{ type: ["number", "null"] }, { kind: "number", isWhole: false }],
    [{ type: "boolean" }, { kind: "flag" }],
    [{ enum: ["a", "b"] }, { kind: "choice", options: ["a", "b"] }],
    [nullable({ type: "string", const: "hipaa" }), { kind: "choice", options: ["hipaa"] }],
    [
      { type: "array", items: { type: "boolean" } },
      { kind: "list", item: { kind: "flag" } },
    ],
    [{ type: "object", additionalProperties: {} }, { kind: "json" }],
    [{}, { kind: "json" }],
  ])("%j", (schema, field) => {
    expect(toField(document, schema)).toEqual(field);
  });

  it("offers every alternative, and puts what is needed first", () => {
    const schema = {
      type: "object",
      required: ["query"],
      properties: {
        text: nullable({ anyOf: [{ type: "boolean" }, { type: "object", properties: { max: { type: "integer" } } }] }),
        query: { type: "string", description: "Words." },
      },
    };
    const text = {
      kind: "variants",
      variants: [
        { label: "yes or no", field: { kind: "flag" } },
        {
          label: "details",
          field: {
            kind: "group",
            fields: [{ name: "max", isRequired: false, description: "", field: { kind: "number", isWhole: true } }],
          },
        },
      ],
    };
    expect(toField(document, schema)).toEqual({
      kind: "group",
      fields: [
        {
          name: "query",
          isRequired: true,
          description: "Words.",
          field: { kind: "text", isLong: false, isDate: false },
        },
        { name: "text", isRequired: false, description: "", field: text },
      ],
    });
  });

  it("ends where a schema goes in circles", () => {
    expect(JSON.stringify(toField(document, { $ref: "#/components/schemas/Tree" })).match(/child/g)).toHaveLength(6);
  });
});

it("begins with what must be there", () => {
  const schema = {
    type: "object",
    required: ["url", "count", "kind"],
    properties: {
      url: { type: "string" },
      count: { type: "integer", minimum: 3 },
      kind: { enum: ["x", "y"] },
      more: { type: "string" },
    },
  };
  expect(startingValue(toField(document, schema))).toEqual({ url: "", count: 3, kind: "x" });
});

it("sets and drops a part without moving the others", () => {
  expect(Object.entries(setPart({ a: 1, b: 2 }, "a", 3))).toEqual([
    ["a", 3],
    ["b", 2],
  ]);
  expect(setPart({ a: 1, b: 2 }, "a", undefined)).toEqual({ b: 2 });
  expect(setPart(undefined, "a", 1)).toEqual({ a: 1 });
});

it("knows which variant a value is", () => {
  const field = toField(document, { anyOf: [{ type: "boolean" }, { type: "string" }, { type: "object" }] });
  if (field.kind !== "variants") throw new Error("expected variants");
  expect([true, "x", { a: 1 }, 7].map((value) => variantOf(field, value))).toEqual([0, 1, 2, 0]);
});
