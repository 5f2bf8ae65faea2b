import type { NumberFound } from "../extractors/read-numbers.ts";
import { readNumbers } from "../extractors/read-numbers.ts";
import { hasUnread, unreadStems } from "./asked-words.ts";
import { countsOthers } from "./counts-others.ts";
import type { Finding } from "./finding.ts";
import type { Condition, Range } from "./read-criterion.ts";
import type { Statement } from "./statements.ts";
import type { SubjectContext } from "./subject.ts";
import { trapOf } from "./trap-of.ts";
import type { Satisfied } from "./verdict.ts";
import { stemWords } from "./word-match.ts";

const FOUNDED =
  /\b(?:founded|founding|foundation|established|incorporated|inception|started|set up|formed|created|born|began|launched|dates? back to|founders? (?:started|began)|est\.?|in business since|since)\b/giu;
const PUBLISHED = /\b(?:published|posted|written|updated|released|dated)\b/giu;
/** A year further than this from the word that it goes with belongs to something else. */
const MAX_DISTANCE = 60;

/** What the statements of a page say about when something happened. */
export function findYears(
  condition: Condition & { readonly kind: "year" },
  statements: readonly Statement[],
  context: SubjectContext,
): readonly Finding[] {
  const pattern =
    condition.event === "founded"
      ? FOUNDED
      : condition.event === "published"
        ? PUBLISHED
        : wordPattern(condition.eventWord);
  const unread = unreadOfYear(condition, context);
  return statements.flatMap((statement) => {
    if (!/\d{4}/.test(statement.text)) return [];
    const anchors = [...statement.text.matchAll(pattern)];
    // "since" alone tells of a beginning only where nothing else does: "customers since 2010" is not ours.
    const anchor =
      anchors.find(([word]) => !/^since$/i.test(word)) ?? anchors.find((match) => isOwnSince(statement.text, match));
    if (anchor === undefined) return [];
    const years = readNumbers(statement.text).filter(({ looksLikeYear }) => looksLikeYear);
    const place = { start: anchor.index, end: anchor.index + anchor[0].length };
    const year = nearest(years, place);
    if (year === undefined) return [];
    const trap = trapOf(statement, place, context, statements, "event");
    const isMeant = hasUnread(statement.text, unread) && isSameVoice(statement.text, place, condition);
    const satisfied = isMeant ? compareYear(year.value, condition.range) : "unclear";
    const why = `it names ${year.value} as the year ${condition.eventWord}`;
    return [{ ...finding(statement, { satisfied, trap, why }), value: year.value }];
  });
}

/** What a criterion asks of an event besides its year: "a mobile app" of "launched a mobile app in 2022". */
export function unreadOfYear(
  { text, event, eventWord }: Condition & { readonly kind: "year" },
  context: SubjectContext,
): readonly string[] {
  const ofEvent = event === "founded" ? FOUNDED : PUBLISHED;
  // what a text is called says nothing of it
  const ofText = context.names === null ? [TEXT_NAMES] : [];
  return unreadStems(text, [wordPattern(eventWord), ...(event === "other" ? [] : [ofEvent]), TIME, ...ofText], context);
}

/** Who "was acquired" has acquired nobody; a label, "Acquired: 2022", tells neither. */
function isSameVoice(text: string, place: Span, asked: Condition & { readonly kind: "year" }): boolean {
  if (asked.event !== "other" || place.start === 0) return true;
  const start = asked.text.indexOf(asked.eventWord);
  return isPassive(text, place) === isPassive(asked.text, { start, end: start + asked.eventWord.length });
}

function isPassive(text: string, { start, end }: Span): boolean {
  const isLed = /\b(?:was|were|been|is|are|be|being|got|get)\s(?:\p{L}{1,30}\s)?$/iu.test(text.slice(0, start));
  return isLed || /^\sby\b/i.test(text.slice(end));
}

const TIME =
  /\b(?:(?:1[5-9]|20)\d\ds?|(?:between|from|since|after|before|later|earlier|newer|older|onwards?|starting|prior|post|pre|until|within|during|last|past|recent|less|more|fewer|than|ago|old|this|date|dated|originally|first)\b|(?:years?|months?|decades?)\b|(?:one|two|three|four|five|six|seven|eight|nine|ten|fifteen|twenty|\d{1,3})(?=\s(?:years?|months?|decades?)\b))/giu;
const TEXT_NAMES =
  /\b(?:blog|posts?|news|pieces?|stor(?:y|ies)|reports?|stud(?:y|ies)|texts?|documents?|essays?|preprints?|works?)\b/giu;

