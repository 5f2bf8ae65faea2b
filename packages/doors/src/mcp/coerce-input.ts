import type { JsonObject, JsonValue } from "./budget/shorten-card.ts";

/** Whether arguments must fit, or are made to fit where it is plain what was meant. */
export type InputMode = "strict" | "safe";

/**
 * Turns what models often send into what the schema asks for, where only one thing can be meant: "5" into 5, "true" into
 * true, a string into a list of one, a string into the object whose one needed field it is (an entity's type, a criterion's
 * description, an option's label), JSON in a string into its value, a number past a limit into the limit.
 */
export function coerceInput(schema: JsonValue, value: JsonValue): JsonValue {
  if (!isObject(schema) || value === undefined) return value;
  const types = typesOf(schema);
  if (types.includes("object")) return coerceObject(schema, value);
  if (types.includes("array")) return coerceList(schema, value);
  if (types.includes("integer") || types.includes("number")) return coerceNumber(schema, value);
  if (types.includes("boolean") && (value === "true" || value === "false")) return value === "true";
  if (types.includes("string") && typeof value === "number") return String(value);
  return value;
}

/** Arguments with a field under the name it is often given, unless its own is there too. */
export function takeOtherName(args: JsonObject, names: { readonly other: string; readonly own: string }): JsonObject {
  const { [names.other]: given, ...others } = args;
  if (given === undefined || others[names.own] !== undefined) return args;
  return { ...others, [names.own]: given };
}

function coerceObject(schema: JsonObject, value: JsonValue): JsonValue {
  const given = typeof value === "string" ? (parsed(value, isObject) ?? wrapped(schema, value)) : value;
  const properties = schema["properties"];
  if (!isObject(given) || !isObject(properties)) return given;
  return Object.fromEntries(Object.entries(given).map(([key, inner]) => [key, coerceInput(properties[key], inner)]));
}

/** A string for an object that needs one field alone: that field. */
function wrapped(schema: JsonObject, value: string): JsonValue {
  const required = schema["required"];
  const [only, ...others] = Array.isArray(required) ? (required as readonly JsonValue[]) : [];
  return typeof only === "string" && others.length === 0 ? { [only]: value } : value;
}

function coerceList(schema: JsonObject, value: JsonValue): JsonValue {
  const given =
    typeof value === "string" ? (parsed(value, Array.isArray) ?? [value]) : isObject(value) ? [value] : value;
  return Array.isArray(given) ? given.map((inner: JsonValue) => coerceInput(schema["items"], inner)) : given;
}

function coerceNumber(schema: JsonObject, value: JsonValue): JsonValue {
  const number = typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : value;
  if (typeof number !== "number") return value;
  const { minimum, maximum } = schema;
  if (typeof maximum === "number" && number > maximum) return maximum;
  return typeof minimum === "number" && number < minimum ? minimum : number;
}

function typesOf(schema: JsonObject): readonly JsonValue[] {
  const { type, anyOf } = schema;
  if (Array.isArray(anyOf)) return anyOf.flatMap((one: JsonValue) => (isObject(one) ? typesOf(one) : []));
  return Array.isArray(type) ? (type as readonly JsonValue[]) : [type];
}

function parsed<T extends JsonValue>(text: string, isWanted: (value: JsonValue) => value is T): T | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    const value = JSON.parse(text) as JsonValue;
    return isWanted(value) ? value : undefined;
  } catch {
    return undefined; // it only looked like JSON: it stays the string it is
  }
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
