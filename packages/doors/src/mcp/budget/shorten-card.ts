import { wordEnd } from "./text-bounds.ts";

/** JSON as replies hold it. */
export type JsonValue = string | number | boolean | null | undefined | readonly JsonValue[] | JsonObject;
/** A JSON object as replies hold it. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** A string is not cut below this. */
const SHORTEST = 24;
/** A card has this many cuts at most before it counts as hopeless. */
const MAX_CUTS = 250;
/** What a cut leaves of a string: less of a long one, so that it does not take too many. */
const LEFT_OF_LONG = 0.8;
const LEFT_OF_SHORT = 0.93;
const LONG_CHARACTERS = 2_000;

/**
 * The card with its longest strings cut at words until `fits`, and lists and tables cut when strings do not do; marked
 * `shortened`.
 * Undefined when nothing useful fits.
 */
export function shortenCard(card: JsonObject, fits: (card: JsonObject) => boolean): JsonObject | undefined {
  let current: JsonObject = { ...card, shortened: true };
  for (let cut = 0; cut < MAX_CUTS; cut += 1) {
    if (fits(current)) return current;
    const longest = findLongest(current);
    if (longest === undefined) break;
    const value = shorter(longest.value);
    const next = replaceAt(current, longest.path, value);
    current = isObject(next) ? next : current;
  }
  const names = Object.entries(card).filter(
    ([key, value]) => ["id", "url", "name"].includes(key) && typeof value === "string" && value.length <= 300,
  );
  for (let kept = names.length; kept > 0; kept -= 1) {
    const stub = { ...Object.fromEntries(names.slice(0, kept)), shortened: true };
    if (fits(stub)) return stub;
  }
  return undefined;
}

interface Found {
  readonly path: readonly (string | number)[];
  readonly value: string | readonly JsonValue[] | JsonObject;
  readonly weight: number;
}

/** The heaviest string, or the heaviest list or table of things that are short themselves. */
function findLongest(value: JsonValue, path: readonly (string | number)[] = []): Found | undefined {
  if (typeof value === "string") {
    const isName = path.length === 1 && (path[0] === "id" || path[0] === "url");
    return isName || value.length <= SHORTEST ? undefined : { path, value, weight: value.length };
  }
  if (typeof value !== "object" || value === null) return undefined;
  const isList = Array.isArray(value);
  let best: Found | undefined;
  for (const [key, inner] of Object.entries<JsonValue>(value)) {
    const found = findLongest(inner, [...path, isList ? Number(key) : key]);
    if (found !== undefined && found.weight > (best?.weight ?? 0)) best = found;
  }
  if (best !== undefined) return best;
  const isCuttable = path.length > 0 && Object.keys(value).length > 0; // the card itself is not
  return isCuttable ? { path, value, weight: JSON.stringify(value).length } : undefined;
}

function shorter(value: Found["value"]): JsonValue {
  if (isObject(value)) {
    const entries = Object.entries(value);
    return Object.fromEntries(entries.slice(0, Math.floor(entries.length / 2)));
  }
  if (typeof value !== "string") return value.slice(0, Math.floor(value.length / 2));
  const left = value.length > LONG_CHARACTERS ? LEFT_OF_LONG : LEFT_OF_SHORT;
  const end = wordEnd(value, 0, Math.max(SHORTEST - 1, Math.floor(value.length * left)));
  return `${value.slice(0, Math.min(end, value.length - 2)).trimEnd()}…`;
}

function replaceAt(value: JsonValue, path: readonly (string | number)[], replacement: JsonValue): JsonValue {
  const [key, ...rest] = path;
  if (key === undefined) return replacement;
  if (Array.isArray(value)) {
    return value.map((inner: JsonValue, index) => (index === key ? replaceAt(inner, rest, replacement) : inner));
  }
  return isObject(value) ? { ...value, [key]: replaceAt(value[String(key)], rest, replacement) } : value;
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
