import type { English } from "./english.ts";
import { catalogue, formats, language, PLACE } from "./say.ts";

/** The messages that are told of a number: each has a form for one and for others, and in other languages perhaps more. */
export type CountKey = keyof English extends infer Key ? (Key extends `${infer Name}.other` ? Name : never) : never;

const plurals = new Intl.PluralRules(language);
const numbers = new Intl.NumberFormat(formats);

/** "1 page", "12 pages": the form that the reader's language has for the number. */
export function sayCount(key: CountKey, count: number): string {
  const forms: Readonly<Record<string, string>> = catalogue;
  const form = forms[`${key}.${plurals.select(count)}`] ?? forms[`${key}.other`] ?? "";
  return form.replace(PLACE, () => numbers.format(count));
}
