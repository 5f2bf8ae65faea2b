import { resolveSchema, type JsonSchema, type OpenApiDocument } from "../../api/openapi.ts";
import { isRecord } from "../../api/send.ts";
import { say } from "../../words/say.ts";

/** A field of a form, as its schema makes it. */
export type Field =
  | { readonly kind: "text"; readonly isLong: boolean; readonly isDate: boolean }
  | { readonly kind: "number"; readonly isWhole: boolean; readonly min?: number; readonly max?: number }
  | { readonly kind: "flag" }
  | { readonly kind: "choice"; readonly options: readonly string[] }
  | { readonly kind: "list"; readonly item: Field }
  | { readonly kind: "group"; readonly fields: readonly NamedField[] }
  | { readonly kind: "variants"; readonly variants: readonly { readonly label: string; readonly field: Field }[] }
  /** What no simpler field fits: edited as JSON. */
  | { readonly kind: "json" };

/** A field with its name. */
export interface NamedField {
  readonly name: string;
  readonly isRequired: boolean;
  readonly description: string;
  readonly field: Field;
}

/** Deeper than this, and in circles, a part is edited as JSON. */
const DEEPEST = 5;
/** A text that may be longer than this gets several lines. */
const LONG_TEXT = 4_000;

/** The form for a schema. Any schema has one: what is not understood is a field for JSON. */
export function toField(document: OpenApiDocument, given: JsonSchema, depth = 0): Field {
  if (depth > DEEPEST) return { kind: "json" };
  const schema = resolveSchema(document, given);
  const alternatives = listAlternatives(document, schema);
  if (alternatives !== undefined) {
    const fields = alternatives.map((one) => ({ label: labelOf(one), field: toField(document, one, depth + 1) }));
    const [only] = fields;
    if (only !== undefined && fields.length === 1) return only.field;
    if (fields.every(({ field }) => field.kind === "choice")) {
      return { kind: "choice", options: fields.flatMap(({ field }) => (field.kind === "choice" ? field.options : [])) };
    }
    return { kind: "variants", variants: fields };
  }
  if (Array.isArray(schema["enum"])) return { kind: "choice", options: schema["enum"].map(String) };
  if (typeof schema["const"] === "string") return { kind: "choice", options: [schema["const"]] };
  return ofType(document, schema, depth);
}

/** The value that a form begins with: what must be there, empty. */
export function startingValue(field: Field): unknown {
  switch (field.kind) {
    case "group": {
      const needed = field.fields.filter(({ isRequired }) => isRequired);
      return Object.fromEntries(needed.map((one) => [one.name, startingValue(one.field)]));
    }
    case "text":
      return "";
    case "number":
      return field.min ?? 0;
    case "flag":
      return false;
    case "choice":
      return field.options[0] ?? "";
    case "list":
      return [];
    case "variants":
      return field.variants[0] === undefined ? null : startingValue(field.variants[0].field);
    case "json":
      return {};
  }
}

/** The record with one part set, or without it when `value` is undefined. */
export function setPart(record: unknown, name: string, value: unknown): Readonly<Record<string, unknown>> {
  const parts = isRecord(record) ? record : {};
  if (value !== undefined) return { ...parts, [name]: value };
  return Object.fromEntries(Object.entries(parts).filter(([part]) => part !== name));
}

/** Which variant a value belongs to; the first when it fits none. */
export function variantOf(field: Extract<Field, { kind: "variants" }>, value: unknown): number {
  const at = field.variants.findIndex((variant) => fits(variant.field, value));
  return at === -1 ? 0 : at;
}

function fits(field: Field, value: unknown): boolean {
  switch (field.kind) {
    case "text":
      return typeof value === "string";
    case "choice":
      return typeof value === "string" && field.options.includes(value);
    case "number":
      return typeof value === "number";
    case "flag":
      return typeof value === "boolean";
    case "list":
      return Array.isArray(value);
    case "group":
    case "json":
      return isRecord(value);
    case "variants":
      return field.variants.some((variant) => fits(variant.field, value));
  }
}

function ofType(document: OpenApiDocument, schema: JsonSchema, depth: number): Field {
  switch (schema["type"]) {
    case "string":
      return {
        kind: "text",
        isLong: typeof schema["maxLength"] === "number" && schema["maxLength"] >= LONG_TEXT,
        isDate: schema["format"] === "date-time" || schema["format"] === "date",
      };
    case "integer":
    case "number":
      return {
        kind: "number",
        isWhole: schema["type"] === "integer",
        ...numberNamed("min", schema["minimum"]),
        ...numberNamed("max", schema["maximum"]),
      };
    case "boolean":
      return { kind: "flag" };
    case "array":
      return isRecord(schema["items"])
        ? { kind: "list", item: toField(document, schema["items"], depth + 1) }
        : { kind: "json" };
    case "object":
      return toGroup(document, schema, depth);
    default:
      return { kind: "json" };
  }
}

function toGroup(document: OpenApiDocument, schema: JsonSchema, depth: number): Field {
  const { properties, required } = schema;
  if (!isRecord(properties)) return { kind: "json" };
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  const fields = Object.entries(properties).flatMap(([name, property]): readonly NamedField[] => {
    if (!isRecord(property)) return [];
    const resolved = resolveSchema(document, property);
    const description = typeof resolved["description"] === "string" ? resolved["description"] : "";
    return [{ name, isRequired: needed.includes(name), description, field: toField(document, property, depth + 1) }];
  });
  return { kind: "group", fields: fields.toSorted((one, other) => Number(other.isRequired) - Number(one.isRequired)) };
}

/** What a value may be instead, without null: leaving a field out means the same. */
function listAlternatives(document: OpenApiDocument, schema: JsonSchema): readonly JsonSchema[] | undefined {
  const several = schema["anyOf"] ?? schema["oneOf"];
  if (Array.isArray(several)) {
    return several
      .filter(isRecord)
      .map((one) => resolveSchema(document, one))
      .filter((one) => one["type"] !== "null");
  }
  const { type } = schema;
  if (!Array.isArray(type)) return undefined;
  return type.filter((one) => one !== "null").map((one: unknown) => ({ ...schema, type: one }));
}

function labelOf(schema: JsonSchema): string {
  const { title, type } = schema;
  if (typeof title === "string") return title;
  if (typeof schema["const"] === "string") return schema["const"];
  if (Array.isArray(schema["enum"])) return schema["enum"].join(", ");
  if (type === "object") return "details";
  if (type === "boolean") return say("playground.yesOrNo");
  if (type === "array") return "list";
  if (type === "string") return "text";
  return typeof type === "string" ? type : "JSON";
}

function numberNamed<N extends string>(name: N, value: unknown): Partial<Record<N, number>> {
  const made: Partial<Record<N, number>> = {};
  // JSON Schema of an integer has the largest safe one as its bound, which says nothing to a person.
  if (typeof value === "number" && Math.abs(value) < Number.MAX_SAFE_INTEGER) made[name] = value;
  return made;
}
