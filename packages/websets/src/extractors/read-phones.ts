import {
  findPhoneNumbersInText,
  isSupportedCountry,
  parsePhoneNumberFromString,
  type CountryCode,
} from "libphonenumber-js/max";
import type { FoundValue } from "./found-value.ts";

const MAX_PHONES = 200;
const LABELLED =
  /(?:tel(?:efon|ephone)?|phone(?: number)?|mobile|cell|call(?: us)?|fax|hotline|whatsapp|ring|dial|contact|number is|reach (?:us|me)(?: at)?|at)\.?\s{0,9}(?:us|me|at|on|is|no\.?|number|nummer|:|\(\p{L}\w{0,39}\)|-){0,9}[\s|:]{0,12}(\(?\+?\s?\(?\d[\d\s().\-–/]{5,20}\d)(?![\d])/giu;
const LOOSE =
  /(?<![\p{L}\p{N}.,$€£/#=_-])(?:\(?\+\s?\d{1,3}\)?[\s.-]?(?:\(0\))?[\d\s().\-–]{5,17}\d|\(\d{2,5}\)[\s.-]*\d[\d\s.-]{4,12}\d|\d{3}[\s.-]\d{3}[\s.-]\d{4}|00\d{2}[\s-]?\d[\d\s-]{6,12}\d)(?![\d])/gu;

/** The phone numbers of a text: E.164 where the number is a real one, else its digits as written. */
export function readPhones(text: string, country: string | undefined): readonly FoundValue[] {
  const region = country !== undefined && isSupportedCountry(country) ? country : undefined;
  const found: FoundValue[] = [];
  const add = (value: string, start: number, end: number): void => {
    if (found.length < MAX_PHONES && !found.some((one) => start < one.end && end > one.start))
      found.push({ value, start, end });
  };
  for (const { number, startsAt, endsAt } of findPhoneNumbersInText(
    text,
    region === undefined ? {} : { defaultCountry: region },
  )) {
    if (!isOfAddress(text, startsAt, endsAt)) add(number.number, startsAt, endsAt);
  }
  for (const match of text.matchAll(LABELLED)) {
    const written = match[1] ?? "";
    const start = match.index + match[0].length - written.length;
    if (isPhoneLike(written)) add(toE164(written, region), start, start + written.length);
  }
  for (const match of text.matchAll(LOOSE)) {
    const written = match[0].trimEnd();
    if (isPhoneLike(written)) add(toE164(written, region), match.index, match.index + written.length);
  }
  return found.sort((one, other) => one.start - other.start);
}

/** "Am Sandtorkai 41 20457 Hamburg": the number of a house and the code of a town. */
function isOfAddress(text: string, start: number, end: number): boolean {
  return (
    /^\d{1,4}\p{L}?[\s,]{1,3}\d{4,5}$/u.test(text.slice(start, end)) &&
    /^\s{1,3}\p{Lu}\p{L}/u.test(text.slice(end)) &&
    /\p{L}\.?\s$/u.test(text.slice(Math.max(0, start - 4), start))
  );
}

function isPhoneLike(written: string): boolean {
  const digits = written.replaceAll(/\D/g, "");
  if (digits.length < 7 || digits.length > 15) return false;
  return !/^\d{4}[-./]\d{1,2}[-./]\d{1,2}$|^\d{1,2}[-./]\d{1,2}[-./]\d{2,4}$|^\d{1,3}(?:\.\d{1,3}){3}$/.test(
    written.trim(),
  );
}

function toE164(written: string, region: CountryCode | undefined): string {
  const plain = written.replace(/\(0\)/, "").replace(/^\s*00(?=[1-9])/, "+");
  const parsed = parsePhoneNumberFromString(plain, region);
  if (parsed?.isValid() === true) return parsed.number;
  return `${/^\s*\(?\+/.test(plain) ? "+" : ""}${plain.replaceAll(/\D/g, "")}`;
}
