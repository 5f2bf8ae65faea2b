import { say } from "../../words/say.ts";

/** The days that a monitor made here runs on, as the last field of a cron line, in the order of a week. */
export const DAYS = ["*", "1", "2", "3", "4", "5", "6", "0"] as const;

/** What they are called. */
export const DAY_WORDS: Readonly<Record<(typeof DAYS)[number], string>> = {
  "*": say("monitors.everyDay"),
  "1": say("monitors.monday"),
  "2": say("monitors.tuesday"),
  "3": say("monitors.wednesday"),
  "4": say("monitors.thursday"),
  "5": say("monitors.friday"),
  "6": say("monitors.saturday"),
  "0": say("monitors.sunday"),
};

/** When a monitor runs: in words where it is once on a day or every day, as the cron line otherwise. */
export function describeCadence({ cron, timezone }: { readonly cron: string; readonly timezone: string }): string {
  const [, minute = "", hour = "", last] = /^(\d{1,2}) (\d{1,2}) \* \* (\S)$/.exec(cron.trim()) ?? [];
  const day = DAYS.find((one) => one === last);
  if (day === undefined) return `${cron} (${timezone})`;
  const time = `${hour.padStart(2, "0")}:${minute.padStart(2, "0")}`;
  return say("monitors.cadence", { day: DAY_WORDS[day], time, timezone });
}
