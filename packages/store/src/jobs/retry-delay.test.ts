import { AppError } from "@quarry/base";
import { verifies } from "@quarry/tests";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isWorthRetrying, retryDelayMs } from "./retry-delay.ts";

const error = new AppError("upstream_failed", "no answer", { retryable: true });

describe("retryDelayMs", () => {
  verifies("jobs:retry:back-off", "doubles from one second to ten minutes", () => {
    const delays = [1, 2, 3, 4, 10, 11, 100].map((attempts) => retryDelayMs(error, attempts, () => 0));
    expect(delays).toEqual([1_000, 2_000, 4_000, 8_000, 512_000, 600_000, 600_000]);
  });

  it("takes off up to half, by chance", () => {
    const anyChance = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), anyChance, (attempts, chance) => {
        const longest = retryDelayMs(error, attempts, () => 0);
        const delay = retryDelayMs(error, attempts, () => chance);
        expect(delay).toBeGreaterThanOrEqual(longest / 2);
        expect(delay).toBeLessThanOrEqual(longest);
      }),
    );
  });

  it("obeys the error that knows how long to wait, within a week", () => {
    const asking = (retryAfterMs: number): number =>
      retryDelayMs(new AppError("rate_limited", "slow down", { retryAfterMs }), 3, () => 0.5);
    expect([asking(5_000), asking(-1), asking(1e12)]).toEqual([5_000, 0, 604_800_000]);
  });
});

describe("isWorthRetrying", () => {
  it("takes the error's word, and tries accidents again", () => {
    expect(isWorthRetrying(error)).toBe(true);
    expect(isWorthRetrying(new AppError("not_found", "gone for good"))).toBe(false);
    expect(isWorthRetrying(AppError.from(new TypeError("a bug, or a cut connection")))).toBe(true);
  });
});
