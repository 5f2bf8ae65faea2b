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

/** A page that is read again every so often. */
export interface PageMonitor {
  readonly id: string;
  readonly url: string;
  readonly everyMinutes: number;
  readonly checks: number;
  readonly changes: number;
  readonly lastCheckedAt: string | null;
  readonly nextCheckAt: string | null;
  readonly error: string | null;
}

/** How a watched page changed. */
export interface PageMonitorChange extends PageMonitor {
  readonly change: {
    readonly added: number;
    readonly removed: number;
    readonly diff: string;
    readonly isDiffCut: boolean;
  };
}
