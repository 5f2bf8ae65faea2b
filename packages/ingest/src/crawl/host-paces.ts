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
  readonly begin: (host: string) => void;
  readonly end: (host: string, exchange: PacedExchange, settings: PaceSettings) => void;
}

/** Hosts remembered; one that was quiet longest is forgotten first. */
const MAX_HOSTS = 50_000;

/** Paces for a process. */
export function createHostPaces(now: () => Date): HostPaces {
  const paces = new Map<string, HostPace>();
  const underWay = new Map<string, number>();
  return {
    waitMs: (host, maxAtOnce) => {
      if ((underWay.get(host) ?? 0) >= maxAtOnce) return undefined;
      const pace = paces.get(host);
      return pace === undefined ? 0 : waitForHostMs(pace, now());
    },
    begin: (host) => underWay.set(host, (underWay.get(host) ?? 0) + 1),
    end: (host, exchange, settings) => {
      const left = (underWay.get(host) ?? 1) - 1;
      if (left > 0) underWay.set(host, left);
      else underWay.delete(host);
      const pace = paceAfter(paces.get(host) ?? startPace(now()), exchange, settings);
      paces.delete(host); // put in again: the order of a Map is that of insertion
      paces.set(host, pace);
      const oldest = paces.keys().next();
      if (paces.size > MAX_HOSTS && oldest.done !== true) paces.delete(oldest.value);
    },
  };
}
