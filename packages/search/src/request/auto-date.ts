const DAY_MS = 86_400_000;
const UNIT_DAYS: Readonly<Record<string, number>> = { day: 1, week: 7, month: 30, year: 365 };
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const MONTH =
  "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?";

const LAST = /\b(?:in |over |from |during )?the (?:last|past) (?:(?<count>\d{1,3}) )?(?<unit>day|week|month|year)s?\b/i;
const THIS = /\b(?:this (?<unit>week|month|year)|(?<today>today))\b/i;
const SINCE = new RegExp(
  `\\b(?:since|after|published after|published since) (?:(?<iso>\\d{4}-\\d{2}-\\d{2})|(?:(?<month>${MONTH})\\.? )?(?<year>(?:19|20)\\d{2}))\\b`,
  "i",
);

/** The date from which on a query asks for pages, in so many words; undefined when it names none. */
export function readAutoDate(query: string, now: Date): Date | undefined {
  const since = SINCE.exec(query)?.groups;
  if (since !== undefined) return sinceDate(since);
  const last = LAST.exec(query)?.groups;
  if (last !== undefined) {
    const days = Number(last["count"] ?? 1) * (UNIT_DAYS[last["unit"]?.toLowerCase() ?? ""] ?? 1);
    return startOfDay(new Date(now.getTime() - days * DAY_MS));
  }
  const current = THIS.exec(query)?.groups;
  if (current === undefined) return undefined;
  const today = startOfDay(now);
  switch (current["unit"]?.toLowerCase()) {
    case "year":
      return new Date(Date.UTC(today.getUTCFullYear(), 0, 1));
    case "month":
      return new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), 1));
    case "week":
      return new Date(today.getTime() - ((today.getUTCDay() + 6) % 7) * DAY_MS);
    default:
      return today;
  }
}

function sinceDate(groups: Readonly<Record<string, string | undefined>>): Date | undefined {
  const { iso, month, year } = groups as { iso?: string; month?: string; year?: string };
  if (iso === undefined) {
    const index = month === undefined ? 0 : MONTHS.indexOf(month.slice(0, 3).toLowerCase());
    return new Date(Date.UTC(Number(year), Math.max(0, index), 1));
  }
  const date = new Date(`${iso}T00:00:00Z`);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

function startOfDay(date: Date): Date {
  return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()));
}
