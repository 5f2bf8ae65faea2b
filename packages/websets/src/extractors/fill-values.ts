import { absoluteUrl } from "../entities/page-urls.ts";
import { itemsIn, textIn } from "../entities/structured-items.ts";
import { findQuote, quoteAt } from "../evidence.ts";
import { amountsOfTotal, wholeCount } from "../judge/rule-values.ts";
import { countsOthers, othersAsked } from "../judge/counts-others.ts";
import { siteOf } from "../judge/subject.ts";
import { hasStems } from "../judge/word-match.ts";
import { itemsAbout, ownStaff } from "./structured-facts.ts";
import type { Candidate, ColumnTopic } from "./find-candidates.ts";
import { findCandidates } from "./find-candidates.ts";
import type { Filled, Filling } from "./filling.ts";
import { asksProfile, fillProfile } from "./fill-profile.ts";
import { speaksFor } from "./own-pages.ts";
import { firstLine, lineAround } from "./page-lines.ts";
import type { FoundValue } from "./found-value.ts";
import { readProduct } from "./product.ts";
import { readNumbers, writeNumber, type NumberFound } from "./read-numbers.ts";
import { ASKS_STAFF, countsStaff } from "./staff-numbers.ts";
import { readUrls, toAbsolute } from "./read-urls.ts";

/** A number: structured data, then the number that stands with the column's words. */
export function fillNumber(filling: Filling): Filled | undefined {
  const { enrichment, pages, topic } = filling;
  const { description } = enrichment;
  const asksYear = /\byear\b|\bwhen\b/i.test(description);
  const asksMoney =
    /\b(?:price|cost|revenue|funding|raised|valuation|salary|turnover|sales|budget|fee|investment)\b/i.test(
      description,
    );
  const asksStaff = ASKS_STAFF.test(description);
  // "Number of employees laid off"
  const asksOthers = asksStaff || /\bpeople\b/i.test(description) ? othersAsked(description) : undefined;
  const asksPercent = /\b(?:percent(?:age)?|share|rate|%)\b/i.test(description);
  if (/\b(?:price|cost)\b/i.test(description)) {
    const product = fillPrice(filling);
    if (product !== undefined) return product;
  }
  const stated = asksOthers !== undefined ? undefined : structuredNumber(filling);
  if (stated !== undefined) return stated;
  const kind = asksMoney || asksYear || asksOthers !== undefined ? "event" : "state";
  for (const { statement, anchor } of findCandidates(pages, topic, kind)) {
    if (asksOthers?.test(statement.text) === false) continue;
    const isOfOthers = (number: NumberFound): boolean => countsOthers(statement.text, number.start, anchor.end);
    const numbers = readNumbers(statement.text).filter((number) => {
      if (asksStaff && asksOthers === undefined) {
        if (isOfOthers(number) || !countsStaff(statement.text, number)) return false;
        // "up to 60 people": how many is not said
        if (number.bound === "at-most" && statement.label === null) return false;
      }
      if (asksYear) return number.looksLikeYear;
      if (number.looksLikeYear && !asksMoney)
        return number.end <= anchor.start && /^\s+\p{Ll}/u.test(statement.text.slice(number.end));
      if (asksMoney) return number.currency !== null || (statement.label !== null && !number.isPercent);
      return number.isPercent === asksPercent && number.currency === null;
    });
    const amounts = asksMoney ? likeliestAmounts(numbers) : numbers;
    const meant = /\btotal\b/i.test(description) ? amountsOfTotal(statement.text, amounts, description) : amounts;
    const others = asksOthers === undefined ? [] : meant.filter(isOfOthers);
    const nearest = [...(others.length > 0 ? others : meant)].sort(
      (one, other) => distance(one, anchor) - distance(other, anchor),
    )[0];
    const quote = quoteAt(statement.page, statement.start, statement.end);
    if (nearest === undefined || quote === undefined) continue;
    const value = asksStaff ? wholeCount(statement.text, nearest) : nearest.value;
    return {
      result: [writeNumber(value)],
      rule: statement.label === null ? "number beside the column's words" : "labelled number",
      references: [quote],
    };
  }
  return asksStaff && asksOthers === undefined ? ownStaff(filling) : undefined;
}