/** A year is as long as a year: it may lie within months that are asked for, or not. */
function compareYear(year: number, range: Range): Satisfied {
  const isExact = [range.min, range.max].every((bound) => bound === null || Number.isInteger(bound));
  return compare(year, isExact ? year : year + 0.999, range);
}

function isOwnSince(text: string, { index }: { readonly index: number }): boolean {
  return index === 0 || /\b(?:in business|operating|around|active)\s+$/i.test(text.slice(0, index));
}

/** What the statements of a page say about a count or an amount of money. */
export function findAmounts(
  condition: Condition & { readonly kind: "number" },
  statements: readonly Statement[],
  context: SubjectContext,
): readonly Finding[] {
  const topic = condition.isMoney ? moneyTopic(condition.unit) : unitPattern(condition.unit);
  const unread = unreadStems(condition.text, [topic, AMOUNT], context);
  return statements.flatMap((statement) => {
    if (statement.text.search(topic) === -1) return [];
    const numbers = readNumbers(statement.text).filter(
      ({ looksLikeYear, currency, isPercent }) =>
        !looksLikeYear && !isPercent && (condition.isMoney ? currency !== null : currency === null),
    );
    if (numbers.length === 0) return [];
    const found = condition.isMoney
      ? amountNear(
          statement.text,
          FUNDING.test(condition.unit) ? amountsOfTotal(statement.text, numbers, condition.unit) : numbers,
          topic,
        )
      : countedBy(statement.text, numbers, topic);
    if (found === undefined) return [];
    const { number, low, anchor } = found;
    const trap = trapOf(statement, anchor, context, statements, condition.isMoney ? "event" : "state");
    const isTotal =
      !condition.isMoney || !FUNDING.test(condition.unit) || totalIn(statement.text, condition.unit) !== undefined;
    const isCount = !condition.isMoney && PEOPLE.test(condition.unit);
    const counted = isCount ? { ...number, value: wholeCount(statement.text, number) } : number;
    const least = low === number.value ? counted.value : low;
    const satisfied = hasUnread(statement.text, unread)
      ? compareNumber(counted, least, condition.range, isTotal)
      : "unclear";
    const written = statement.text.slice(number.start, number.end);
    const why = `it gives ${written} for “${condition.unit}”`;
    return [{ ...finding(statement, { satisfied, trap, why }), value: counted.value }];
  });
}

/** How criteria write an amount and its bounds, with words that pages may leave out. */
const AMOUNT =
  /(?:[$€£¥]|\b(?:USD|EUR|GBP|CHF)\b)|(?<![\p{L}\p{N}])(?!(?:1[5-9]|20)\d\d(?![\p{L}\p{N},.]))\d[\d.,]*\s?(?:k|m|mn|bn|b|million|billion|thousand|dollars?|euros?)?(?:\s(?:dollars?|euros?|USD|EUR))?(?![\p{L}\p{N}])|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|hundred|thousand|million|billion|dozen|more|fewer|less|than|over|above|exceed(?:s|ing)?|greater|upwards|minimum|under|below|most|maximum|exactly|between|plus|total|overall|full[- ]time|active|paying|registered|different|physical|annual(?:ly)?|monthly|yearly|worldwide|globally|approximately|roughly|size|number|count|employs?|employing|equity|venture|external|outside|disclosed|to date)\b/giu;

const FUNDING = /rais|fund|invest|financ/i;
/** Words that make an amount the whole of what was raised: an amount beside "total" may be of anything. */
const TOTAL_FUNDING =
  /\b(?:total|cumulative|overall)\s(?:(?:equity|venture|outside|external|disclosed|amount)\s)?(?:funding|financing|investments?|capital|raised)\b|\bfunding (?:raised|total|to date)\b|\b(?:bring(?:s|ing)?|brought|tak(?:es|ing)|took|for|rais(?:ed|ing)|secur(?:ed|ing))\s(?:(?!and\b)[\p{L}'’]{1,20}\s){0,3}?(?:total\s(?:of|to)|funding\sto)\b|\b(?:to date|so far|in total|in all|altogether|overall),?\s(?:(?!and\b)[\p{L}'’]{1,20}\s){0,4}?(?:raised|secured)\b/iu;
/** "Raised $5 million to date", not "raised $4 million and has processed $900 million to date". */
const RAISED_TO_DATE =
  /\b(?:[Rr]aised|[Ss]ecured|[Aa]ttracted)\b(?:(?!\band\s\p{Ll}|\bwhile\b|;|[.!?,]\s)[^\n]){1,80}?\b(?<tail>to date|so far|in total|in all|altogether|overall)\b/u;

