import { isUrl } from "@quarry/base";
import { absoluteUrl } from "../entities/page-urls.ts";
import { structuredItems, textIn, textsIn } from "../entities/structured-items.ts";
import { findQuote, quoteAt, type Evidence, type PageText } from "../evidence.ts";
import { siteOf } from "../judge/subject.ts";
import type { CellQuestion } from "./cell.ts";
import type { Candidate, ColumnTopic } from "./find-candidates.ts";
import { findCandidates } from "./find-candidates.ts";
import type { FoundValue } from "./found-value.ts";
import { readProduct } from "./product.ts";
import { readEmails } from "./read-emails.ts";
import { readNumbers, writeNumber } from "./read-numbers.ts";
import { readPhones } from "./read-phones.ts";
import { readUrls, toAbsolute } from "./read-urls.ts";

/** A value for a cell, the rule that found it and the quote it stands in. */
export interface Filled {
  readonly result: readonly string[];
  readonly rule: string;
  readonly references: readonly Evidence[];
}

/** What a filler works on. */
export interface Filling extends Pick<CellQuestion, "entity" | "enrichment" | "pages"> {
  readonly topic: ColumnTopic;
}

/** A number: structured data, then the number that stands with the column's words. */
export function fillNumber({ enrichment, pages, topic }: Filling): Filled | undefined {
  const { description } = enrichment;
  const asksYear = /\byear\b|\bwhen\b/i.test(description);
  const asksMoney =
    /\b(?:price|cost|revenue|funding|raised|valuation|salary|turnover|sales|budget|fee|investment)\b/i.test(
      description,
    );
  const asksPercent = /\b(?:percent(?:age)?|share|rate|%)\b/i.test(description);
  if (/\b(?:price|cost)\b/i.test(description)) {
    const product = fillPrice(pages);
    if (product !== undefined) return product;
  }
  const stated = structuredNumber(pages, description);
  if (stated !== undefined) return stated;
  for (const { statement, anchor } of findCandidates(pages, topic, asksMoney || asksYear ? "event" : "state")) {
    const numbers = readNumbers(statement.text).filter((number) => {
      if (asksYear) return number.looksLikeYear;
      if (number.looksLikeYear && !asksMoney)
        return number.end <= anchor.start && /^\s+\p{Ll}/u.test(statement.text.slice(number.end));
      if (asksMoney) return number.currency !== null || (statement.label !== null && !number.isPercent);
      return number.isPercent === asksPercent && number.currency === null;
    });
    const nearest = [...numbers].sort((one, other) => distance(one, anchor) - distance(other, anchor))[0];
    const quote = quoteAt(statement.page, statement.start, statement.end);
    if (nearest === undefined || quote === undefined) continue;
    return {
      result: [writeNumber(nearest.value)],
      rule: statement.label === null ? "number beside the column's words" : "labelled number",
      references: [quote],
    };
  }
  return undefined;
}

function fillPrice(pages: readonly PageText[]): Filled | undefined {
  for (const page of pages) {
    const { price, source } = readProduct(page);
    if (price === null || source === null) continue;
    const found = readNumbers(page.text).find(({ value }) => value === Number(price));
    const named = page.title === null ? undefined : findQuote(page, page.title);
    const quote = found === undefined ? (named ?? firstLine(page)) : lineAround(page, found.start, found.end);
    if (quote !== undefined) return { result: [price], rule: `price from the page's ${source}`, references: [quote] };
  }
  return undefined;
}

const STRUCTURED_NUMBERS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/\bemployees?\b|\bstaff\b|\bheadcount\b/i, ["numberOfEmployees"]],
  [/\brating\b/i, ["ratingValue"]],
  [/\breviews?\b/i, ["reviewCount", "ratingCount"]],
  [/\bpages\b/i, ["numberOfPages"]],
];

/** A number of structured data counts when the text shows it, too: that is its quote. */
function structuredNumber(pages: readonly PageText[], description: string): Filled | undefined {
  const names = STRUCTURED_NUMBERS.find(([pattern]) => pattern.test(description))?.[1] ?? [];
  for (const page of names.length === 0 ? [] : pages) {
    const written = structuredItems(page)
      .map((item) => textIn(item, ...names))
      .find((one) => one !== null);
    const value = written === undefined ? undefined : readNumbers(written)[0]?.value;
    const found = value === undefined ? undefined : readNumbers(page.text).find((number) => number.value === value);
    const quote = found === undefined ? undefined : lineAround(page, found.start, found.end);
    if (value !== undefined && quote !== undefined)
      return { result: [writeNumber(value)], rule: "structured data, shown in the text", references: [quote] };
  }
  return undefined;
}