/** "Revenue (2024): USD 1.2bn": those with a currency, else those that are no year; "Price: 1999" has nothing better. */
function likeliestAmounts(numbers: readonly NumberFound[]): readonly NumberFound[] {
  const priced = numbers.filter(({ currency }) => currency !== null);
  const plain = numbers.filter(({ looksLikeYear }) => !looksLikeYear);
  return priced.length > 0 ? priced : plain.length > 0 ? plain : numbers;
}

function fillPrice({ entity, pages }: Filling): Filled | undefined {
  for (const page of pages) {
    const { price, source } = readProduct(page);
    if (price === null || source === null) continue;
    // the first sum on a company's page may be what it raised
    if (source === "text" && entity.type !== "custom") continue;
    const found = readNumbers(page.text).find(({ value }) => value === Number(price));
    const named = page.title === null ? undefined : findQuote(page, page.title);
    const quote = found === undefined ? (named ?? firstLine(page)) : lineAround(page, found.start, found.end);
    if (quote !== undefined) return { result: [price], rule: `price from the page's ${source}`, references: [quote] };
  }
  return undefined;
}

interface StructuredNumber {
  readonly asks: RegExp;
  readonly names: readonly string[];
  /** Words of the line that shows it. */
  readonly shownBy: RegExp;
}

const STAFF = "numberOfEmployees";
const RATED = /\brat(?:ed|ings?)\b|\bstars?\b|[★⭐]|\bout of\b|\/\s?(?:5|10)\b|\breviews?\b/iu;
const STRUCTURED_NUMBERS: readonly StructuredNumber[] = [
  { asks: /\bemployees?\b|\bstaff\b|\bheadcount\b/i, names: [STAFF], shownBy: /(?:)/u },
  { asks: /\brating\b/i, names: ["ratingValue"], shownBy: RATED },
  { asks: /\breviews?\b/i, names: ["reviewCount", "ratingCount"], shownBy: RATED },
  { asks: /\bpages\b/i, names: ["numberOfPages"], shownBy: /\bpages?\b/i },
];

/** A number of structured data counts when the text shows it, too: that is its quote. */
function structuredNumber(filling: Filling): Filled | undefined {
  const wanted = STRUCTURED_NUMBERS.find(({ asks }) => asks.test(filling.enrichment.description));
  if (wanted === undefined) return undefined;
  const isStaff = wanted.names.includes(STAFF);
  const wholeOf = (text: string, number: NumberFound): number => (isStaff ? wholeCount(text, number) : number.value);
  // a page may have the data of a customer or an employer, too
  for (const { page, item } of itemsAbout(filling)) {
    const written = [item, ...itemsIn(item, "aggregateRating")]
      .map((one) => textIn(one, ...wanted.names))
      .find((one) => one !== null);
    const count = typeof written !== "string" ? undefined : readNumbers(written)[0];
    if (typeof written !== "string" || count === undefined) continue;
    const value = wholeOf(written, count);
    for (const found of readNumbers(page.text).filter((one) => wholeOf(page.text, one) === value)) {
      const quote = lineAround(page, found.start, found.end);
      const place = { start: found.start - (quote?.start ?? 0), end: found.end - (quote?.start ?? 0) };
      if (quote === undefined || !wanted.shownBy.test(quote.snippet)) continue;
      if (!isStaff || countsStaff(quote.snippet, place))
        return { result: [writeNumber(value)], rule: "structured data, shown in the text", references: [quote] };
    }
  }
  return undefined;
}

/** An address: the entity's own for its website, a profile on a network, or a link whose words are the column's. */
export function fillUrl(filling: Filling): Filled | undefined {
  const { entity, enrichment, pages, topic } = filling;
  const { description } = enrichment;
  if (asksProfile(description)) return fillProfile(filling);
  for (const page of pages.filter((one) => speaksFor(one, filling))) {
    const links = page.links ?? [];
    const named = links.find(({ text }) => text !== "" && topic.stems.length > 0 && scoreLink(text, topic) >= 0.5);
    const place = named === undefined ? undefined : findQuote(page, named.text);
    const target = absoluteUrl(named?.url, page.url);
    if (place !== undefined && target !== null)
      return { result: [target], rule: "link whose words are the column's", references: [place] };
  }
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
  return stems.filter((family) => family.some((stem) => hasStems(text, [stem]))).length / stems.length;
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
