import { chooseCatalogue } from "./catalogues.ts";
import type { English } from "./english.ts";

/** The name of a message in the table. */
export type MessageKey = keyof English;

/** The names in braces of a message: what it is told with. */
export type PlaceNames<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | PlaceNames<Rest> : never;

/** What a message needs beside its name: nothing, or a value for every place in it. */
export type Values<Key extends MessageKey, Value> = [PlaceNames<English[Key]>] extends [never]
  ? []
  : [values: Readonly<Record<PlaceNames<English[Key]>, Value>>];

/** Outside a browser there is no navigator, or one that some library made up without languages. */
const reader: Partial<Navigator> = typeof navigator === "undefined" ? {} : navigator;
const languages: readonly string[] = reader.languages ?? ["en"];

/** The language that the console speaks, and the one by which numbers and dates are written. */
export const { language, formats, catalogue } = chooseCatalogue(languages);

const numbers = new Intl.NumberFormat(formats);

/** A message of the table in the reader's language, its places filled in. */
export function say<Key extends MessageKey>(key: Key, ...[values]: Values<Key, string | number>): string {
  const given: Readonly<Record<string, string | number>> | undefined = values;
  const text: string = catalogue[key];
  if (given === undefined) return text;
  return text.replace(PLACE, (whole, name: string) => {
    const value = given[name];
    return typeof value === "number" ? numbers.format(value) : (value ?? whole);
  });
}

/** A place of a message that something is put into. */
export const PLACE = /\{(\w+)\}/g;
