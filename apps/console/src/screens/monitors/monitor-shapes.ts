/** A webset that is kept up to date by itself. */
export interface Monitor {
  readonly id: string;
  readonly status: "enabled" | "disabled";
  readonly websetId: string;
  readonly cadence: { readonly cron: string; readonly timezone: string };
  readonly behavior: { readonly type: "search" | "refresh" };
  readonly nextRunAt: string | null;
  readonly lastRun: { readonly status: string; readonly createdAt: string } | null;
}

/** A run that was, or that is to come. */
export interface CalendarEntry {
  readonly monitorId: string;
  readonly websetId: string;
  readonly type: "search" | "refresh";
  readonly at: string;
  readonly status: "next" | "created" | "running" | "completed" | "canceled" | "failed";
  readonly runId: string | null;
  readonly reason: string | null;
}
