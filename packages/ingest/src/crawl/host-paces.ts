import {
  paceAfter,
  startPace,
  waitForHostMs,
  type HostPace,
  type PacedExchange,
  type PaceSettings,
} from "@quarry/crawl";

/** The pace of every host this process visits, shared by all crawls: two crawls of one site are one visitor to it. */
export interface HostPaces {
  /** How long until the host may be asked again; undefined when it has as many requests under way as it may. */
  readonly waitMs: (host: string, maxAtOnce: number) => number | undefined;
  /** Notes that a request begins; the answer is to be called, once, when it has ended. */
  readonly begin: (host: string) => (exchange: PacedExchange, settings: PaceSettings) => void;
}

/** Hosts remembered; one that was quiet longest is forgotten first. */
const MAX_HOSTS = 50_000;

interface KnownHost {
  readonly pace: HostPace;
  readonly lastFailureAt: Date | undefined;
}

/** Paces for a process. */
export function createHostPaces(now: () => Date): HostPaces {
  const hosts = new Map<string, KnownHost>();
  const underWay = new Map<string, number>();
  return {
    waitMs: (host, maxAtOnce) => {
      if ((underWay.get(host) ?? 0) >= maxAtOnce) return undefined;
      const known = hosts.get(host);
      return known === undefined ? 0 : waitForHostMs(known.pace, now());
    },
    begin: (host) => {
      const begunAt = now();
      underWay.set(host, (underWay.get(host) ?? 0) + 1);
      return (exchange, settings) => {
        const left = (underWay.get(host) ?? 1) - 1;
        if (left > 0) underWay.set(host, left);
        else underWay.delete(host);
        const known = hosts.get(host);
        hosts.delete(host); // put in again: the order of a Map is that of insertion
        hosts.set(host, {
          pace: paceAfter(paceBefore(known, begunAt, now()), exchange, settings),
          lastFailureAt: exchange.result === "answered" ? known?.lastFailureAt : exchange.finishedAt,
        });
        const oldest = hosts.keys().next();
        if (hosts.size > MAX_HOSTS && oldest.done !== true) hosts.delete(oldest.value);
      };
    },
  };
}

/** Requests that were under way together and failed together are one failure, not a row of them. */
function paceBefore(known: KnownHost | undefined, begunAt: Date, now: Date): HostPace {
  if (known === undefined) return startPace(now);
  const { pace, lastFailureAt } = known;
  if (lastFailureAt === undefined || lastFailureAt < begunAt) return pace;
  return { ...pace, failures: Math.max(0, pace.failures - 1) };
}
