/** The address of the usage screen: how far back, and what the table is grouped by. */
export interface UsageSearch {
  readonly days?: 1 | 7 | 30 | undefined;
  readonly by?: "endpoint" | "key" | undefined;
}

/** Reads an address; what makes no sense is left out. */
export function readUsageSearch(raw: Readonly<Record<string, unknown>>): UsageSearch {
  const days = Number(raw["days"]);
  return {
    ...(days === 1 || days === 30 ? { days } : {}),
    ...(raw["by"] === "key" ? { by: "key" } : {}),
  };
}

/** The start of every hour (one day) or day up to `now`, so that quiet ones are drawn too; UTC, as the server counts. */
export function listPeriods(days: 1 | 7 | 30, now: Date): readonly string[] {
  const unitMs = days === 1 ? 3_600_000 : 86_400_000;
  const count = days === 1 ? 24 : days;
  const last = Math.floor(now.getTime() / unitMs) * unitMs;
  return Array.from({ length: count }, (_, index) => new Date(last - (count - 1 - index) * unitMs).toISOString());
}

/** The address that gives what is shown, as CSV. */
export function usagePath(query: { readonly from: string; readonly groupBy: string; readonly format?: "csv" }): string {
  return `/quarry/v1/usage?${new URLSearchParams({ ...query }).toString()}`;
}
