import { groupBy } from "../../ui/group-by.ts";
import type { CrawlPage } from "../../api/shapes.ts";

/** What the visits to one host show. */
export interface HostPace {
  readonly host: string;
  /** One of its addresses. */
  readonly url: string;
  readonly done: number;
  readonly failed: number;
  readonly queued: number;
  /** The middle one of the pauses between two visits; null before there are two. */
  readonly pauseMs: number | null;
  readonly lastVisitAt: string | null;
}

/** Sums a crawl's pages up by host, busiest first. */
export function sumUpHosts(pages: readonly CrawlPage[], isGood: (status: string) => boolean): readonly HostPace[] {
  const hosts = groupBy(pages, ({ url }) => (URL.canParse(url) ? new URL(url).host : url));
  return [...hosts]
    .map(([host, visits]) => {
      const done = visits.filter(({ state }) => state === "done");
      const times = done
        .map(({ doneAt }) => (doneAt === null ? Number.NaN : Date.parse(doneAt)))
        .filter((time) => !Number.isNaN(time))
        .sort((one, other) => one - other);
      const last = times.at(-1);
      return {
        host,
        url: visits[0]?.url ?? "",
        done: done.length,
        failed: done.filter(({ status }) => status !== null && !isGood(status)).length,
        queued: visits.length - done.length,
        pauseMs: medianPause(times),
        lastVisitAt: last === undefined ? null : new Date(last).toISOString(),
      };
    })
    .sort((one, other) => other.done + other.queued - (one.done + one.queued));
}

function medianPause(times: readonly number[]): number | null {
  const pauses = times
    .slice(1)
    .map((time, index) => time - (times[index] ?? time))
    .sort((one, other) => one - other);
  return pauses[Math.floor(pauses.length / 2)] ?? null;
}