type Span = { readonly start: number; readonly end: number };

/** Where a text says that an amount is the total of what is asked for. */
function totalIn(text: string, asked: string): Span | undefined {
  const spanOf = (found: RegExpExecArray | null): Span | undefined =>
    found === null ? undefined : { start: found.index, end: found.index + found[0].length };
  if (!FUNDING.test(asked)) return spanOf(/\btotal\b/iu.exec(text));
  const total = spanOf(TOTAL_FUNDING.exec(text));
  if (total !== undefined) return total;
  const raised = RAISED_TO_DATE.exec(text);
  const end = spanOf(raised)?.end ?? 0;
  return raised === null ? undefined : { start: end - (raised.groups?.["tail"]?.length ?? 0), end };
}

/** Of several amounts the one that stands with the total of what is asked for: "raised $12 million, bringing its total to $20 million". */
export function amountsOfTotal(text: string, amounts: readonly NumberFound[], asked: string): readonly NumberFound[] {
  const place = amounts.length < 2 ? undefined : totalIn(text, asked);
  if (place === undefined) return amounts;
  const [first] = [...amounts].sort((one, other) => gap(one, place) - gap(other, place));
  return first === undefined ? [] : [first];
}

function moneyTopic(unit: string): RegExp {
  if (/rais|fund|financ|invest|capital/i.test(unit))
    return /\b(?:rais(?:e[ds]?|ing)|fund(?:ed|ing|s)?|financ(?:e|ed|ing)|invest(?:ed|ment|ments|ors?)|secured|series [a-g]|seed|round|capital|backed)\b/giu;
  if (/revenue|turnover|sales/i.test(unit)) return /\b(?:revenues?|turnover|sales|earned|ARR)\b/giu;
  if (/valu|worth/i.test(unit)) return /\b(?:valuation|valued|worth)\b/giu;
  if (/price|cost/i.test(unit)) return /\b(?:price[ds]?|costs?|from|starting at|per month)\b/giu;
  return wordPattern(unit);
}

const PEOPLE = /^(?:employees?|people|staff|workers?|team members?|headcount|workforce|colleagues)$/i;

function unitPattern(unit: string): RegExp {
  if (PEOPLE.test(unit))
    return /\b(?:employees?|employs?|employed|employing|people|staff(?:ers)?|workers?|workforce|headcount|colleagues|team(?:\s+members?)?|professionals|persons?|strong)\b/giu;
  if (/^(?:customers?|clients?)$/i.test(unit)) return /\b(?:customers?|clients?|companies trust)\b/giu;
  if (/^(?:stores?|shops?|locations?|branches)$/i.test(unit))
    return /\b(?:stores?|shops?|locations?|branches|outlets)\b/giu;
  return wordPattern(unit);
}

function wordPattern(word: string): RegExp {
  const stem = stemWords(word)[0]?.stem ?? word;
  return new RegExp(`(?<![\\p{L}])${stem.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")}\\p{L}*`, "giu");
}

interface AmountFound {
  readonly number: NumberFound;
  /** The lower end of a range such as "50–100". */
  readonly low: number;
  readonly anchor: { readonly start: number; readonly end: number };
}

function amountNear(text: string, numbers: readonly NumberFound[], topic: RegExp): AmountFound | undefined {
  const anchors = [...text.matchAll(topic)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
  }));
  let best: (AmountFound & { readonly distance: number }) | undefined;
  for (const anchor of anchors) {
    for (const number of numbers) {
      const distance = gap(anchor, number);
      if (distance > MAX_DISTANCE || (best !== undefined && distance >= best.distance)) continue;
      best = {
        number,
        low: number.value,
        distance,
        anchor: { start: Math.min(anchor.start, number.start), end: Math.max(anchor.end, number.end) },
      };
    }
  }
  return best;
}