/** An email address: one of the entity's own site first, then the one that stands nearest to the column's words. */
export function fillEmail({ entity, enrichment, pages }: Filling): Filled | undefined {
  const site = siteOf(entity.url);
  const wanted = /\b(sales|press|media|support|help|jobs|careers?|hr|billing|investor|privacy|info|contact)\b/i
    .exec(enrichment.description)?.[1]
    ?.toLowerCase();
  const found = pages.flatMap((page) => readEmails(page.text).map((one) => ({ page, one })));
  const ranked = found
    .filter(({ one }) => !/^(?:no-?reply|example|test|you|your|name|user)@|@example\./.test(one.value))
    .map(({ page, one }) => ({
      page,
      one,
      score:
        (siteOf(`https://${one.value.split("@")[1] ?? ""}`) === site ? 2 : 0) +
        (wanted !== undefined && one.value.startsWith(wanted.slice(0, 4)) ? 3 : 0) +
        (wanted === undefined && /^(?:info|contact|hello|office|mail)@/.test(one.value) ? 0.5 : 0) +
        (entity.type === "person" && localMatches(one.value, entity.name) ? 3 : 0),
    }))
    .sort((one, other) => other.score - one.score);
  const best = ranked[0];
  const quote = best === undefined ? undefined : lineAround(best.page, best.one.start, best.one.end);
  return best === undefined || quote === undefined
    ? undefined
    : { result: [best.one.value], rule: "email address in the text", references: [quote] };
}

function localMatches(email: string, name: string): boolean {
  const local = email.split("@")[0] ?? "";
  return name
    .toLowerCase()
    .split(/\s+/)
    .some((part) => part.length >= 3 && local.includes(part));
}

/** A phone number: read by the rules of the entity's country. */
export function fillPhone({ entity, enrichment, pages }: Filling): Filled | undefined {
  const country = countryOf(entity, pages);
  const wantsFax = /\bfax\b/i.test(enrichment.description);
  for (const page of pages) {
    const phones = readPhones(page.text, country).filter(({ start }) => {
      const before = page.text.slice(Math.max(0, start - 20), start);
      return wantsFax === /\bfax\b[^\n]*$/i.test(before);
    });
    const best = phones[0];
    const quote = best === undefined ? undefined : lineAround(page, best.start, best.end);
    if (best !== undefined && quote !== undefined)
      return { result: [best.value], rule: "phone number in the text", references: [quote] };
  }
  return undefined;
}

function countryOf(entity: Filling["entity"], pages: readonly PageText[]): string | undefined {
  const { properties } = entity;
  const code = properties.type === "company" ? properties.company.headquarters?.countryCode : undefined;
  if (code !== null && code !== undefined) return code;
  const ending = /\.([a-z]{2})$/i.exec(hostOf(entity.url))?.[1]?.toUpperCase();
  if (ending === "UK") return "GB";
  if (ending !== undefined && !/^(?:IO|AI|CO|TV|ME|EU)$/.test(ending)) return ending;
  const language = pages[0]?.language;
  const byLanguage: Readonly<Record<string, string>> = {
    de: "DE",
    fr: "FR",
    it: "IT",
    es: "ES",
    nl: "NL",
    sv: "SE",
    da: "DK",
    fi: "FI",
    pl: "PL",
    pt: "PT",
    ja: "JP",
  };
  return byLanguage[language ?? ""] ?? "US";
}

const NETWORKS: readonly (readonly [RegExp, RegExp])[] = [
  [/linkedin/i, /(?:^|\.)linkedin\.com$/],
  [/twitter|\bx\.com\b|\bx (?:profile|account|url)\b/i, /(?:^|\.)(?:twitter|x)\.com$/],
  [/facebook/i, /(?:^|\.)facebook\.com$/],
  [/instagram/i, /(?:^|\.)instagram\.com$/],
  [/youtube/i, /(?:^|\.)youtube\.com$/],
  [/github/i, /(?:^|\.)github\.com$/],
  [/crunchbase/i, /(?:^|\.)crunchbase\.com$/],
  [/tiktok/i, /(?:^|\.)tiktok\.com$/],
];

