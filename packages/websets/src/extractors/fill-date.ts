import { findQuote, quoteAt, type PageText } from "../evidence.ts";
import { nearestValue } from "./fill-values.ts";
import type { Filled, Filling } from "./filling.ts";
import { firstLine, hostOf, lineAround } from "./page-lines.ts";
import { findCandidates, type Candidate } from "./find-candidates.ts";
import { readDates } from "./read-dates.ts";
import { ownFounding } from "./structured-facts.ts";

/**
 * A date: the page's own for "published"; for when a text itself was given or written, the page's own where its title
 * names the same year, or the line that dates it; else the date that stands with the column's words.
 */
export function fillDate(filling: Filling): Filled | undefined {
  const { enrichment, pages, topic } = filling;
  const { description } = enrichment;
  if (PUBLISHED.test(description) || (isText(filling) && RELEASED.test(description))) {
    const published = first(pages, publishedDay);
    if (published !== undefined) return published;
  }
  const candidates = findCandidates(pages, topic, "event");
  if (!isText(filling) || !GIVEN.test(description)) {
    const stated = first(candidates, dateBeside);
    return stated ?? (FOUNDED.test(description) ? ownFounding(filling) : undefined);
  }
  return (
    first(pages, titledDay) ??
    first(
      candidates.filter(({ score }) => score >= 1),
      dateBeside,
    ) ??
    first(pages, dateLine) ??
    first(candidates, dateBeside)
  );
}

const FOUNDED =
  /\b(?:found(?:ed|ing|ation)|established|incorporated|inception|started)\b|gegründet|gründung|(?:date|année) de (?:création|fondation)/iu;
const PUBLISHED = /\b(?:publi(?:shed|cation)|posted)\b/i;
const RELEASED = /\b(?:released?|issued?)\b/i;
/** Asks when a text came about: "when was the speech given", "date of the letter". */
const GIVEN =
  /\b(?:given|gave|delivered|spoken|held|presented|written|wrote|signed|dated|made|read)\b|\b(?:date|day|year|when)\b[^.?]{0,200}\b(?:speech|address|talk|lecture|sermon|letter|essay|remarks|statement|message|proclamation|testimony|interview|debate|memo|report|article|paper|document|text)\b/i;

function isText({ entity }: Filling): boolean {
  return entity.type !== "company" && entity.type !== "person";
}

function first<Item>(items: readonly Item[], fill: (item: Item) => Filled | undefined): Filled | undefined {
  for (const item of items) {
    const filled = fill(item);
    if (filled !== undefined) return filled;
  }
  return undefined;
}

const HEAD_CHARACTERS = 5_000;

function publishedDay(page: PageText): Filled | undefined {
  const day = dayOf(page);
  if (day === undefined) return undefined;
  const found = readDates(page.text.slice(0, HEAD_CHARACTERS)).find(({ value }) => value === day);
  const quote = found === undefined ? firstLine(page) : lineAround(page, found.start, found.end);
  return quote === undefined ? undefined : { result: [day], rule: "the page's own date", references: [quote] };
}

/** An old text put on the web lately has the web's date: only a title of the same year says that the date is the text's. */
function titledDay(page: PageText): Filled | undefined {
  const day = dayOf(page);
  const { title } = page;
  if (day === undefined || title === null) return undefined;
  const years = Array.from(title.matchAll(/(?<!\d)\d{4}(?!\d)/g), ([year]) => year);
  if (!years.includes(day.slice(0, 4))) return undefined;
  const dated = readDates(page.text.slice(0, HEAD_CHARACTERS)).find(({ value }) => value === day);
  const quote =
    dated === undefined ? (findQuote(page, title) ?? firstLine(page)) : lineAround(page, dated.start, dated.end);
  return quote === undefined
    ? undefined
    : { result: [day], rule: `the page's own date, in the year of its title “${title}”`, references: [quote] };
}

function dayOf({ publishedDate }: PageText): string | undefined {
  return /^\d{4}-\d{2}-\d{2}/.exec(publishedDate ?? "")?.[0];
}

const MAX_LINES = 12;
/** What a line that dates a text has besides the date: a place, at most. */
const MAX_BESIDES = 40;
/** A line about the page, not about its text. */
const OF_THE_PAGE = /\b(?:posted|published|updated|modified|retrieved|accessed|uploaded|copyright|by)\b|©/i;

/** "Rochester, New York, July 5, 1852" near the top of a letter or a speech. */
function dateLine(page: PageText): Filled | undefined {
  const lines = Array.from(page.text.slice(0, HEAD_CHARACTERS).matchAll(/[^\n]+/g))
    .filter(([line]) => line.trim() !== "")
    .slice(0, MAX_LINES);
  for (const { 0: line, index } of lines) {
    const [date] = readDates(line, { isMonthFirst: isMonthFirst(page) });
    if (date?.value.length !== "2000-01-01".length || OF_THE_PAGE.test(line)) continue;
    if (line.trim().length - (date.end - date.start) > MAX_BESIDES) continue;
    const quote = quoteAt(page, index, index + line.length);
    if (quote !== undefined) return { result: [date.value], rule: "the line that dates the text", references: [quote] };
  }
  return undefined;
}

function dateBeside(candidate: Candidate): Filled | undefined {
  const statement = withWholeDate(candidate.statement);
  const { page, text } = statement;
  const writtenAt = new Date(page.publishedDate ?? NaN);
  const dates = readDates(text, {
    ...(Number.isNaN(writtenAt.getTime()) ? {} : { writtenAt }),
    isMonthFirst: isMonthFirst(page),
  });
  return nearestValue(dates, { ...candidate, statement }, "date beside the column's words");
}

/** "4. Mai 2019": the full stop of an ordinal may have ended the sentence. */
function withWholeDate(statement: Candidate["statement"]): Candidate["statement"] {
  const { page, start, end, text } = statement;
  const rest = /(?<!\d)\d{1,2}\.$/.test(text)
    ? (/^ \p{L}{3,12} \d{4}/u.exec(page.text.slice(end, end + 30))?.[0] ?? "")
    : "";
  return { ...statement, end: end + rest.length, text: page.text.slice(start, end + rest.length) };
}

function isMonthFirst(page: PageText): boolean {
  if (/^(?:de|fr|it|es|nl|pt|da|sv|nb|fi|pl)$/.test(page.language ?? "")) return false;
  return !/\.(?:uk|de|fr|it|es|nl|au|in|ie|nz|eu)$/i.test(hostOf(page.url));
}
