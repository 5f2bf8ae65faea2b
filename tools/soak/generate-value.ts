import type { Random } from "./random.ts";

type Schema = Readonly<Record<string, unknown>>;

/** Texts that break parsers, searches and terminals, and some that do not. */
const TEXTS: readonly string[] = [
  "",
  " ",
  "owls",
  "volcano lava",
  '"a phrase" -word site:a.example title:x',
  '"',
  "-",
  "site:",
  "\u0000",
  "a\u0000b",
  "\ud800",
  "\u202eabc",
  "' OR 1=1 --",
  "%00%ff",
  "../../etc/passwd",
  "🦉".repeat(50),
  "猫头鹰 与 夜",
  "بومة في الليل",
  "ﷺ".repeat(20),
  "e\u0301".repeat(100),
  "(".repeat(2_000),
  "*".repeat(500),
  "AND OR NOT AND",
  "x".repeat(30_000),
  "word ".repeat(3_000),
];
const DATES = ["2025-01-01", "2026-02-30", "2025-05-05T10:00:00Z", "1970-01-01", "9999-12-31", "soon", "0000-00-00"];
const NUMBERS = [-1, 0, 1, 2, 3, 5, 10, 50, 99, 100, 101, 720, 1_000, 90_001, 1.5, 1e21, -1e9];
const ODD = [null, true, false, 0, -1, "", [], {}, [[]], { a: { b: [1] } }, "text", 1e308];
const MAX_DEPTH = 6;

/** What a value is generated from. */
export interface Generation {
  readonly random: Random;
  readonly components: Readonly<Record<string, Schema>>;
  /** Values for fields that name pages. */
  readonly urls: readonly string[];
}

/** A value that mostly fits the schema, and now and then does not, at any depth. */
export function generateValue(generation: Generation, given: Schema, name = "", depth = 0): unknown {
  const { random } = generation;
  const schema = resolve(generation, given);
  if (random.chance(0.015)) return random.pick(ODD);
  if (depth > MAX_DEPTH) return null;
  const branches = schema["anyOf"] ?? schema["oneOf"];
  if (Array.isArray(branches))
    return generateValue(generation, random.pick(branches as readonly Schema[]), name, depth);
  const choices = schema["enum"];
  if (Array.isArray(choices)) return random.chance(0.95) ? random.pick(choices as readonly unknown[]) : "another";
  if ("const" in schema) return schema["const"];
  switch (schema["type"]) {
    case "object":
      return generateObject(generation, schema, name, depth);
    case "array":
      return generateArray(generation, schema, name, depth);
    case "integer":
    case "number":
      return random.pick(NUMBERS);
    case "boolean":
      return random.chance(0.5);
    case "string":
      return generateText(generation, name);
    case "null":
      return null;
    default:
      return random.pick(ODD);
  }
}

function resolve({ components }: Generation, schema: Schema): Schema {
  const reference = schema["$ref"];
  if (typeof reference !== "string") return schema;
  return components[reference.split("/").at(-1) ?? ""] ?? {};
}

function generateObject(generation: Generation, schema: Schema, name: string, depth: number): unknown {
  const { random } = generation;
  if (/schema/i.test(name)) return random.pick(SCHEMAS);
  const properties = (schema["properties"] ?? {}) as Readonly<Record<string, Schema>>;
  const required = (schema["required"] ?? []) as readonly string[];
  const share = depth === 0 ? 0.15 : 0.4;
  const entries = Object.entries(properties)
    .filter(([key]) => (required.includes(key) ? random.chance(0.98) : random.chance(share)))
    .map(
      ([key, inner]) => [key, random.chance(0.05) ? null : generateValue(generation, inner, key, depth + 1)] as const,
    );
  const extra = random.chance(0.1) ? [[random.pick(["__proto__", "constructor", "flags", "x"]), random.pick(ODD)]] : [];
  return Object.fromEntries([...entries, ...extra] as readonly (readonly [string, unknown])[]);
}

function generateArray(generation: Generation, schema: Schema, name: string, depth: number): unknown {
  const { random } = generation;
  const length = random.pick([0, 1, 1, 2, 3, 12, ...(depth < 2 ? [101, 1_201] : [])]);
  const items = (schema["items"] ?? {}) as Schema;
  if (length > 100) return Array.from({ length }, (_, index) => `d${index}.example`);
  return Array.from({ length }, () => generateValue(generation, items, name, depth + 1));
}

function generateText({ random, urls }: Generation, name: string): string {
  if (/^(?:url|urls|id|ids|documents)$/.test(name)) return random.pick(urls);
  if (/date|asof/i.test(name)) return random.pick(DATES);
  if (/domain/i.test(name))
    return random.pick(["a.example", "*.example", "a.example/x", "*", "not a domain", "", "a..b", "[::1]"]);
  return random.pick(TEXTS);
}

/** Schemas that callers may send, some of which are none. */
const SCHEMAS: readonly unknown[] = [
  { type: "text" },
  { type: "text", description: "short" },
  { type: "object", properties: { year: { type: "integer" }, what: { type: "string" } }, required: ["year"] },
  {
    type: "object",
    properties: { list: { type: "array", items: { type: "object", properties: { a: { type: "string" } } } } },
  },
  { type: "object", properties: { self: { $ref: "#" } } },
  { type: "object", properties: { a: { $ref: "#/nowhere" } } },
  { type: "object", properties: { a: { type: "string", pattern: "(a+)+$" } } },
  { type: "object", properties: { __proto__: { type: "string" }, constructor: { type: "number" } } },
  { type: "array" },
  { type: 7 },
  {},
];

/** The smallest value that fits a schema: required fields, first choices, least numbers. */
export function leastValue(components: Generation["components"], given: Schema, name = ""): unknown {
  const reference = given["$ref"];
  const schema = typeof reference === "string" ? (components[reference.split("/").at(-1) ?? ""] ?? {}) : given;
  if ("default" in schema) return schema["default"];
  if ("const" in schema) return schema["const"];
  const choices = schema["enum"];
  if (Array.isArray(choices)) return choices[0] as unknown;
  const branches = schema["anyOf"] ?? schema["oneOf"] ?? schema["allOf"];
  if (Array.isArray(branches)) return leastValue(components, (branches as readonly Schema[])[0] ?? {}, name);
  switch (schema["type"]) {
    case "object": {
      const properties = (schema["properties"] ?? {}) as Readonly<Record<string, Schema>>;
      const required = (schema["required"] ?? []) as readonly string[];
      return Object.fromEntries(required.map((key) => [key, leastValue(components, properties[key] ?? {}, key)]));
    }
    case "array": {
      const length = typeof schema["minItems"] === "number" ? schema["minItems"] : 0;
      return Array.from({ length }, () => leastValue(components, (schema["items"] ?? {}) as Schema, name));
    }
    case "integer":
    case "number":
      return typeof schema["minimum"] === "number" ? schema["minimum"] : 1;
    case "boolean":
      return false;
    case "string":
      if (schema["format"] === "date-time" || /date|since|asof|^from$|^to$/i.test(name)) return "2026-01-01T00:00:00Z";
      return /url/i.test(name) || schema["format"] === "uri" ? "https://a.example/" : "text";
    default:
      return {};
  }
}
