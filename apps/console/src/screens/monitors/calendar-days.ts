/** One day of the calendar, in the reader's time zone, with what falls on it. */
export interface CalendarDay<Entry> {
  readonly date: Date;
  readonly isToday: boolean;
  readonly entries: readonly Entry[];
}

const WEEKS_BEFORE = 2;
const WEEKS_AFTER = 3;
const DAYS_A_WEEK = 7;

/** From the Monday two weeks ago to the Sunday three weeks ahead. */
export function listCalendarDays<Entry extends { readonly at: string }>(
  entries: readonly Entry[],
  now: Date,
): readonly CalendarDay<Entry>[] {
  const sinceMonday = (now.getDay() + 6) % DAYS_A_WEEK;
  const first = new Date(now.getFullYear(), now.getMonth(), now.getDate() - sinceMonday - WEEKS_BEFORE * DAYS_A_WEEK);
  const byDay = new Map<string, Entry[]>();
  for (const entry of entries) {
    const day = new Date(entry.at).toDateString();
    byDay.set(day, [...(byDay.get(day) ?? []), entry]);
  }
  return Array.from({ length: (WEEKS_BEFORE + 1 + WEEKS_AFTER) * DAYS_A_WEEK }, (_, index) => {
    // By the calendar rather than by hours: a day may have 23 or 25 of them.
    const date = new Date(first.getFullYear(), first.getMonth(), first.getDate() + index);
    return {
      date,
      isToday: date.toDateString() === now.toDateString(),
      entries: byDay.get(date.toDateString()) ?? [],
    };
  });
}
