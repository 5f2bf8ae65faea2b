import { AppError } from "@quarry/base";
import type { Authenticated } from "./authenticate.ts";
import type { RateLimiter, RateLimits } from "./rate-limit.ts";
import type { Route } from "./route.ts";
import type { UsageRecorder } from "./usage-recorder.ts";

/** What limits are checked against. */
export interface MeterDeps {
  readonly rateLimits: RateLimits;
  readonly limiter: RateLimiter;
  readonly usage: Pick<UsageRecorder, "unwrittenCostOf">;
}

/**
 * Counts a metered request against its key's budget and rate. Gives the headers
 * that tell the caller where it stands; throws `budget_exceeded` or `rate_limited`.
 */
export function meterRequest(
  deps: MeterDeps,
  route: Route,
  { caller, credential }: Authenticated,
): Readonly<Record<string, string>> {
  if (route.meter === undefined) return {};
  const key = credential?.key ?? null;
  if (key !== null && key.budgetDollars !== null) {
    const spent = key.spentDollars + deps.usage.unwrittenCostOf(key.id);
    if (spent >= key.budgetDollars) {
      throw new AppError(
        "budget_exceeded",
        `this key has spent its budget of $${key.budgetDollars}; raise budgetDollars of the key, or use another`,
      );
    }
  }
  const rates = [deps.rateLimits[route.meter], key?.rateLimitPerSecond].filter((rate) => rate != null);
  if (rates.length === 0) return {};
  const perSecond = Math.min(...rates);
  const decision = deps.limiter.take(`${caller.keyId ?? caller.teamId} ${route.meter}`, perSecond);
  const headers = {
    "ratelimit-limit": String(decision.limit),
    "ratelimit-remaining": String(decision.remaining),
    "ratelimit-reset": String(Math.ceil(decision.resetMs / 1000)),
  };
  if (decision.allowed) return headers;
  throw new AppError(
    "rate_limited",
    `this key may make ${perSecond} ${route.meter} requests a second; wait and try again`,
    { retryable: true, retryAfterMs: decision.retryAfterMs, details: { headers } },
  );
}
