import { verifies } from "@quarry/tests";
import { expect, it } from "vitest";
import { fakeClock } from "../testing-clock.ts";
import { createRateLimiter, RATE_LIMIT_PRESETS, RESEARCH_TASKS_PER_KEY } from "./rate-limit.ts";

it("allows a second's worth at once, then an even pace", () => {
  const clock = fakeClock();
  const limiter = createRateLimiter(clock);
  const burst = Array.from({ length: 7 }, () => limiter.take("a", 5).allowed);
  expect(burst).toEqual([true, true, true, true, true, false, false]);
  expect(limiter.take("a", 5)).toEqual({
    allowed: false,
    limit: 5,
    remaining: 0,
    resetMs: 1000,
    retryAfterMs: 200,
  });
  clock.advance(199);
  expect(limiter.take("a", 5).allowed).toBe(false);
  clock.advance(1);
  expect([limiter.take("a", 5).allowed, limiter.take("a", 5).allowed]).toEqual([true, false]);
  clock.advance(1000);
  expect(Array.from({ length: 6 }, () => limiter.take("a", 5).remaining)).toEqual([4, 3, 2, 1, 0, 0]);
});

verifies("http:limits:per-key", "counts each id apart", () => {
  const limiter = createRateLimiter(fakeClock());
  expect([limiter.take("a", 1).allowed, limiter.take("a", 1).allowed, limiter.take("b", 1).allowed]).toEqual([
    true,
    false,
    true,
  ]);
});

it("holds a rate below one request a second", () => {
  const clock = fakeClock();
  const limiter = createRateLimiter(clock);
  expect(limiter.take("a", 0.5).allowed).toBe(true);
  expect(limiter.take("a", 0.5).retryAfterMs).toBe(2000);
  clock.advance(2000);
  expect(limiter.take("a", 0.5).allowed).toBe(true);
});

it("recovers when the clock is set back", () => {
  const clock = fakeClock();
  const limiter = createRateLimiter(clock);
  for (let count = 0; count < 5; count += 1) limiter.take("a", 5);
  clock.advance(-3_600_000);
  expect(limiter.take("a", 5).retryAfterMs).toBeLessThanOrEqual(1000);
});

it("keeps the pace over a long time: no more than the rate gets through", () => {
  const clock = fakeClock();
  const limiter = createRateLimiter(clock);
  let allowed = 0;
  for (let step = 0; step < 10_000; step += 1) {
    if (limiter.take("a", 10).allowed) allowed += 1;
    clock.advance(7);
  }
  expect(allowed).toBeGreaterThanOrEqual(700);
  expect(allowed).toBeLessThanOrEqual(710);
});

it("keeps the published figures", () => {
  expect(RATE_LIMIT_PRESETS).toEqual({
    unlimited: {},
    "exa-2026-02": { search: 5, contents: 50, answer: 5, websets: 5 },
    exa: { search: 10, contents: 100, answer: 10 },
  });
  expect(RESEARCH_TASKS_PER_KEY).toBe(15);
});
