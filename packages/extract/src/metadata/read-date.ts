import * as chrono from "chrono-node";
import type { PageKind } from "../html/page-kind-names.ts";
import { textOf, type PageElement } from "../html/page-tree.ts";
import { metaValue, type PageFacts } from "./collect-facts.ts";
import { firstText, isItem, typesOf } from "./json-ld.ts";

/** A date with the kind of evidence it rests on, strongest first: see `readPublishedDate`. */
export interface DateFinding {
  /** ISO 8601: a day, or a moment with the offset the page gave. */
  readonly date: string;
  readonly evidence: "json-ld" | "meta" | "time" | "url" | "text";
}

const EARLIEST_YEAR = 1990;
const MAX_TEXT_TRIES = 6;
const META_NAMES = [
  "article:published_time",
  "og:article:published_time",
  "datepublished",
  "article:published",
  "og:published_time",
  "publish_date",
  "publish-date",
  "pubdate",
  "published_time",
  "parsely-pub-date",
  "sailthru.date",
  "dc.date.issued",
  "dcterms.issued",
  "dcterms.created",
  "dc.date",
  "dc.date.created",
  "citation_publication_date",
  "citation_date",
  "date",
  "article:created",
  "datecreated",
  "uploaddate",
  "rnews:datepublished",
];

/** What the search for a date knows beside the facts and the URL. */
export interface DateContext {
  readonly now: Date;
  readonly kind: PageKind;
  /** Whether the kind is sure; a page that only may be a shop's is believed what it says. */
  readonly isSure: boolean;
  /** The lines beside the title. */
  readonly creditLines: readonly string[];
}

/**
 * When the page was published, by the page's own evidence in this order: JSON-LD, meta elements, `<time>`,
 * the URL, dates in the text. Only articles and threads are dated by their text; manuals, services and shops also
 * carry stamps of the system that made them, which say nothing: there the URL counts, and an article's JSON-LD on the
 * first two. Dates later than `now` plus a day, or before the web, are not believed.
 */
export function readPublishedDate(facts: PageFacts, url: string, context: DateContext): DateFinding | undefined {
  const { now, kind, isSure } = context;
  const found = (evidence: DateFinding["evidence"], date: string | undefined): DateFinding | undefined =>
    date === undefined ? undefined : { date, evidence };
  const isText = kind === "article" || kind === "forum";
  const isWritten = isText || kind === "listing";
  const isShop = isSure && (kind === "product" || kind === "collection");
  const hasStamps = isSure && !isWritten;
  return (
    (isShop ? undefined : found("json-ld", fromJsonLd(facts, now, hasStamps))) ??
    (hasStamps ? undefined : found("meta", fromMeta(facts, now))) ??
    (isWritten ? found("time", fromTimes(facts.times, now)) : undefined) ??
    found("url", fromUrl(url, now)) ??
    (isText ? found("text", fromText(facts, context)) : undefined)
  );
}

function fromJsonLd(facts: PageFacts, now: Date, articlesOnly: boolean): string | undefined {
  const isVideo = (metaValue(facts, "og:type") ?? "").startsWith("video");
  const rank = (types: readonly string[]): number => {
    if (types.some((type) => /article|posting|report|recipe|qapage|question/i.test(type))) return 0;
    if (articlesOnly) return 2;
    return types.some((type) => (isVideo ? /page|creativework|video/i : /page|creativework/i).test(type)) ? 1 : 2;
  };
  const items = facts.jsonLd
    .map((item) => ({ item, rank: rank(typesOf(item)) }))
    .filter((one) => one.rank < 2)
    .sort((one, other) => one.rank - other.rank);
  for (const { item } of items) {
    const main = item["mainEntity"];
    for (const owner of [item, isItem(main) ? main : undefined]) {
      if (owner === undefined) continue;
      for (const key of ["datePublished", "dateCreated", "uploadDate"]) {
        const date = toIsoDate(firstText(owner[key]) ?? "", now);
        if (date !== undefined) return date;
      }
    }
  }
  return undefined;
}

function fromMeta(facts: PageFacts, now: Date): string | undefined {
  for (const name of META_NAMES) {
    const date = toIsoDate(metaValue(facts, name) ?? "", now);
    if (date !== undefined) return date;
  }
  return undefined;
}

function fromTimes(times: readonly PageElement[], now: Date): string | undefined {
  let first: string | undefined;
  for (const element of times) {
    const { attributes } = element;
    const date = toIsoDate(attributes["datetime"] ?? attributes["content"] ?? textOf(element, 60), now);
    if (date === undefined || isAsideTime(element)) continue;
    const names = `${attributes["class"] ?? ""} ${attributes["itemprop"] ?? ""}`;
    if (/publi|posted|entry-date|created/i.test(names)) return date;
    if (!/updat|modif/i.test(names)) first ??= date;
  }
  return first;
}