/** An address: the entity's own for its website, a profile on a network, or a link whose words are the column's. */
export function fillUrl({ entity, enrichment, pages, topic }: Filling): Filled | undefined {
  const { description } = enrichment;
  const network = NETWORKS.find(([asks]) => asks.test(description))?.[1];
  for (const page of pages) {
    const links = [
      ...(page.links ?? []),
      ...structuredItems(page).flatMap((item) => textsIn(item, "sameAs").map((url) => ({ url, text: "" }))),
    ];
    const written = readUrls(page.text);
    const fits = (url: string): boolean => network?.test(hostOf(url)) ?? false;
    if (network !== undefined) {
      const spot = written.find(({ value }) => fits(toAbsolute(value) ?? ""));
      const link = links.find(({ url }) => fits(url));
      const quote =
        spot === undefined
          ? link === undefined
            ? undefined
            : ((link.text === "" ? undefined : findQuote(page, link.text)) ?? firstLine(page))
          : lineAround(page, spot.start, spot.end);
      const url = spot === undefined ? absoluteUrl(link?.url, page.url) : toAbsolute(spot.value);
      if (quote !== undefined && url !== undefined && url !== null)
        return { result: [url], rule: "link to the network", references: [quote] };
      continue;
    }
    const named = links.find(({ text }) => text !== "" && topic.stems.length > 0 && scoreLink(text, topic) >= 0.5);
    const place = named === undefined ? undefined : findQuote(page, named.text);
    const target = absoluteUrl(named?.url, page.url);
    if (place !== undefined && target !== null)
      return { result: [target], rule: "link whose words are the column's", references: [place] };
  }
  if (network !== undefined) return undefined;
  if (
    /\b(?:web ?site|homepage|home page|official site|url|domain|link)\b/i.test(description) &&
    !/\b(?:career|jobs?|pricing|blog|docs?|documentation|press|contact|privacy|news)\b/i.test(description)
  ) {
    const own = pages.find((page) => siteOf(page.url) === siteOf(entity.url)) ?? pages[0];
    const quote = own === undefined ? undefined : (findQuote(own, entity.name) ?? firstLine(own));
    return quote === undefined
      ? undefined
      : { result: [entity.url], rule: "the entity's own address", references: [quote] };
  }
  for (const candidate of findCandidates(pages, topic, "state")) {
    const filled = nearestValue(
      readUrls(candidate.statement.text).flatMap((one) => {
        const value = toAbsolute(one.value);
        return value === undefined ? [] : [{ ...one, value }];
      }),
      candidate,
      "address beside the column's words",
    );
    if (filled !== undefined) return filled;
  }
  return undefined;
}

function scoreLink(text: string, { stems }: ColumnTopic): number {
  const words = text.toLowerCase();
  return stems.filter((family) => family.some((stem) => words.includes(stem))).length / stems.length;
}

/** The value of a candidate that stands nearest to the column's words. */
export function nearestValue(
  values: readonly FoundValue[],
  { statement, anchor }: Candidate,
  rule: string,
): Filled | undefined {
  const nearest = [...values].sort((one, other) => distance(one, anchor) - distance(other, anchor))[0];
  const quote = quoteAt(statement.page, statement.start, statement.end);
  return nearest === undefined || quote === undefined
    ? undefined
    : { result: [nearest.value], rule, references: [quote] };
}

function distance(
  one: { readonly start: number; readonly end: number },
  other: { readonly start: number; readonly end: number },
): number {
  return Math.max(0, one.start - other.end, other.start - one.end);
}

/** A page's host; empty for what is no address. */
export function hostOf(url: string): string {
  return isUrl(url) ? new URL(url).hostname : "";
}

const MAX_LINE = 200;

/** The line a value stands in, or what is near it of a long one. */
export function lineAround(page: PageText, start: number, end: number): Evidence | undefined {
  const from = Math.max(page.text.lastIndexOf("\n", start) + 1, start - MAX_LINE / 2);
  const line = page.text.indexOf("\n", end);
  return quoteAt(page, from, Math.min(line < 0 ? page.text.length : line, end + MAX_LINE / 2));
}

/** A page's first line: what shows that the page speaks of its subject at all. */
export function firstLine(page: PageText): Evidence | undefined {
  const from = /\S/.exec(page.text)?.index ?? 0;
  const line = page.text.indexOf("\n", from);
  return quoteAt(page, from, line < 0 ? page.text.length : line);
}
