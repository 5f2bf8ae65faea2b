import { readNumberWords, scaleOf } from "./number-words.ts";

/** A number of a text, with what stands around it. */
export interface NumberFound {
  readonly value: number;
  readonly start: number;
  readonly end: number;
  /** ISO 4217 where the sign or word tells one; "$" alone is USD. */
  readonly currency: string | null;
  readonly isPercent: boolean;
  /** What the words before it make of it: "over 50", "up to 50", "about 50". */
  readonly bound: "exact" | "at-least" | "at-most" | "about";
  /** Whether the text writes it as a year would be written. */
  readonly looksLikeYear: boolean;
}

const MAX_NUMBERS = 2_000;
const CODES = "USD|EUR|GBP|JPY|INR|CHF|CAD|AUD|CNY|RMB|SEK|DKK|NOK|PLN|KRW";
const DIGITS = new RegExp(
  [
    // not inside a word or a longer number, unless behind a currency's code
    `(?:(?<=(?<![\\p{L}])(?:${CODES}))|(?<![\\p{L}\\p{N}_]|\\p{N}[.,:/]))`,
    "(?<sign>[-−–](?=\\d))?",
    "(?<digits>\\d{1,2}(?:,\\d{2})+,\\d{3}(?:\\.\\d{1,4})?(?!\\d)|\\d{1,3}(?:[,.'’\\u0020\\u00a0\\u202f]\\d{3})+(?:[.,]\\d{1,4})?(?!\\d)|\\d{1,18}(?:[.,]\\d{1,10})?|\\.\\d{1,10})",
    "(?:(?:\\s?[-\\u00a0]?|\\s)(?<scale>(?:hundred|thousand|lakh|crore|millions?|billions?|trillions?|dozens?|dozs?|dzs?|mln|bln|tln|mil|mio|mn|bn|tn|MM|[kKMmBbGT](?![\\p{L}\\p{N}'’]))(?![\\p{L}])|[kM](?=(?:USD|EUR|GBP|AUD|SEK|CHF)(?![\\p{L}]))))?",
  ].join(""),
  "gu",
);
const WORD_START =
  /(?<![\p{L}\p{N}])(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million|billion|half|quarter|dozen|an? (?:hundred|thousand|million|billion|trillion|dozen|half|third|quarter|fifth|tenth|hundredth))(?![\p{L}])/giu;

/** The numbers of a text in the order in which they stand: digits with either separator, scales, words, money, percent. */
export function readNumbers(text: string): readonly NumberFound[] {
  const found: { value: number; start: number; end: number; hasScale: boolean; raw: string }[] = [];
  for (const match of text.matchAll(DIGITS)) {
    if (found.length >= MAX_NUMBERS) break;
    const { sign, digits = "", scale } = match.groups ?? {};
    const value = plainNumber(digits);
    if (value === undefined) continue;
    const start = match.index;
    // a letter behind the digits makes it part of a word: "3D", "27001x"
    const behind = text.slice(start + match[0].length, start + match[0].length + 1);
    if (scale === undefined && /[\p{L}_]/u.test(behind) && !isUnit(text.slice(start + match[0].length))) continue;
    const factor = scale === undefined ? 1 : (scaleOf(scale) ?? 1);
    const isMinus = sign !== undefined && !/[\p{L}\p{N})]$/u.test(text.slice(0, start));
    const negative = isMinus || isNegated(text, start) ? -1 : 1;
    found.push({
      value: factor === 1 ? negative * value : tidy(negative * value * factor),
      start: isMinus ? start : start + (sign?.length ?? 0),
      end: start + match[0].length,
      hasScale: factor !== 1,
      raw: digits,
    });
  }
  for (const match of text.matchAll(WORD_START)) {
    if (found.length >= MAX_NUMBERS) break;
    const start = match.index;
    if (found.some((one) => start >= one.start && start < one.end)) continue;
    const read = readNumberWords(text, start);
    if (read === undefined || read.end <= start) continue;
    const whole = withPoint(text, read);
    found.push({
      value: isNegated(text, start) ? -whole.value : whole.value,
      start,
      end: whole.end,
      hasScale: true,
      raw: "",
    });
  }
  const ordered = found.sort((one, other) => one.start - other.start);
  return joinCents(text, ordered).map(({ value, start, end, hasScale, raw }) => {
    const money = currencyAround(text, start, end);
    const after = text.slice(end, end + 14);
    return {
      value,
      start: money?.start ?? start,
      end: money?.end ?? end,
      currency: money?.currency ?? null,
      isPercent: /^\s?(?:%|per\s?cent|percentage|pct\b)/i.test(after),
      bound: boundBefore(text.slice(Math.max(0, (money?.start ?? start) - 30), money?.start ?? start), after),
      looksLikeYear: !hasScale && money === undefined && /^(?:1[5-9]|20)\d\d$/.test(raw),
    };
  });
}