const ASIDE_NAME = /(?<![a-z])(?:related|sidebar|widget|recent|comments?)(?![a-z])/i;

/** Times in lists of other pages say nothing about this one. */
function isAsideTime(element: PageElement): boolean {
  for (let above = element.parent; above !== undefined; above = above.parent) {
    if (above.tag === "aside" || above.tag === "nav" || above.tag === "footer") return true;
    if (ASIDE_NAME.test((above.attributes["class"] ?? "").replace(/elementor-\S+/g, "")) && above.tag !== "body")
      return true;
  }
  return false;
}

function fromUrl(url: string, now: Date): string | undefined {
  const match = /[/_-]((?:19|20)\d\d)[/_-](0[1-9]|1[0-2])[/_-](0[1-9]|[12]\d|3[01])(?=[/_-]|\D|$)/.exec(url);
  return match === null ? undefined : toIsoDate(`${match[1] ?? ""}-${match[2] ?? ""}-${match[3] ?? ""}`, now);
}

const LOOKS_DATED = /\b(?:19|20)\d\d\b|\b\d{1,2}[/.]\d{1,2}[/.]\d{2,4}\b/;

const NOT_PUBLISHED = /©|copyright|registered|joined|member since|location|deadline|expires/i;
const MAX_DATELINE_CHARS = 45;
const CHANGED = /updat|modif|edited|revis|reviewed/i;

/** A date in a line beside the title; one of a change counts when there is no other. */
function fromCreditLines(lines: readonly string[], read: DateReader): string | undefined {
  const dated = lines
    .filter((line) => LOOKS_DATED.test(line) && isDateline(line) && !NOT_PUBLISHED.test(line))
    .slice(0, MAX_TEXT_TRIES);
  for (const chosen of [dated.filter((line) => !CHANGED.test(line)), dated.filter((line) => CHANGED.test(line))]) {
    for (const line of chosen) {
      const date = read(line);
      if (date !== undefined) return date;
    }
  }
  return undefined;
}

/** Whether a line is about its date: little else stands in it, or it speaks of writing. */
function isDateline(line: string): boolean {
  return (
    line.length <= MAX_DATELINE_CHARS || /^by\b|\b(?:posted|published|written|updated|min(?:ute)?s? read)\b/i.test(line)
  );
}

/** In a thread the posts' own lines come before those beside its title, which may be about the last post. */
function fromText(facts: PageFacts, { now, kind, creditLines }: DateContext): string | undefined {
  const read = makeDateReader(now, facts.language);
  const credited = (): string | undefined => fromCreditLines(creditLines, read);
  return kind === "forum" ? (fromDateLines(facts, read) ?? credited()) : (credited() ?? fromDateLines(facts, read));
}

type DateReader = (line: string) => string | undefined;

/** Reads the date of a line, once: an element and the one around it often hold the same, and looking is dear. */
function makeDateReader(now: Date, language: string | undefined): DateReader {
  const known = new Map<string, string | undefined>();
  return (line) => {
    if (!known.has(line)) known.set(line, toIsoDate(line, now) ?? fromWords(line, now, language));
    return known.get(line);
  };
}

