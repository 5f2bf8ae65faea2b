import { cutAtWord } from "./cut-text.ts";
import type { Evidence } from "./evidence.ts";
import type { JsonSchema } from "./output-schema.ts";

const MAX_STRING_CHARACTERS = 600;
/** How many of the best sentences are searched for a number, a date or one of several names. */
const SEARCHED_SENTENCES = 5;

/** A value and the sentence it stands in. */
export interface FoundValue {
  readonly value: string | number;
  readonly evidence: Evidence;
}

/** The value of a leaf as it stands in the evidence; undefined when it does not: nothing is guessed. */
export function readValue(
  schema: JsonSchema,
  type: string,
  name: string,
  evidence: readonly Evidence[],
): FoundValue | undefined {
  const best = evidence.slice(0, SEARCHED_SENTENCES);
  const choices = schema["enum"];
  if (Array.isArray(choices)) return first(best, ({ text }) => choiceIn(text, choices));
  if (type === "number" || type === "integer") return first(best, ({ text }) => numberIn(text, schema, { type, name }));
  if (type !== "string") return undefined;
  switch (schema["format"]) {
    case "date":
    case "date-time":
      return first(best, ({ text }) => dateIn(text, schema["format"] === "date"));
    case "uri":
    case "url":
      return first(best, ({ text, page }) => /https?:\/\/[^\s<>"')\]]+/.exec(text)?.[0] ?? page.url);
    case "email":
      return first(best, ({ text }) => /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}/.exec(text)?.[0]);
    default:
      return first(evidence.slice(0, 1), (one) => fit(factOf(one, name) ?? one.text, schema));
  }
}

function first(
  evidence: readonly Evidence[],
  read: (one: Evidence) => string | number | undefined,
): FoundValue | undefined {
  for (const one of evidence) {
    const value = read(one);
    if (value !== undefined) return { value, evidence: one };
  }
  return undefined;
}

/** What the page says of itself answers some questions better than its sentences. */
function factOf({ page }: Evidence, name: string): string | undefined {
  const word = name.toLowerCase().replaceAll(/[^a-z]/g, "");
  if (/^(?:title|headline|pagetitle|articletitle)$/.test(word)) return page.title ?? undefined;
  if (/^(?:url|link|source|sourceurl|website)$/.test(word)) return page.url;
  if (/^(?:author|byline|writer)$/.test(word)) return page.author ?? undefined;
  if (/^(?:publisheddate|publicationdate|datepublished|publishedat)$/.test(word))
    return page.publishedAt?.toISOString();
  return undefined;
}

function fit(text: string, schema: JsonSchema): string | undefined {
  const most = typeof schema["maxLength"] === "number" ? schema["maxLength"] : MAX_STRING_CHARACTERS;
  const least = typeof schema["minLength"] === "number" ? schema["minLength"] : 0;
  const value = cutAtWord(text.trim(), Math.min(most, MAX_STRING_CHARACTERS));
  return value.length < least ? undefined : value;
}

function choiceIn(text: string, choices: readonly unknown[]): string | number | undefined {
  const words = ` ${plain(text)} `;
  return choices.find(
    (choice): choice is string | number =>
      (typeof choice === "string" || typeof choice === "number") && words.includes(` ${plain(String(choice))} `),
  );
}

function plain(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

const NUMBER =
  /(?<![\p{L}\p{N}.,-])(?<digits>-?\d{1,15}(?:,\d{3})*(?:\.\d{1,10})?)(?:\s?(?<scale>thousand|million|billion|k|m|bn)\b)?/giu;
const SCALES: Readonly<Record<string, number>> = {
  thousand: 1e3,
  k: 1e3,
  million: 1e6,
  m: 1e6,
  billion: 1e9,
  bn: 1e9,
};

/** A number that looks like a year answers only what asks for one. */
const YEAR = /^(?:1[5-9]|20)\d\d$/;
const ASKS_YEAR = /year|date|when|since|founded|established|released|published/i;

function numberIn(
  text: string,
  schema: JsonSchema,
  field: { readonly type: string; readonly name: string },
): number | undefined {
  const least = typeof schema["minimum"] === "number" ? schema["minimum"] : -Infinity;
  const most = typeof schema["maximum"] === "number" ? schema["maximum"] : Infinity;
  for (const { groups } of text.matchAll(NUMBER)) {
    const scale = SCALES[groups?.["scale"]?.toLowerCase() ?? ""] ?? 1;
    const value = Number((groups?.["digits"] ?? "").replaceAll(",", "")) * scale;
    if (!Number.isFinite(value) || value < least || value > most) continue;
    if (field.type === "integer" && !Number.isInteger(value)) continue;
    if (YEAR.test(groups?.["digits"] ?? "") && scale === 1 && !ASKS_YEAR.test(field.name)) continue;
    return value;
  }
  return undefined;
}

const MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december";
const DATES = new RegExp(
  `\\b(?:\\d{4}-\\d{2}-\\d{2}|(?:${MONTHS}) \\d{1,2},? \\d{4}|\\d{1,2} (?:${MONTHS}) \\d{4})\\b`,
  "i",
);

function dateIn(text: string, isDay: boolean): string | undefined {
  const found = DATES.exec(text)?.[0];
  const date = found === undefined ? undefined : new Date(/^\d{4}-/.test(found) ? found : `${found} UTC`);
  if (date === undefined || Number.isNaN(date.getTime())) return undefined;
  return isDay ? date.toISOString().slice(0, 10) : date.toISOString();
}