/** "3 dollars and 50 cents" is one sum. */
function joinCents<Sum extends { value: number; start: number; end: number }>(
  text: string,
  numbers: readonly Sum[],
): readonly Sum[] {
  const kept: Sum[] = [];
  for (const number of numbers) {
    const last = kept.at(-1);
    const isCents =
      last !== undefined &&
      number.value < 100 &&
      /^\s?(?:dollars?|euros?|pounds?|\$|€)\s+(?:and\s+)?$/i.test(text.slice(last.end, number.start)) &&
      /^\s?cents?\b/i.test(text.slice(number.end));
    if (isCents) last.value = tidy(last.value + number.value / 100);
    else kept.push(number);
  }
  return kept;
}

function isNegated(text: string, start: number): boolean {
  return /\b(?:minus|negative)\s+$/i.test(text.slice(Math.max(0, start - 10), start));
}

/** "two hundred point zero three": the digits behind the point are read one after another. */
function withPoint(
  text: string,
  whole: { readonly value: number; readonly end: number },
): { readonly value: number; readonly end: number } {
  const point = /^\s+point\s+/i.exec(text.slice(whole.end, whole.end + 12));
  if (point === null) return whole;
  let end = whole.end + point[0].length;
  let digits = "";
  for (let read = readNumberWords(text, end); read !== undefined; read = readNumberWords(text, end)) {
    digits += String(read.value);
    end = read.end;
    if (text.charAt(end) !== " ") break;
    end += 1;
  }
  return digits === ""
    ? whole
    : { value: Number(`${whole.value}.${digits}`), end: text.charAt(end - 1) === " " ? end - 1 : end };
}

