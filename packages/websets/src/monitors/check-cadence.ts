import { AppError } from "@quarry/base";
import type { MonitorCadence } from "@quarry/contract";
import { nextSlot } from "@quarry/store";

const MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const WEEKDAYS = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

interface Field {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  /** Words that stand for numbers from `least` on. */
  readonly words?: readonly string[];
}

const FIELDS: readonly Field[] = [
  { name: "minute", least: 0, most: 59 },
  { name: "hour", least: 0, most: 23 },
  { name: "day of month", least: 1, most: 31 },
  { name: "month", least: 1, most: 12, words: MONTHS },
  { name: "day of week", least: 0, most: 7, words: WEEKDAYS },
];

/** How often a cadence may come, and what the caller knows its two parts by. */
export interface CadenceRules {
  readonly atMost: "daily" | "hourly";
  readonly names: { readonly cron: string; readonly timezone: string };
}

const WEBSET_RULES: CadenceRules = {
  atMost: "daily",
  names: { cron: "cadence.cron", timezone: "cadence.timezone" },
};

/**
 * Refuses a cadence that is not five fields of Unix cron in a time zone, that comes more often than the rules allow (a webset's:
 * once a day), or never. Throws `invalid_request` that says which field is wrong and why.
 */
export function checkCadence(cadence: MonitorCadence, now: Date, rules: CadenceRules = WEBSET_RULES): void {
  try {
    checkFields(cadence, now, rules);
  } catch (thrown) {
    if (!(thrown instanceof CadenceFault)) throw thrown;
    const field = rules.names[thrown.part];
    throw new AppError("invalid_request", `${field}: ${thrown.message}`, { cause: thrown.cause, details: { field } });
  }
}

/** What is wrong, before it is known what the caller calls the part. */
class CadenceFault extends Error {
  readonly part: "cron" | "timezone";

  constructor(part: "cron" | "timezone", message: string, cause?: unknown) {
    super(message, { cause });
    this.part = part;
  }
}

function checkFields({ cron, timezone }: MonitorCadence, now: Date, { atMost }: CadenceRules): void {
  const parts = cron.trim().split(/\s+/);
  if (parts.length !== FIELDS.length) {
    const names = FIELDS.map(({ name }) => name).join(", ");
    throw refused(`expected five fields (${names}), received ${parts.length}: ${quote(cron)}`);
  }
  const [minutes, hours] = FIELDS.map((field, index) => readField(field, parts[index] ?? ""));
  for (const [field, values] of [
    ["minute", minutes],
    ["hour", hours],
  ] as const) {
    if ((values?.size ?? 0) > 1 && (atMost === "daily" || field === "minute")) {
      const [often, example] = atMost === "daily" ? ["a day", "0 9 * * *"] : ["an hour", "0 * * * *"];
      throw refused(
        `the ${field} field ${quote(parts[field === "minute" ? 0 : 1] ?? "")} comes more than once ${often}; give one ${field}, such as "${example}"`,
      );
    }
  }
  if (nextSlotOrRefuse(cron, timezone, now) === undefined) throw refused(`${quote(cron)} never comes`);
}

/** Every number that a field allows. */
function readField(field: Field, text: string): ReadonlySet<number> {
  const values = new Set<number>();
  for (const part of text.split(",")) {
    const [, range = "", step] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(part) ?? [];
    const [from, to] = readRange(field, range, text, step !== undefined);
    const stride = step === undefined ? 1 : Number(step);
    if (stride === 0) throw wrongField(field, text, "a step is at least 1");
    for (let value = from; value <= to; value += stride) values.add(value);
  }
  return values;
}

function readRange(field: Field, range: string, text: string, hasStep: boolean): readonly [number, number] {
  if (range === "*") return [field.least, field.most];
  const [first = "", second, ...rest] = range.split("-");
  if (rest.length > 0) throw wrongField(field, text, "a range is two numbers with a hyphen between");
  const from = readNumber(field, first, text);
  const to = second === undefined ? (hasStep ? field.most : from) : readNumber(field, second, text);
  if (to < from) throw wrongField(field, text, "a range goes from the smaller to the larger");
  return [from, to];
}

function readNumber(field: Field, word: string, text: string): number {
  const named = field.words?.indexOf(word.toUpperCase()) ?? -1;
  if (named >= 0) return field.least + named;
  const value = /^\d{1,2}$/.test(word) ? Number(word) : Number.NaN;
  if (value >= field.least && value <= field.most) return value;
  throw wrongField(
    field,
    text,
    `expected numbers from ${field.least} to ${field.most}${field.words ? ` or names such as ${field.words[1] ?? ""}` : ""}, "*", ranges, lists and steps`,
  );
}

function nextSlotOrRefuse(pattern: string, timeZone: string, now: Date): Date | undefined {
  try {
    new Intl.DateTimeFormat("en", { timeZone });
  } catch (cause) {
    const message = `${quote(timeZone)} is no IANA time zone; give one such as "Europe/Berlin" or "Etc/UTC"`;
    throw new CadenceFault("timezone", message, cause);
  }
  return nextSlot({ pattern, timeZone }, now);
}

function wrongField(field: Field, text: string, reason: string): CadenceFault {
  return refused(`the ${field.name} field ${quote(text)} is wrong: ${reason}`);
}

function refused(reason: string): CadenceFault {
  return new CadenceFault("cron", reason);
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}
