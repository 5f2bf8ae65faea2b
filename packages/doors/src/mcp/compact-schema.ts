import { z } from "zod";
import type { JsonObject, JsonValue } from "./budget/shorten-card.ts";

/**
 * The JSON Schema of a tool's arguments, without what a model does not need: every agent pays for the list of tools in
 * each conversation.
 */
export function compactSchema(schema: z.ZodObject): JsonObject {
  const made = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  const { properties, required, type } = JSON.parse(JSON.stringify(made)) as JsonObject;
  return compact({ type, properties, ...(required !== undefined && { required }) });
}

function compact(value: JsonObject): JsonObject {
  const entries = Object.entries(value).flatMap(([key, inner]): [string, JsonValue][] => {
    if (key === "minimum" && inner === Number.MIN_SAFE_INTEGER) return [];
    if (key === "maximum" && inner === Number.MAX_SAFE_INTEGER) return [];
    if (key === "minLength" || key === "propertyNames" || key === "default") return [];
    if (key === "additionalProperties" && isObject(inner) && Object.keys(inner).length === 0) return [];
    return [[key, shrink(inner)]];
  });
  return Object.fromEntries(entries);
}

function shrink(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((inner: JsonValue) => shrink(inner));
  return isObject(value) ? compact(value) : value;
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