function fromDateLines(facts: PageFacts, read: DateReader): string | undefined {
  let tries = 0;
  for (const element of facts.dateLines) {
    if (isAsideTime(element)) continue;
    const content = element.attributes["content"] ?? element.attributes["datetime"] ?? element.attributes["title"];
    for (const text of [content ?? "", textOf(element, 160)]) {
      if (!LOOKS_DATED.test(text) || text.length > 150) continue;
      tries += 1;
      if (tries > MAX_TEXT_TRIES) return undefined;
      const date = read(text);
      if (date !== undefined) return date;
    }
  }
  return undefined;
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const MONTH =
  "(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?";
/** The two ways in which nearly all such dates are written; whatever else there is goes to the slow reader. */
const PLAIN_DATE = new RegExp(
  `\\b(?:(\\d{1,2})(?:st|nd|rd|th)?\\s+${MONTH}|${MONTH}\\s+(\\d{1,2})(?:st|nd|rd|th)?),?\\s+((?:19|20)\\d\\d)\\b`,
  "i",
);

/** Who writes dots writes the day first. */
const DOTTED_DAY = /(?<![\d.])(\d{1,2})\.\s?(\d{1,2})\.\s?((?:19|20)\d\d)(?![\d.])/;

/** A date in running words ("12 May 2024", "May 12th, 2024"); only one with day, month and year counts. */
function fromWords(text: string, now: Date, language: string | undefined): string | undefined {
  const plain = PLAIN_DATE.exec(text);
  if (plain !== null) {
    const [, first = "", firstMonth, secondMonth, second = "", year = ""] = plain;
    const month = MONTHS.indexOf((firstMonth ?? secondMonth ?? "").slice(0, 3).toLowerCase()) + 1;
    const day = firstMonth === undefined ? second : first;
    return checkRange(`${year}-${String(month).padStart(2, "0")}-${day.padStart(2, "0")}`, now);
  }
  const dotted = DOTTED_DAY.exec(text);
  if (dotted !== null) {
    const date = dayOf({ year: dotted[3], month: dotted[2], day: dotted[1] }, now);
    if (date !== undefined) return date;
  }
  const parser = /^en-(?:gb|au|nz|ie|in)/i.test(language ?? "") ? chrono.en.GB : chrono.en.casual;
  for (const { start } of parser.parse(text.slice(0, 200), now)) {
    if (!start.isCertain("day") || !start.isCertain("month") || !start.isCertain("year")) continue;
    const day = [start.get("year"), start.get("month"), start.get("day")];
    const date = checkRange(
      day.map((part, index) => String(part ?? 0).padStart(index === 0 ? 4 : 2, "0")).join("-"),
      now,
    );
    if (date !== undefined) return date;
  }
  return undefined;
}

const ISO =
  /^\s*(\d{4})-?(\d{2})-?(\d{2})(?:[T\s]+(\d{2}):?(\d{2})(?::?(\d{2}))?(?:[.,]\d+)?\s*(Z|UTC|GMT|[+-]\d{2}:?\d{2}|[+-]\d{2})?.*)?\s*$/i;

/** Reads the machine formats: ISO 8601 and its relatives, RFC 2822, Unix time. */
export function toIsoDate(text: string, now: Date): string | undefined {
  const trimmed = text.trim();
  if (trimmed === "" || trimmed.length > 60) return undefined;
  const match = ISO.exec(trimmed);
  if (match !== null) {
    const [, year = "", month = "", day = "", hour, minute, second = "00", zone] = match;
    const date = `${year}-${month}-${day}`;
    if (hour === undefined || minute === undefined) return checkRange(date, now);
    return checkRange(`${date}T${hour}:${minute}:${second}${normalizeZone(zone)}`, now);
  }
  if (/^\d{10}(?:\d{3})?$/.test(trimmed)) {
    const milliseconds = Number(trimmed) * (trimmed.length === 10 ? 1000 : 1);
    return checkRange(new Date(milliseconds).toISOString().replace(/\.\d+Z$/, "Z"), now);
  }
  const yearFirst = YEAR_FIRST.exec(trimmed);
  if (yearFirst !== null) return dayOf({ year: yearFirst[1], month: yearFirst[3], day: yearFirst[4] }, now);
  // the day as it is written: what the time and its zone would make of it elsewhere is another
  const written = WRITTEN_DAY.exec(trimmed)?.[1];
  const moment = written === undefined ? Number.NaN : Date.parse(`${written} UTC`);
  return Number.isNaN(moment) ? undefined : checkRange(new Date(moment).toISOString().slice(0, 10), now);
}

/** `2024/5/6`, `2024-5-6` and `2024.05.06`, with a time or without. */
const YEAR_FIRST = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)/;
const WRITTEN_DAY = /^(?:[a-z]{3,9},?\s+)?((?:\d{1,2}\s+[a-z]{3,9}|[a-z]{3,9}\s+\d{1,2}),?\s+\d{4})/i;

function dayOf(
  { year = "", month = "", day = "" }: Readonly<Record<"year" | "month" | "day", string | undefined>>,
  now: Date,
): string | undefined {
  const date = `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  const moment = new Date(`${date}T00:00:00Z`);
  // what is no day of the calendar must not become the next month's
  return Number.isNaN(moment.getTime()) || !moment.toISOString().startsWith(date) ? undefined : checkRange(date, now);
}

function normalizeZone(zone: string | undefined): string {
  if (zone === undefined) return "";
  if (/^(?:z|utc|gmt)$/i.test(zone)) return "Z";
  const digits = zone.slice(1).replace(":", "").padEnd(4, "0");
  return `${zone.charAt(0)}${digits.slice(0, 2)}:${digits.slice(2)}`;
}

const DAY_MS = 86_400_000;

function checkRange(date: string, now: Date): string | undefined {
  const moment = Date.parse(date);
  if (Number.isNaN(moment) || moment > now.getTime() + DAY_MS) return undefined;
  return new Date(moment).getUTCFullYear() < EARLIEST_YEAR ? undefined : date;
}