/** Digits with either convention of separators as a number: "1,234.5", "1.234,5", "1 234", "1,5"; undefined for none. */
export function plainNumber(digits: string): number | undefined {
  const compact = digits.replaceAll(/['’\s\u00a0\u202f]/g, "");
  const lastComma = compact.lastIndexOf(",");
  const lastDot = compact.lastIndexOf(".");
  let plain = compact;
  if (lastComma >= 0 && lastDot >= 0) {
    plain = lastComma > lastDot ? compact.replaceAll(".", "").replace(",", ".") : compact.replaceAll(",", "");
  } else if (lastComma >= 0) {
    plain = /^\d{1,3}(?:,\d{2,3})*,\d{3}$/.test(compact) ? compact.replaceAll(",", "") : compact.replace(",", ".");
  } else if ((compact.match(/\./g)?.length ?? 0) > 1) {
    plain = compact.replaceAll(".", "");
  }
  const value = Number(plain);
  return plain === "" || !Number.isFinite(value) ? undefined : value;
}

/** Float noise of multiplications goes: 1.1 × 1,000,000 is 1,100,000. */
export function tidy(value: number): number {
  return Number(value.toPrecision(12));
}

/** A number in plain digits, as cells show it. */
export function writeNumber(value: number): string {
  if (Number.isInteger(value) || Math.abs(value) >= 1e15) return BigInt(Math.round(value)).toString();
  return value.toFixed(10).replace(/\.?0+$/, "");
}

const SIGNS: readonly (readonly [RegExp, string])[] = [
  [/^(?:US|U\.S\.)?\s?\$$|^(?:US|U\.S\.|American)\s?dollars?$|^dollars?$|^USD$|^bucks$/i, "USD"],
  [/^(?:€|EUR|euros?)$/i, "EUR"],
  [/^(?:£|GBP|pounds?(?: sterling)?|quid)$/i, "GBP"],
  [/^(?:¥|JPY|yen)$/i, "JPY"],
  [/^(?:₹|Rs\.?|INR|rupees?)$/i, "INR"],
  [/^(?:CHF|francs?|Fr\.)$/i, "CHF"],
  [/^Canadian dollars?$|^(?:C\s?\$|CA\$|CAD\s?\$?)$/i, "CAD"],
  [/^Australian dollars?$|^(?:A\s?\$|AU\$|AUD)$/i, "AUD"],
  [/^(?:Chinese )?(?:RMB|CNY|元|yuan)$/i, "CNY"],
  [/^(?:kr|SEK|DKK|NOK|kronor|kroner)$/i, "SEK"],
  [/^(?:₽|RUB|rubles?)$/i, "RUB"],
  [/^(?:₩|KRW|won)$/i, "KRW"],
  [/^(?:zł|PLN)$/i, "PLN"],
];
const BEFORE =
  /(?:(?<![\p{L}])(?:US|U\.S\.|CA?|CAD|AU?)\s?\$|\$|€|£|¥|₹|₽|₩|(?<![\p{L}])(?:USD|EUR|GBP|JPY|INR|CHF|CAD|AUD|CNY|RMB|SEK|DKK|NOK|PLN|KRW|Rs\.?))\s?$/iu;
const AFTER =
  /^\s?-?(?:\$(?!\s?\d)|€|£|₹|₽|₩|元|zł|(?:(?:US|U\.S\.|American|Australian|Canadian|Chinese)\s+)?(?:US\s?dollars?|dollars?|euros?|pounds?(?: sterling)?|yen|rupees?|francs?|bucks|quid|yuan|kronor|kroner|USD|EUR|GBP|JPY|INR|CHF|CAD|AUD|CNY|RMB|SEK|DKK|NOK|PLN|KRW|kr)(?![\p{L}\p{N}]))/iu;

function currencyAround(
  text: string,
  start: number,
  end: number,
): { readonly start: number; readonly end: number; readonly currency: string } | undefined {
  const before = BEFORE.exec(text.slice(Math.max(0, start - 8), start))?.[0];
  if (before !== undefined) {
    const currency = currencyOf(before);
    if (currency !== undefined) return { start: start - before.length, end, currency };
  }
  const after = AFTER.exec(text.slice(end, end + 18))?.[0];
  const currency = after === undefined ? undefined : currencyOf(after);
  return after === undefined || currency === undefined ? undefined : { start, end: end + after.length, currency };
}

function currencyOf(sign: string): string | undefined {
  const plain = sign.trim().replace(/^-/, "");
  return SIGNS.find(([pattern]) => pattern.test(plain))?.[1];
}

function boundBefore(before: string, after: string): NumberFound["bound"] {
  if (
    /(?:more than|over|above|at least|exceed(?:s|ing)?|upwards of|in excess of|greater than|minimum of|no (?:fewer|less) than|>=?|≥)\s*$/i.test(
      before,
    )
  )
    return "at-least";
  if (/^\s?(?:\+|plus\b|or more|and (?:more|counting|up))/i.test(after)) return "at-least";
  if (
    /(?:fewer than|less than|under|below|up to|at most|no more than|maximum of|nearly|almost|<=?|≤)\s*$/i.test(before)
  )
    return /(?:nearly|almost)\s*$/i.test(before) ? "about" : "at-most";
  if (/(?:about|around|approximately|approx\.?|roughly|some|circa|ca\.?|~|≈)\s*$/i.test(before)) return "about";
  return "exact";
}

function isUnit(after: string): boolean {
  return /^(?:[kmgc]?m[²³2-3]?|[kmg]?g|[kmgt]?b|[kmg]?w(?:h|p)?|[mh]?l|km\/h|mph|lbs?|kg|ft|in|hz|[kmg]hz|°?[cf]|x|px|h|hrs?|min|s|ms|yo|cm|mm|元|年|rad|v|a|ah|mah|USD|EUR|GBP|JPY|INR|CHF|CAD|AUD|CNY|RMB|SEK|DKK|NOK|PLN|KRW)(?![\p{L}])/iu.test(
    after,
  );
}
