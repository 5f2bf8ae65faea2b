/** An instant for people: to the minute, in UTC like the API's own dates. */
export function formatTime(timestamp: string | null): string {
  return timestamp === null ? "-" : `${timestamp.slice(0, 10)} ${timestamp.slice(11, 16)}Z`;
}

/** Dollars with as many digits as small sums need. */
export function formatDollars(dollars: number): string {
  if (dollars === 0) return "0";
  return dollars >= 1 ? dollars.toFixed(2) : dollars.toPrecision(2);
}

/** A size in the unit that keeps it short. */
export function formatBytes(bytes: number): string {
  const units = ["B", "KB", "MB", "GB", "TB"];
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log(bytes) / Math.log(1024)));
  const value = bytes / 1024 ** power;
  return `${power === 0 ? String(value) : value.toFixed(1)} ${units[power] ?? ""}`;
}

/** A length of time in its two largest units. */
export function formatDuration(seconds: number): string {
  const whole = Math.floor(seconds);
  const parts = [
    [Math.floor(whole / 86_400), "d"],
    [Math.floor((whole % 86_400) / 3_600), "h"],
    [Math.floor((whole % 3_600) / 60), "min"],
    [whole % 60, "s"],
  ] as const;
  const first = parts.findIndex(([count]) => count > 0);
  if (first === -1) return "0 s";
  const largest = parts.slice(first, first + 2).filter(([count]) => count > 0);
  return largest.map(([count, unit]) => `${count} ${unit}`).join(" ");
}
