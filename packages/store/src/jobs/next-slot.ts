import { AppError } from "@quarry/base";
import { Cron } from "croner";

/** When something repeats: a cron pattern, read in a time zone. */
export interface CronTime {
  /** Five fields (minute, hour, day, month, weekday), or six with seconds in front, or a name such as `@daily`. */
  readonly pattern: string;
  /** An IANA name such as `Europe/Berlin`. */
  readonly timeZone: string;
}

/**
 * The first slot after `after`; undefined when there is none, ever. A local time that
 * the clocks skip falls on the moment they jump to, one that comes twice counts once.
 * Throws `invalid_request` that says what is wrong with the pattern or the zone.
 */
export function nextSlot(time: CronTime, after: Date): Date | undefined {
  const slots = splitDays(time).flatMap((part) => parse(part).nextRun(after) ?? []);
  return slots.reduce<Date | undefined>(
    (first, slot) => (first === undefined || slot < first ? slot : first),
    undefined,
  );
}

/**
 * Where both a day of the month and a weekday are given, either will do. Asked for both at once, croner passes over days
 * at the turn of a month; asked for each, it does not.
 */
function splitDays(time: CronTime): readonly CronTime[] {
  const fields = time.pattern.trim().split(/\s+/);
  const [date, month, weekday] = fields.slice(-3);
  if (fields.length < 5 || fields.length > 6 || date === "*" || date === "?" || weekday === "*" || weekday === "?")
    return [time];
  const clock = fields.slice(0, -3).join(" ");
  return [`${clock} ${date ?? ""} ${month ?? ""} *`, `${clock} * ${month ?? ""} ${weekday ?? ""}`].map((pattern) => ({
    ...time,
    pattern,
  }));
}

function parse({ pattern, timeZone }: CronTime): Cron {
  requireTimeZone(timeZone);
  if (/^\s*\d{4}-/.test(pattern)) throw invalid("pattern", "a single date is no schedule: enqueue a job with runAt");
  try {
    return new Cron(pattern, { timezone: timeZone, paused: true, mode: "5-or-6-parts" });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.replace(/^CronPattern: /, "") : String(cause);
    throw invalid("pattern", `${JSON.stringify(pattern)} is no cron pattern: ${reason}`, cause);
  }
}

function requireTimeZone(timeZone: string): void {
  try {
    new Intl.DateTimeFormat("en", { timeZone });
  } catch (cause) {
    throw invalid("timeZone", `${JSON.stringify(timeZone)} is no IANA time zone such as "Europe/Berlin"`, cause);
  }
}

function invalid(field: string, message: string, cause?: unknown): AppError {
  return new AppError("invalid_request", `schedule ${field}: ${message}`, { cause, details: { field } });
}
