import type { ContentPage } from "./content-page.ts";
import { cutAtWord } from "./cut-text.ts";
import type { Evidence } from "./evidence.ts";
import type { JsonSchema } from "./output-schema.ts";

const MAX_STRING_CHARACTERS = 600;
/** How many of the best sentences are searched for a number, a date or one of several names. */
const SEARCHED_SENTENCES = 5;

/** A value and the sentence it stands in. */
export interface FoundValue {
  readonly value: string | number;
  readonly evidence: Pick<Evidence, "page" | "score">;
}

/** What is asked of a leaf. */
export interface Leaf {
  readonly schema: JsonSchema;
  readonly type: string;
  /** The last part of its path. */
  readonly name: string;
}

/** A page says that of itself. */
const SURE = 1;

/**
 * What the best page says of itself under the leaf's name, whatever its sentences say; so does a page that is the only
 * one. Its own address answers at once what asks for the source.
 */
export function readFact(
  { schema, type, name }: Leaf,
  evidence: readonly Evidence[],
  pages: readonly ContentPage[],
): FoundValue | undefined {
  const [best] = evidence;
  const page = best?.page ?? (pages.length === 1 ? pages[0] : undefined);
  const fact = page === undefined || type !== "string" || "enum" in schema ? undefined : factOf(page, name);
  if (page === undefined || fact === undefined) return undefined;
  const value = fit(schema["format"] === "date" ? fact.slice(0, 10) : fact, schema);
  return value === undefined ? undefined : { value, evidence: { page, score: best?.score ?? SURE } };
}

/** Where an address is asked for and the sentences name none, the page's own; what calls itself a website needs no sentence. */
export function readOwnAddress(
  leaf: Leaf,
  evidence: readonly Evidence[],
  pages: readonly ContentPage[],
): FoundValue | undefined {
  if (leaf.type !== "string" || "enum" in leaf.schema || !isAddress(leaf)) return undefined;
  const [best] = evidence;
  const page = best?.page ?? (isWebsite(leaf) && pages.length === 1 ? pages[0] : undefined);
  return page === undefined ? undefined : { value: page.url, evidence: { page, score: best?.score ?? SURE } };
}

/** Whether an address is asked for. */
export function isAddress(leaf: Leaf): boolean {
  return ["uri", "url"].includes(String(leaf.schema["format"])) || isWebsite(leaf);
}

function isWebsite({ name }: Leaf): boolean {
  return /^(?:homepage|website)$/.test(plainName(name));
}

/** The value of a leaf as it stands in the evidence; undefined when it does not: nothing is guessed. */
export function readValue({ schema, type, name }: Leaf, evidence: readonly Evidence[]): FoundValue | undefined {
  const best = evidence.slice(0, SEARCHED_SENTENCES);
  const choices = schema["enum"];
  if (Array.isArray(choices)) return first(best, ({ text }) => choiceIn(text, choices));
  if (type === "number" || type === "integer") return first(best, ({ text }) => numberIn(text, schema, { type, name }));
  if (type !== "string") return undefined;
  if (isAddress({ schema, type, name })) return first(best, ({ text }) => addressIn(text));
  switch (schema["format"]) {
    case "date":
    case "date-time":
      return first(best, ({ text }) => dateIn(text, schema["format"] === "date"));
    case "email":
      return first(best, ({ text }) => /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}/.exec(text)?.[0]);
    default:
      return first(evidence.slice(0, 1), (one) => fit(one.text, schema));
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

/** Without the marks that end its sentence. */
function addressIn(text: string): string | undefined {
  return /https?:\/\/[^\s<>"')\]]+/.exec(text)?.[0].replace(/(?<![.,;:!?])[.,;:!?]+$/, "");
}

/** What the page says of itself answers some questions better than its sentences. */
function factOf(page: ContentPage, name: string): string | undefined {
  const word = plainName(name);
  if (/^(?:title|headline|pagetitle|articletitle)$/.test(word)) return page.title ?? undefined;
  if (/^(?:url|link|source|sourceurl|sourcelink|pageurl)$/.test(word)) return page.url;
  if (/^(?:author|byline|writer)$/.test(word)) return page.author ?? undefined;
  if (/^(?:publish(?:ed)?date|publicationdate|datepublished|publishedat)$/.test(word))
    return page.publishedAt?.toISOString();
  return undefined;
}

function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z]/g, "");
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
/** `year`, `release_year`, `foundedYear`: nothing else will do; `visitors_per_year` is no year. */
const IS_YEAR = /(?<!(?:[Pp]er|[Ee]ach|[Ee]very|[Ll]ast|\ba)_?)(?:\byear|_year|Year)$/;
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
    const isYear = YEAR.test(groups?.["digits"] ?? "") && scale === 1;
    if (isYear ? !ASKS_YEAR.test(field.name) : IS_YEAR.test(field.name)) continue;
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
