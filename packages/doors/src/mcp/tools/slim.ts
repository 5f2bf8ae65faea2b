import type { JsonObject, JsonValue } from "../budget/shorten-card.ts";

/** Fields that tell an agent nothing, or must not be told. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  "object",
  "secret",
  "webhookSecret",
  "dashboardUrl",
  "uploadUrl",
  "streams",
  "content",
]);

/** An object of the API without what is empty, what says nothing, page contents and secrets. */
export function slim(value: unknown): JsonObject {
  const made = slimValue(value);
  return typeof made === "object" && made !== null && !Array.isArray(made) ? (made as JsonObject) : { value: made };
}

function slimValue(value: unknown): JsonValue {
  if (Array.isArray(value)) return value.map((inner) => slimValue(inner));
  if (typeof value !== "object" || value === null) return value as JsonValue;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]): [string, JsonValue][] =>
      LEFT_OUT.has(key) || isEmpty(inner) ? [] : [[key, slimValue(inner)]],
    ),
  );
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === "") return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}
