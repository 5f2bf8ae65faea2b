import { CITIES, CONTINENTS, COUNTRY_ALIASES, DEMONYMS, REGION_CITIES, REGIONS } from "./place-names.ts";

/** A place that a text names, with the country or part of the world it is known to be or to lie in. */
export interface PlaceFound {
  readonly name: string;
  readonly kind: "city" | "region" | "country" | "continent" | "demonym";
  /** ISO 3166 codes of the countries it is, or lies in. */
  readonly countries: ReadonlySet<string>;
  readonly start: number;
  readonly end: number;
}

const MAX_PLACES = 200;

/** The places that a text names, longest names first where they overlap, in the order in which they stand. */
export function findPlaces(text: string): readonly PlaceFound[] {
  const { table, starts } = gazetteer();
  const found: PlaceFound[] = [];
  let behind = 0;
  for (const match of text.matchAll(WORD)) {
    if (match.index < behind || found.length >= MAX_PLACES) continue;
    const lengths = starts.get(match[0]);
    if (lengths === undefined) continue;
    for (const length of lengths) {
      const name = text.slice(match.index, match.index + length);
      const known = table.get(name);
      if (known === undefined || /[\p{L}\p{N}]/u.test(text.charAt(match.index + name.length))) continue;
      behind = match.index + name.length;
      found.push({ ...known, name, start: match.index, end: behind });
      break;
    }
  }
  return found;
}

/** A name begins with a capital, "the States" aside. */
const WORD = /(?<![\p{L}\p{N}])(?:\p{Lu}\p{L}*|the)(?![\p{L}\p{N}])/gu;

/** The place a name stands for; undefined for one we do not know. */
export function readPlace(name: string): Omit<PlaceFound, "start" | "end"> | undefined {
  const plain = name.trim().replace(/^the\s+/i, "");
  const { table } = gazetteer();
  const known = table.get(plain) ?? table.get(plain.charAt(0).toUpperCase() + plain.slice(1));
  return known === undefined ? undefined : { ...known, name: plain };
}

/**
 * Whether one place lies in another: "yes", "no", or "unknown" when neither the table nor the text tells. A country does not lie
 * in one of its cities.
 */
export function liesIn(inner: Omit<PlaceFound, "start" | "end">, outer: string): "yes" | "no" | "unknown" {
  const wanted = readPlace(outer);
  if (sameName(inner.name, outer)) return "yes";
  if (wanted === undefined) return inner.kind === "city" ? "no" : "unknown";
  if (wanted.kind === "city")
    return inner.kind === "city" ? "no" : shares(inner.countries, wanted.countries) ? "unknown" : "no";
  if (wanted.kind === "region") {
    const cities = REGION_CITIES[wanted.name]?.split("|") ?? [];
    if (cities.includes(inner.name)) return "yes";
    return shares(inner.countries, wanted.countries) ? "unknown" : "no";
  }
  if (inner.countries.size === 0) return "unknown";
  if (inner.kind === "continent") return shares(inner.countries, wanted.countries) ? "unknown" : "no";
  return [...inner.countries].every((country) => wanted.countries.has(country)) ? "yes" : "no";
}

/** The English name of a country's code. */
export function countryName(code: string): string {
  return COUNTRY_NAMES.of(code) ?? code;
}

function sameName(one: string, other: string): boolean {
  return fold(one) === fold(other.replace(/^the\s+/i, ""));
}

function fold(name: string): string {
  return name.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
}

function shares(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return [...one].some((code) => other.has(code));
}

const COUNTRY_NAMES = new Intl.DisplayNames(["en"], { type: "region" });

type Known = Pick<PlaceFound, "kind" | "countries">;

interface Gazetteer {
  readonly table: ReadonlyMap<string, Known>;
  /** The lengths of the names that begin with a word, longest first. */
  readonly starts: ReadonlyMap<string, readonly number[]>;
}

let made: Gazetteer | undefined;

/** Made when first asked for: a table of a thousand names is no cost for programs that never judge. */
function gazetteer(): Gazetteer {
  made ??= makeGazetteer();
  return made;
}

function makeGazetteer(): Gazetteer {
  const table = new Map<string, Known>();
  const only = (code: string): ReadonlySet<string> => new Set([code]);
  for (const [code, names] of Object.entries(CITIES)) {
    for (const name of names.split("|")) table.set(name, { kind: "city", countries: only(code) });
  }
  for (const [code, names] of Object.entries(REGIONS)) {
    for (const name of names.split("|")) table.set(name, { kind: "region", countries: only(code) });
  }
  for (const [name, codes] of Object.entries(CONTINENTS)) {
    table.set(name, { kind: "continent", countries: new Set(codes.split(" ")) });
  }
  const codes = new Set(Object.values(CONTINENTS).flatMap((list) => list.split(" ")));
  for (const code of codes) table.set(countryName(code), { kind: "country", countries: only(code) });
  for (const [name, code] of Object.entries(COUNTRY_ALIASES))
    table.set(name, { kind: "country", countries: only(code) });
  for (const [name, target] of Object.entries(DEMONYMS)) {
    const countries = table.get(target)?.countries ?? only(target);
    table.set(name, { kind: "demonym", countries });
  }
  const starts = new Map<string, number[]>();
  for (const name of table.keys()) {
    const first = /^\p{L}+/u.exec(name)?.[0] ?? name;
    starts.set(first, [...(starts.get(first) ?? []), name.length]);
  }
  for (const lengths of starts.values()) lengths.sort((one, other) => other - one);
  return { table, starts };
}