/** A number counts the unit when it stands right before it ("40 full-time employees") or the unit leads up to it ("staff of 40"). */
function countedBy(text: string, numbers: readonly NumberFound[], unit: RegExp): AmountFound | undefined {
  for (const match of text.matchAll(unit)) {
    const anchor = { start: match.index, end: match.index + match[0].length };
    const isPeople = /^(?:people|persons?|team|strong)$/i.test(match[0]);
    if (isPeople && USED_BY.test(text)) continue;
    const isStaff = PEOPLE.test(match[0]);
    const before = numbers.filter(({ end }) => end <= anchor.start).at(-1);
    if (
      before !== undefined &&
      !(isStaff && countsOthers(text, before.start, anchor.end)) &&
      /^\s*(?:[-–+]\s*)?(?:\p{Ll}[\p{L}-]*\s+){0,3}$/u.test(text.slice(before.end, anchor.start))
    ) {
      return withRange(text, numbers, before, anchor);
    }
    const after = numbers.find(({ start }) => start >= anchor.end);
    if (after === undefined) continue;
    // a long run of blanks could be shared out in too many ways
    const between = text
      .slice(anchor.end, after.start)
      .replaceAll(/\s{2,}/g, (blanks) => (blanks.includes("\n") ? "\n" : " "));
    if (
      /^\s?(?:[:|]|of|are|is|number(?:s|ed)?|counts?|consists of|size|count)?\s?(?:[:|]|of|is|about|some|over|more than|around|approximately|nearly|almost|at least|up to|currently|now|today|people|\n)*\s?$/iu.test(
        between,
      )
    ) {
      return withRange(text, numbers, after, anchor);
    }
  }
  return undefined;
}

const USED_BY =
  /\b(?:used by|serv(?:e|es|ed|ing)|reach(?:es|ed)?|visitors|follow(?:ers)?|help(?:s|ed|ing)? (?:over|more)|million people|customers|users)\b/iu;

/** "1.250 employees": nobody has a quarter of a person, so that the point stands between thousands. */
export function wholeCount(text: string, { value, start, end }: Pick<NumberFound, "value" | "start" | "end">): number {
  return /^\d{1,3}\.\d{3}$/.test(text.slice(start, end)) && !Number.isInteger(value)
    ? Math.round(value * 1_000)
    : value;
}

function withRange(
  text: string,
  numbers: readonly NumberFound[],
  number: NumberFound,
  anchor: { readonly start: number; readonly end: number },
): AmountFound {
  const dash = /^\s*(?:[-–—]|to)\s*$/;
  const lower = numbers.filter(({ end }) => end <= number.start).at(-1);
  const upper = numbers.find(({ start }) => start >= number.end);
  const isHigh =
    lower !== undefined &&
    dash.test(text.slice(lower.end, number.start)) &&
    // "has grown from 20 to 80"
    !/\bfrom\s+$/i.test(text.slice(0, lower.start));
  const isLow = upper !== undefined && dash.test(text.slice(number.end, upper.start));
  const high = isLow ? upper : number;
  return {
    number: high,
    low: isHigh ? lower.value : number.value,
    anchor: { start: Math.min(anchor.start, number.start), end: Math.max(anchor.end, high.end) },
  };
}

function nearest(
  numbers: readonly NumberFound[],
  place: { readonly start: number; readonly end: number },
): NumberFound | undefined {
  const ranked = numbers
    .map((number) => ({ number, distance: gap(place, number) + (number.start < place.start ? 5 : 0) }))
    .filter(({ distance }) => distance <= MAX_DISTANCE)
    .sort((one, other) => one.distance - other.distance);
  return ranked[0]?.number;
}

function gap(
  one: { readonly start: number; readonly end: number },
  other: { readonly start: number; readonly end: number },
): number {
  return Math.max(0, one.start - other.end, other.start - one.end);
}

function compareNumber(number: NumberFound, low: number, range: Range, isTotal: boolean): Satisfied {
  const { min, max } = range;
  switch (number.bound) {
    case "at-least":
      if (min !== null && max === null) return number.value >= min - 1 ? "yes" : "unclear";
      return max !== null && number.value > max ? "no" : "unclear";
    case "at-most":
      if (max !== null && min === null) return number.value <= max + 1 ? "yes" : "unclear";
      return min !== null && number.value < min ? "no" : "unclear";
    case "about":
    case "exact": {
      const satisfied = compare(low, number.value, range);
      // one round of money is less than all of it
      return satisfied === "no" && !isTotal && min !== null && number.value < min ? "unclear" : satisfied;
    }
  }
}

function compare(low: number, high: number, { min, max }: Range): Satisfied {
  const fits = (value: number): boolean => (min === null || value >= min) && (max === null || value <= max);
  if (fits(low) && fits(high)) return "yes";
  return fits(low) || fits(high) ? "unclear" : "no";
}

/** A finding from a value: a trapped value decides nothing, since it names no other. */
export function finding(
  statement: Statement,
  { satisfied, trap, why }: { readonly satisfied: Satisfied; readonly trap: Finding["trap"]; readonly why: string },
): Finding {
  return {
    statement,
    satisfied: trap === undefined ? satisfied : "unclear",
    why,
    weight: statement.label === null ? 1 : 1.5,
    trap,
  };
}
