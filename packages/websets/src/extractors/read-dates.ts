import * as chrono from "chrono-node";
import type { FoundValue } from "./found-value.ts";

const MAX_TEXT = 20_000;
const YEAR = /(?<![\p{L}\p{N}.,$€£#/-])((?:1[5-9]|20)\d{2})(?![\p{L}\p{N}/%]|[.,]\d|-\d)/gu;

/** What dates are read against. */
export interface DateOptions {
  /** The day the text was written, for "yesterday" and "next May"; without it only dates that name their year count. */
  readonly writtenAt?: Date | undefined;
  /** Whether 3/4 is the fourth of March. */
  readonly isMonthFirst?: boolean | undefined;
}

/** The dates of a text as ISO 8601, as exact as they stand there: a day, a month or a year. */
export function readDates(text: string, { writtenAt, isMonthFirst = true }: DateOptions = {}): readonly FoundValue[] {
  const short = text.slice(0, MAX_TEXT);
  const parser = isMonthFirst ? chrono.casual : chrono.en.GB;
  const found: FoundValue[] = [];
  for (const match of short.matchAll(SPELLED)) {
    const { before, ordinal, month = "", after, year = "" } = match.groups ?? {};
    const day = Number(before ?? after ?? ORDINALS.indexOf(ordinal?.toLowerCase() ?? "") + 1);
    if (day >= 1 && day <= 31)
      found.push({
        value: `${year}-${two(monthOf(month))}-${two(day)}`,
        start: match.index,
        end: match.index + match[0].length,
      });
  }
  for (const match of short.matchAll(OTHER_LANGUAGES)) {
    const { day, month = "", year = "" } = match.groups ?? {};
    const known = MONTHS_ELSEWHERE.get(month.toLowerCase());
    if (known === undefined || Number(day ?? 1) > 31) continue;
    // "3rd September 2019" is the parser's
    if (new RegExp(`^(?:${MONTHS})$`, "i").test(month) && !match[0].includes(".")) continue;
    const value = day === undefined ? `${year}-${two(known)}` : `${year}-${two(known)}-${two(Number(day))}`;
    found.push({ value, start: match.index, end: match.index + match[0].length });
  }
  for (const match of short.matchAll(COMPACT)) {
    found.push({
      value: `${match[1] ?? ""}-${match[2] ?? ""}-${match[3] ?? ""}`,
      start: match.index,
      end: match.index + match[0].length,
    });
  }
  const own = found.length;
  for (const { text: written, index, start } of parser.parse(short, writtenAt ?? new Date(Date.UTC(2000, 0, 1, 12)))) {
    if (found.slice(0, own).some((one) => index < one.end && index + written.length > one.start)) continue;
    const isWhole =
      start.isCertain("year") ||
      (writtenAt !== undefined && (start.isCertain("day") || start.isCertain("month") || start.isCertain("weekday")));
    if (!isWhole && !(writtenAt !== undefined && RELATIVE.test(written))) continue;
    const year = start.get("year");
    const month = start.get("month");
    const day = start.get("day");
    if (year === null || month === null || day === null || year < 1000 || year > 2200) continue;
    const hasDay = start.isCertain("day") || start.isCertain("weekday") || RELATIVE.test(written);
    const hasMonth = hasDay || start.isCertain("month");
    const parts = [String(year).padStart(4, "0"), ...(hasMonth ? [two(month)] : []), ...(hasDay ? [two(day)] : [])];
    found.push({ value: parts.join("-"), start: index, end: index + written.length });
  }
  for (const match of short.matchAll(YEAR)) {
    const start = match.index;
    if (found.some((one) => start >= one.start && start < one.end)) continue;
    found.push({ value: match[1] ?? match[0], start, end: start + match[0].length });
  }
  return found.sort((one, other) => one.start - other.start);
}

const MONTHS =
  "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?";
const ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth".split(" ");
/** "the fourth of July of 1995", "28 June in 2020": the year comes after a word. */
const SPELLED = new RegExp(
  `\\b(?:(?:(?<before>\\d{1,2})(?:st|nd|rd|th)?|(?<ordinal>${ORDINALS.join("|")}))\\s+(?:of\\s+)?)?(?<month>${MONTHS})\\.?(?:\\s+(?<after>\\d{1,2})(?:st|nd|rd|th)?)?,?\\s+(?:of|in)\\s+(?<year>(?:1[5-9]|20)\\d{2})\\b`,
  "giu",
);
/** The months of languages that the parser does not read. */
const MONTHS_ELSEWHERE: ReadonlyMap<string, number> = new Map(
  [
    "januar februar märz april mai juni juli august september oktober november dezember",
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
  ].flatMap((months) => months.split(" ").map((month, index) => [month, index + 1] as const)),
);
/** "4. Mai 2019", "1er février 2011", "März 2020". */
const OTHER_LANGUAGES = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:(?<day>[1-9]|[0-3]\\d)(?:\\.|er)?\\s)?(?<month>${[...MONTHS_ELSEWHERE.keys()].join("|")})\\s(?<year>(?:1[5-9]|20)\\d{2})(?!\\d)`,
  "giu",
);
/** Days without signs between, as files and addresses have them. */
const COMPACT = /(?<!\d)((?:19|20)\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?!\d)/g;

function monthOf(name: string): number {
  return "janfebmaraprmayjunjulaugsepoctnovdec".indexOf(name.slice(0, 3).toLowerCase()) / 3 + 1;
}

const RELATIVE =
  /\b(?:today|tomorrow|yesterday|tonight|tmr|day (?:after|before)|(?:days?|weeks?) (?:ago|later|from)|(?:in|next|last|this|coming|past) )/i;

function two(value: number): string {
  return String(value).padStart(2, "0");
}
