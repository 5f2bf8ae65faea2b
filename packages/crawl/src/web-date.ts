const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** Zones that RFC 822 names, in minutes east of Greenwich. */
const ZONES: Readonly<Record<string, number>> = {
  z: 0,
  ut: 0,
  utc: 0,
  gmt: 0,
  est: -300,
  edt: -240,
  cst: -360,
  cdt: -300,
  mst: -420,
  mdt: -360,
  pst: -480,
  pdt: -420,
};

/**
 * Reads a date as headers, sitemaps and feeds write it: the W3C's ISO 8601 profile (`2024`, `2024-05`, `2024-05-06`,
 * `2024-05-06T07:08Z`), RFC 1123 and 822 (two-digit years too), RFC 850 and asctime. A date without a zone is UTC.
 * Undefined for anything else, an impossible day, or a year beyond 1970 to 2999.
 */
export function parseWebDate(text: string): Date | undefined {
  const trimmed = text.slice(0, 64).trim();
  return parseIso(trimmed) ?? parseMail(trimmed) ?? parseAsctime(trimmed);
}

function parseIso(text: string): Date | undefined {
  const match =
    /^(\d{4})(?:-(\d{1,2})(?:-(\d{1,2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)?\s*([Zz]|[+-]\d{2}:?\d{2}|[+-]\d{2})?)?)?)?$/.exec(
      text,
    );
  if (match === null) return undefined;
  const [, year, month = "1", day = "1", hour = "0", minute = "0", second = "0", zone = "z"] = match;
  return dateOf({ year: Number(year), month: Number(month), day: Number(day), hour, minute, second, zone });
}

function parseMail(text: string): Date | undefined {
  const match =
    /^(?:[A-Za-z]{3,9},?\s+)?(\d{1,2})[\s-]([A-Za-z]{3,9})[\s-](\d{4}|\d{2})(?:[\s,]+(\d{1,2}):(\d{2})(?::(\d{2}))?\s*([A-Za-z]{1,5}|[+-]\d{4}|[+-]\d{2}:\d{2})?)?$/.exec(
      text,
    );
  if (match === null) return undefined;
  const [, day, month = "", year = "", hour = "0", minute = "0", second = "0", zone = "z"] = match;
  return dateOf({ year: fullYear(year), month: monthOf(month), day: Number(day), hour, minute, second, zone });
}

function parseAsctime(text: string): Date | undefined {
  const match = /^[A-Za-z]{3}\s+([A-Za-z]{3})\s+(\d{1,2})\s+(\d{2}):(\d{2}):(\d{2})\s+(\d{4})$/.exec(text);
  if (match === null) return undefined;
  const [, month = "", day, hour = "0", minute = "0", second = "0", year] = match;
  return dateOf({ year: Number(year), month: monthOf(month), day: Number(day), hour, minute, second, zone: "z" });
}

/** RFC 822 wrote years with two digits: those before 70 are of this century. */
function fullYear(year: string): number {
  if (year.length === 4) return Number(year);
  return Number(year) < 70 ? 2000 + Number(year) : 1900 + Number(year);
}

function monthOf(name: string): number {
  return MONTHS.indexOf(name.slice(0, 3).toLowerCase()) + 1;
}

interface DateParts {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: string;
  readonly minute: string;
  readonly second: string;
  readonly zone: string;
}

function dateOf(parts: DateParts): Date | undefined {
  const [hour, minute, second] = [Number(parts.hour), Number(parts.minute), Number(parts.second)];
  const zoneMinutes = zoneOf(parts.zone);
  if (parts.year < 1970 || parts.year > 2999 || parts.month < 1 || parts.month > 12) return undefined;
  if (hour > 24 || minute > 59 || second > 60 || zoneMinutes === undefined) return undefined;
  const date = new Date(Date.UTC(parts.year, parts.month - 1, parts.day, hour, minute, second));
  const midnight = new Date(Date.UTC(parts.year, parts.month - 1, parts.day));
  if (midnight.getUTCDate() !== parts.day || midnight.getUTCMonth() !== parts.month - 1) return undefined;
  return new Date(date.getTime() - zoneMinutes * 60_000);
}

function zoneOf(zone: string): number | undefined {
  const offset = /^([+-])(\d{2}):?(\d{2})?$/.exec(zone);
  if (offset === null) return ZONES[zone.toLowerCase()];
  const minutes = Number(offset[2]) * 60 + Number(offset[3] ?? "0");
  return offset[1] === "-" ? -minutes : minutes;
}
