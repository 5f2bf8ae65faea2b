import { formats, say } from "../words/say.ts";
const wholeNumber = new Intl.NumberFormat(formats, { maximumFractionDigits: 0 });
const shortNumber = new Intl.NumberFormat(formats, { notation: "compact", maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat(formats, { style: "percent", maximumFractionDigits: 0 });
const dateTime = new Intl.DateTimeFormat(formats, { dateStyle: "medium", timeStyle: "short" });
const day = new Intl.DateTimeFormat(formats, { dateStyle: "medium" });

/** 12,345. */
export function formatNumber(value: number): string {
  return wholeNumber.format(value);
}

/** 12.3K: where there is little room. */
export function formatShort(value: number): string {
  return shortNumber.format(value);
}

/** 42 %, of a share between 0 and 1. */
export function formatPercent(share: number): string {
  return percent.format(share);
}

/** 4.2 MB, counted by 1,024. */
export function formatBytes(bytes: number): string {
  const units = ["B", "KB", "MB", "GB", "TB"];
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** power;
  return `${power === 0 || value >= 100 ? value.toFixed(0) : value.toFixed(1)} ${units[power] ?? "B"}`;
}

/** 0.4 ms, 12 ms, 3.4 s, 2 min 5 s, 3 h 20 min. */
export function formatDuration(ms: number): string {
  if (ms < 10) return say("ui.ms", { number: Number(ms.toFixed(1)) });
  if (ms < 1_000) return say("ui.msOfMs", { ms: Math.round(ms) });
  if (ms < 60_000) return `${Number((ms / 1_000).toFixed(1))} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 3_600) return joinUnits(Math.floor(seconds / 60), "min", seconds % 60, "s");
  if (seconds < 86_400) return joinUnits(Math.floor(seconds / 3_600), "h", Math.round((seconds % 3_600) / 60), "min");
  return joinUnits(Math.floor(seconds / 86_400), "d", Math.round((seconds % 86_400) / 3_600), "h");
}

/** A date with its time, in the reader's time zone. */
export function formatTime(iso: string): string {
  return dateTime.format(new Date(iso));
}

/** A date alone. */
export function formatDay(iso: string): string {
  return day.format(new Date(iso));
}

/** "5 min ago", against `now`. */
export function formatAgo(iso: string, now: Date): string {
  const ms = now.getTime() - Date.parse(iso);
  if (ms < 5_000) return say("ui.justNow");
  if (ms > 30 * 86_400_000) return formatDay(iso);
  const [largest = ""] = /^\d[\d.]* \w+/.exec(formatDuration(Math.floor(ms / 1_000) * 1_000)) ?? [];
  return say("ui.ago", { largest });
}

/** $0.0042; small sums keep their digits. */
export function formatDollars(dollars: number): string {
  if (dollars === 0 || dollars >= 0.1) return `$${dollars.toFixed(2)}`;
  return `$${Number(dollars.toPrecision(2)).toString().padEnd(4, "0")}`;
}

/** The host of an address, without www; the text itself when it is none. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname.replace(/^www\./, "") : url;
}

function joinUnits(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}
