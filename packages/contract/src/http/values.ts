import { z } from "zod";

/**
 * A body field that a caller may leave out or send as null; both arrive as
 * undefined. Clients generated from Exa's OpenAPI send null for "not given".
 */
export function absentable<T extends z.ZodType>(schema: T) {
  return schema.nullish().transform((value): z.output<T> | undefined => value ?? undefined);
}

/** A boolean in a query: `true` and `false` in any case (exa-py sends `True`), also 1 and 0. */
export function queryBoolean() {
  return z.preprocess(readBoolean, z.boolean());
}

/** A whole number in a query. */
export function queryInteger(range: { readonly min: number; readonly max: number }) {
  return z.preprocess(readNumber, z.int().min(range.min).max(range.max));
}

/** A list in a query: the key once, repeated, or once with commas. */
export function queryList<T extends z.ZodType>(item: T) {
  return z.preprocess(readList, z.array(item).min(1));
}

/** An instant: ISO 8601, in UTC where it names no zone (as Python's `isoformat()`), or a date alone, which means its start in UTC. */
export function instant() {
  return z
    .union([z.iso.datetime({ offset: true, local: true }), z.iso.date()])
    .transform((text) => new Date(/T[\d:.]+$/.test(text) ? `${text}Z` : text))
    .describe("An ISO 8601 instant, in UTC unless it names a zone, or a date, which means its start in UTC.");
}

/** An instant as replies write it: UTC with milliseconds. */
export const timestampSchema = z.iso.datetime().describe("ISO 8601, UTC, with milliseconds.");

function readBoolean(value: unknown): unknown {
  if (typeof value !== "string") return value;
  const word = value.toLowerCase();
  if (word === "true" || word === "1") return true;
  return word === "false" || word === "0" ? false : value;
}

function readNumber(value: unknown): unknown {
  return typeof value === "string" && value.trim() !== "" && !Number.isNaN(Number(value)) ? Number(value) : value;
}

function readList(value: unknown): unknown {
  const entries: readonly unknown[] = Array.isArray(value) ? value : [value];
  return entries.flatMap((entry) => (typeof entry === "string" ? entry.split(",") : [entry]));
}

/** A question, or words to look for: not blank. */
export function questionText(maxCharacters: number): z.ZodString {
  return z
    .string()
    .max(maxCharacters)
    .refine((text) => text.trim() !== "", { error: "expected a query, received an empty one" })
    .meta({ minLength: 1 });
}
