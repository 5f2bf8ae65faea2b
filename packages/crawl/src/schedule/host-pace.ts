import { MAX_RETRY_AFTER_MS } from "./retry-after.ts";

/** How a host is doing; kept with the host. */
export interface HostPace {
  /** No request before this. */
  readonly nextAllowedAt: Date;
  /** Failed exchanges in a row. */
  readonly failures: number;
}

/** What sets the pace: the crawl's own delay and what the host's robots.txt asks for; the longer counts. */
export interface PaceSettings {
  readonly delayMs: number;
  readonly crawlDelayMs?: number;
}

/** One exchange with a host, as far as its pace is concerned. */
export interface PacedExchange {
  readonly finishedAt: Date;
  /** `failed`: no answer, or a 5xx. `limited`: 429, or a 503 that says when to come back. */
  readonly result: "answered" | "failed" | "limited";
  readonly retryAfterMs?: number;
}

/** The default pace: one connection, one second between the end of one request and the start of the next. */
export const DEFAULT_DELAY_MS = 1000;

/** Waits after failures double from the first to the second of these. */
const FIRST_BACK_OFF_MS = 2000;
const MAX_BACK_OFF_MS = 10 * 60 * 1000;
/** What a host that says "slow down" without saying how much is given. */
const LIMITED_BACK_OFF_MS = 30_000;

/** A host never asked before. */
export function startPace(now: Date): HostPace {
  return { nextAllowedAt: now, failures: 0 };
}

/** The pace after an exchange. An answer of any kind clears the failures; a wait that the host asks for is obeyed. */
export function paceAfter(pace: HostPace, exchange: PacedExchange, settings: PaceSettings): HostPace {
  const delayMs = Math.max(settings.delayMs, settings.crawlDelayMs ?? 0, 0);
  const failures = exchange.result === "answered" ? 0 : pace.failures + 1;
  const waitMs = Math.max(
    delayMs,
    backOffMs(exchange, failures),
    Math.min(exchange.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS),
  );
  const next = exchange.finishedAt.getTime() + waitMs;
  return { nextAllowedAt: new Date(Math.max(next, pace.nextAllowedAt.getTime())), failures };
}

/** How long to wait before a host may be asked; 0 when it may be now. */
export function waitForHostMs(pace: HostPace, now: Date): number {
  return Math.max(pace.nextAllowedAt.getTime() - now.getTime(), 0);
}

function backOffMs(exchange: PacedExchange, failures: number): number {
  if (failures === 0) return 0;
  if (exchange.retryAfterMs !== undefined) return 0; // the host said it better
  const firstMs = exchange.result === "limited" ? LIMITED_BACK_OFF_MS : FIRST_BACK_OFF_MS;
  return Math.min(firstMs * 2 ** Math.min(failures - 1, 16), MAX_BACK_OFF_MS);
}
