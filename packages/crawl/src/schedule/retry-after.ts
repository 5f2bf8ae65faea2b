import { parseWebDate } from "../web-date.ts";

/** The longest wait that is believed; who asks for more is asked again after a day. */
export const MAX_RETRY_AFTER_MS = 24 * 60 * 60 * 1000;

/** Reads a Retry-After header, in seconds or as a date, as milliseconds from `now`; undefined where there is none. */
export function parseRetryAfter(header: string | undefined, now: Date): number | undefined {
  const value = header?.trim() ?? "";
  if (/^\d+(?:\.\d+)?$/.test(value)) return Math.min(Math.round(Number(value) * 1000), MAX_RETRY_AFTER_MS);
  const date = parseWebDate(value);
  if (date === undefined) return undefined;
  return Math.min(Math.max(date.getTime() - now.getTime(), 0), MAX_RETRY_AFTER_MS);
}
