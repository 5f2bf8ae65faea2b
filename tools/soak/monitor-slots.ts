import type { Random } from "./random.ts";

/** A schedule as its parts, so that its days can be counted without reading cron. */
export interface SlotPlan {
  readonly cron: string;
  readonly timeZone: string;
  readonly minute: number;
  readonly hour: number;
  /** What a local day must be for a slot to fall on it. */
  readonly fallsOn: (day: { readonly month: number; readonly date: number; readonly weekday: number }) => boolean;
}

/** Zones whose clocks change at different times, by an hour or half of one, at midnight, or never. */
const ZONES = [
  "Etc/UTC",
  "Europe/Berlin",
  "Europe/London",
  "America/New_York",
  "America/Los_Angeles",
  "America/St_Johns",
  "America/Santiago",
  "America/Havana",
  "America/Asuncion",
  "Australia/Lord_Howe",
  "Australia/Sydney",
  "Pacific/Auckland",
  "Pacific/Chatham",
  "Africa/Cairo",
  "Asia/Beirut",
  "Asia/Kathmandu",
  "Asia/Kolkata",
  "Asia/Tokyo",
  "Atlantic/Azores",
];
/** The hours in which clocks are changed somewhere, and some others. */
const HOURS = [0, 1, 2, 2, 3, 9, 12, 23];
const MINUTES = [0, 15, 30, 45, 59];
const DAY_MS = 86_400_000;

/** Schedules of every kind of day, in zones of every kind. */
export function makeSlotPlans(random: Random, count: number): readonly SlotPlan[] {
  return Array.from({ length: count }, () => {
    const timeZone = random.pick(ZONES);
    const minute = random.pick(MINUTES);
    const hour = random.pick(HOURS);
    const days = makeDays(random);
    return { cron: `${minute} ${hour} ${days.cron}`, timeZone, minute, hour, fallsOn: days.fallsOn };
  });
}

type Days = Pick<SlotPlan, "cron" | "fallsOn">;

function makeDays(random: Random): Days {
  const weekday = random.integer(0, 6);
  const date = random.integer(1, 31);
  const month = random.integer(1, 12);
  return random.pick<Days>([
    { cron: "* * *", fallsOn: () => true },
    { cron: "* * *", fallsOn: () => true },
    { cron: `* * ${weekday}`, fallsOn: (day) => day.weekday === weekday },
    { cron: "* * 1-5", fallsOn: (day) => day.weekday >= 1 && day.weekday <= 5 },
    { cron: `${date} * *`, fallsOn: (day) => day.date === date },
    { cron: "*/2 * *", fallsOn: (day) => day.date % 2 === 1 },
    { cron: `* ${month} *`, fallsOn: (day) => day.month === month },
    // Unix: when both the day of the month and the weekday are given, either will do.
    { cron: `${date} * ${weekday}`, fallsOn: (day) => day.date === date || day.weekday === weekday },
  ]);
}

/**
 * Every slot after `from`, up to and with `to`, counted day by day: no day that fits is left out and none counts twice. A
 * local time that the clocks skip falls on the moment they jump to, one that comes twice on its first.
 */
export function countSlots(plan: SlotPlan, from: Date, to: Date): readonly number[] {
  const offsetOf = makeOffsets(plan.timeZone);
  const slots: number[] = [];
  for (let day = Date.UTC(from.getUTCFullYear(), from.getUTCMonth(), from.getUTCDate()) - 2 * DAY_MS; ; day += DAY_MS) {
    const midnight = new Date(day);
    const local = { month: midnight.getUTCMonth() + 1, date: midnight.getUTCDate(), weekday: midnight.getUTCDay() };
    if (!plan.fallsOn(local)) {
      if (day > to.getTime() + 2 * DAY_MS) return slots;
      continue;
    }
    const at = instantOf(day + (plan.hour * 60 + plan.minute) * 60_000, offsetOf);
    if (at > to.getTime()) return slots;
    if (at > from.getTime()) slots.push(at);
  }
}

/** The instant at which clocks show `wall` (as if it were UTC). */
function instantOf(wall: number, offsetOf: (instant: number) => number): number {
  const before = offsetOf(wall - DAY_MS);
  const after = offsetOf(wall + DAY_MS);
  const fitting = [wall - before, wall - after].filter((instant) => instant + offsetOf(instant) === wall);
  if (fitting.length > 0) return Math.min(...fitting);
  // Skipped: look for the jump itself, which lies within a day.
  let low = wall - before - DAY_MS;
  let high = wall - after + DAY_MS;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetOf(middle) === before) low = middle;
    else high = middle;
  }
  return high;
}

/** How far a zone's clocks are ahead of UTC, by the machine's own tables. */
function makeOffsets(timeZone: string): (instant: number) => number {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  return (instant) => {
    const parts = new Map(format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
    const read = (name: Intl.DateTimeFormatPartTypes): number => parts.get(name) ?? 0;
    const wall = Date.UTC(read("year"), read("month") - 1, read("day"), read("hour"), read("minute"), read("second"));
    return wall - Math.floor(instant / 1000) * 1000;
  };
}
