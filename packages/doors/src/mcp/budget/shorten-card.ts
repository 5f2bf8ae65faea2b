import { wordEnd } from "./text-bounds.ts";

/** JSON as replies hold it. */
export type JsonValue = string | number | boolean | null | undefined | readonly JsonValue[] | JsonObject;
/** A JSON object as replies hold it. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** A string is not cut below this. */
const SHORTEST = 24;

/**
 * The card, marked `shortened`, with no string longer than the most that `fits`, cut at words; and, when that does not do,
 * with no list or table of more entries than fit. Undefined when nothing useful fits.
 */
export function shortenCard(card: JsonObject, fits: (card: JsonObject) => boolean): JsonObject | undefined {
  const cut = (limits: Limits): JsonObject => ({ ...cutEntries(card, limits), shortened: true });
  const most = measureCard(card);
  return (
    largestThatFits(most.characters, SHORTEST, (characters) => cut({ characters, entries: most.entries }), fits) ??
    largestThatFits(most.entries, 0, (entries) => cut({ characters: SHORTEST, entries }), fits) ??
    stubOf(card, fits)
  );
}

/** The most characters of a string, and entries of a list or a table, that a card keeps. */
interface Limits {
  readonly characters: number;
  readonly entries: number;
}

/** What `make` makes of the largest limit whose result fits, found by halves. */
function largestThatFits(
  most: number,
  least: number,
  make: (limit: number) => JsonObject,
  fits: (card: JsonObject) => boolean,
): JsonObject | undefined {
  let best: JsonObject | undefined;
  let [low, high] = [least, most];
  for (let limit = most; low <= high; limit = Math.ceil((low + high) / 2)) {
    const made = make(limit);
    if (fits(made)) {
      best = made;
      low = limit + 1;
    } else {
      high = limit - 1;
    }
  }
  return best;
}

/** The longest string of a card, names aside, and the most entries of a list or table in it. */
function measureCard(card: JsonObject): Limits {
  let [characters, entries] = [SHORTEST, 0];
  const look = (value: JsonValue): void => {
    if (typeof value === "string") characters = Math.max(characters, value.length);
    if (typeof value !== "object" || value === null) return;
    const inner = Object.values<JsonValue>(value);
    entries = Math.max(entries, inner.length);
    inner.forEach(look);
  };
  Object.entries(card).forEach(([key, value]) => {
    if (!isName(key)) look(value);
  });
  return { characters, entries };
}

/** The fields of a card or a table, each cut to the limits; a card keeps all of them. */
function cutEntries(card: JsonObject, limits: Limits): JsonObject {
  return Object.fromEntries(
    Object.entries(card).map(([key, value]) => [key, isName(key) ? value : cutValue(value, limits)]),
  );
}

function cutValue(value: JsonValue, limits: Limits): JsonValue {
  if (typeof value === "string") return cutString(value, limits.characters);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.slice(0, limits.entries).map((inner: JsonValue) => cutValue(inner, limits));
  const kept = Object.entries<JsonValue>(value).slice(0, limits.entries);
  return Object.fromEntries(kept.map(([key, inner]) => [key, cutValue(inner, limits)]));
}

function cutString(text: string, characters: number): string {
  if (text.length <= characters) return text;
  return `${text.slice(0, wordEnd(text, 0, characters - 1)).trimEnd()}…`;
}

/** What the agent needs to ask for the rest; never cut. */
function isName(key: string): boolean {
  return key === "id" || key === "url";
}

/** Longer than this a name is no name. */
const LONGEST_NAME = 300;

/** As many of a card's names as fit. */
function stubOf(card: JsonObject, fits: (card: JsonObject) => boolean): JsonObject | undefined {
  const names = Object.entries(card).filter(
    ([key, value]) => (isName(key) || key === "name") && typeof value === "string" && value.length <= LONGEST_NAME,
  );
  for (let kept = names.length; kept > 0; kept -= 1) {
    const stub = { ...Object.fromEntries(names.slice(0, kept)), shortened: true };
    if (fits(stub)) return stub;
  }
  return undefined;
}
