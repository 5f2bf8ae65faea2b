import type { Clock } from "@quarry/base";

/** The kinds of metered work; each has its own limit per key. */
export type Meter = "search" | "contents" | "answer" | "websets" | "research";

/** Requests per second and key, by meter; a meter without a figure is unlimited. */
export type RateLimits = Readonly<Partial<Record<Meter, number>>>;

/** The limits that QUARRY_RATE_LIMITS names, as Exa published them. */
export const RATE_LIMIT_PRESETS = {
  unlimited: {},
  "exa-2026-02": { search: 5, contents: 50, answer: 5, websets: 5 },
  exa: { search: 10, contents: 100, answer: 10 },
} as const satisfies Record<string, RateLimits>;

/** Research tasks that one key may have running at once, under every preset; the job queue holds to it. */
export const RESEARCH_TASKS_PER_KEY = 15;

/** What became of one request, with the figures its headers show. */
export interface RateDecision {
  readonly allowed: boolean;
  readonly limit: number;
  readonly remaining: number;
  /** Until the whole limit is free again. */
  readonly resetMs: number;
  /** Until the next request is allowed; 0 when this one was. */
  readonly retryAfterMs: number;
}

/**
 * Counts requests by id with the generic cell rate algorithm: a second's worth at
 * once, then an even pace. Kept in this process, so N api processes allow N times
 * the rate together.
 */
export function createRateLimiter(clock: Clock) {
  /** When the request after the last one would be due at an even pace. */
  const dueAt = new Map<string, number>();

  return {
    take(id: string, perSecond: number): RateDecision {
      const now = clock.now().getTime();
      const burst = Math.max(1, Math.floor(perSecond));
      const intervalMs = 1000 / perSecond;
      const windowMs = burst * intervalMs;
      // The upper bound heals a clock that was set back.
      const due = Math.min(Math.max(dueAt.get(id) ?? now, now), now + windowMs);
      const waitMs = due - (windowMs - intervalMs) - now;
      if (waitMs > 0) {
        return { allowed: false, limit: burst, remaining: 0, resetMs: due - now, retryAfterMs: waitMs };
      }
      const next = due + intervalMs;
      dueAt.set(id, next);
      if (dueAt.size > SWEEP_AT) sweep(dueAt, now);
      const remaining = Math.floor((windowMs - (next - now)) / intervalMs + 1e-9);
      return { allowed: true, limit: burst, remaining, resetMs: next - now, retryAfterMs: 0 };
    },
  };
}

/** Counts requests; see `createRateLimiter`. */
export type RateLimiter = ReturnType<typeof createRateLimiter>;

const SWEEP_AT = 10_000;

function sweep(dueAt: Map<string, number>, now: number): void {
  for (const [id, due] of dueAt) if (due <= now) dueAt.delete(id);
}
