import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Metrics } from "./metrics.ts";

const LAG_RESOLUTION_MS = 10;
const NANOSECONDS_PER_SECOND = 1e9;

/** Registers memory, processor time, uptime and event-loop lag of this process; `close` ends the sampling. */
export function registerProcessMetrics(metrics: Metrics): { readonly close: () => void } {
  const lag = monitorEventLoopDelay({ resolution: LAG_RESOLUTION_MS });
  lag.enable();
  metrics.gauge("quarry_event_loop_lag_seconds", "Event-loop delay since the last reading.", () => {
    const seconds = (nanoseconds: number): number =>
      Number.isFinite(nanoseconds) ? Math.max(0, nanoseconds / NANOSECONDS_PER_SECOND - LAG_RESOLUTION_MS / 1000) : 0;
    const samples = [
      { labels: { quantile: "0.5" }, value: seconds(lag.percentile(50)) },
      { labels: { quantile: "0.99" }, value: seconds(lag.percentile(99)) },
      { labels: { quantile: "1" }, value: seconds(lag.max) },
    ];
    lag.reset();
    return samples;
  });
  metrics.gauge("process_resident_memory_bytes", "Resident memory of the process.", () => process.memoryUsage.rss());
  metrics.gauge("quarry_heap_used_bytes", "Used JavaScript heap.", () => process.memoryUsage().heapUsed);
  metrics.gauge("quarry_process_cpu_seconds", "Processor time used, user and system.", () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
  metrics.gauge("quarry_process_uptime_seconds", "Time since the process started.", () => process.uptime());
  return { close: () => void lag.disable() };
}
