import { describe, expect, it } from "vitest";
import { z } from "zod";
import { coerceInput } from "./coerce-input.ts";
import { compactSchema } from "./compact-schema.ts";

const schema = compactSchema(
  z.object({
    count: z.int().min(1).max(100).optional(),
    delete: z.boolean().optional(),
    entity: z.object({ type: z.string(), description: z.string().optional() }).optional(),
    criteria: z.array(z.object({ description: z.string() })).optional(),
    options: z.array(z.object({ label: z.string() })).optional(),
    urls: z.array(z.string()).optional(),
    query: z.string(),
  }),
);

describe("arguments", () => {
  it.each([
    ["a number in a string", { count: "5" }, { count: 5 }],
    ["a number past the limit", { count: 5_000 }, { count: 100 }],
    ["a truth in a string", { delete: "true" }, { delete: true }],
    ["an entity's type", { entity: "company" }, { entity: { type: "company" } }],
    [
      "criteria in words",
      { criteria: ["big", "green"] },
      { criteria: [{ description: "big" }, { description: "green" }] },
    ],
    ["one criterion", { criteria: "big" }, { criteria: [{ description: "big" }] }],
    ["labels", { options: ["a", { label: "b" }] }, { options: [{ label: "a" }, { label: "b" }] }],
    [
      "JSON in a string",
      { urls: '["a","b"]', entity: '{"type":"person"}' },
      { urls: ["a", "b"], entity: { type: "person" } },
    ],
    ["a number for a text", { query: 42 }, { query: "42" }],
    ["what fits already", { query: "[not json", count: 3 }, { query: "[not json", count: 3 }],
    ["what cannot be meant", { count: "many", delete: "perhaps" }, { count: "many", delete: "perhaps" }],
  ])("%s", (_, given, made) => expect(coerceInput(schema, given)).toEqual(made));
});
