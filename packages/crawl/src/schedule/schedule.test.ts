import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { conditionalHeaders, readValidators } from "./conditional-request.ts";
import { paceAfter, startPace, waitForHostMs, type HostPace, type PacedExchange } from "./host-pace.ts";
import {
  MAX_INTERVAL_MS,
  MIN_INTERVAL_MS,
  nextVisitAt,
  recordVisit,
  startHistory,
  type ChangeHistory,
} from "./recrawl-schedule.ts";
import { parseRetryAfter } from "./retry-after.ts";

const now = new Date("2025-01-01T00:00:00Z");
const hour = 60 * 60 * 1000;
const day = 24 * hour;

describe("the re-crawl schedule", () => {
  /** Visits a page that changes every so often, always when it is due; the interval it settles at. */
  const settle = (everyMs: number, visits = 60): number => {
    let history: ChangeHistory = startHistory();
    let [time, seenVersion] = [0, 0];
    for (let visit = 0; visit < visits; visit += 1) {
      time += history.intervalMs;
      const version = Math.floor(time / everyMs);
      history = recordVisit(history, { elapsedMs: history.intervalMs, changed: version !== seenVersion });
      seenVersion = version;
    }
    return history.intervalMs;
  };

  it("visits a page that never changes ever less, and one that always does ever more", () => {
    expect(settle(Number.MAX_SAFE_INTEGER)).toBe(MAX_INTERVAL_MS);
    expect(settle(hour / 10)).toBe(MIN_INTERVAL_MS);
  });

  it.each([1, 3, 10, 30])("settles near the pace of a page that changes every %i days", (days) => {
    const interval = settle(days * day);
    expect(interval).toBeGreaterThan((days * day) / 4);
    expect(interval).toBeLessThan(days * day * 2);
  });

  it("is moved little by one surprise", () => {
    const calm = { visits: 10, changes: 0, observedMs: 100 * day, intervalMs: 10 * day };
    expect(recordVisit(calm, { elapsedMs: 10 * day, changed: true }).intervalMs).toBeGreaterThanOrEqual(10 * day);
    const first = startHistory();
    expect(recordVisit(first, { elapsedMs: 7 * day, changed: false }).intervalMs).toBe(14 * day);
    expect(recordVisit(first, { elapsedMs: 7 * day, changed: true }).intervalMs).toBeLessThan(7 * day);
  });

  it("begins with what a sitemap says", () => {
    expect(["always", "daily", "never"].map((word) => startHistory(word as "daily").intervalMs)).toEqual([
      hour,
      day,
      MAX_INTERVAL_MS,
    ]);
  });

  it("stays within its bounds, whatever happens", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            elapsedMs: fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true })),
            changed: fc.boolean(),
          }),
        ),
        (visits) => {
          let history: ChangeHistory = startHistory();
          for (const visit of visits) history = recordVisit(history, visit);
          expect(history.intervalMs).toBeGreaterThanOrEqual(MIN_INTERVAL_MS);
          expect(history.intervalMs).toBeLessThanOrEqual(MAX_INTERVAL_MS);
        },
      ),
    );
  });

  it("spreads pages that were read together", () => {
    const dues = Array.from(
      { length: 200 },
      (_page, at) => nextVisitAt(startHistory(), now, `https://a.test/${at}`).getTime() - now.getTime(),
    );
    expect(Math.min(...dues)).toBeGreaterThanOrEqual(6.3 * day);
    expect(Math.max(...dues)).toBeLessThanOrEqual(7.7 * day);
    expect(new Set(dues).size).toBeGreaterThan(190);
    expect(nextVisitAt(startHistory(), now, "x")).toEqual(nextVisitAt(startHistory(), now, "x"));
  });
});

describe("conditional requests", () => {
  it.each([
    [
      { etag: '"abc"', "last-modified": "Sun, 06 Nov 1994 08:49:37 GMT" },
      { etag: '"abc"', lastModified: "Sun, 06 Nov 1994 08:49:37 GMT" },
    ],
    [{ etag: 'W/"1"' }, { etag: 'W/"1"' }],
    [{ etag: "5f3a-17" }, { etag: "5f3a-17" }],
    [{ etag: '"un\nsafe"', "last-modified": "yesterday" }, {}],
    [{ etag: `"${"x".repeat(600)}"` }, {}],
    [{}, {}],
  ])("keeps of %j what can be sent back", (headers, expected) => {
    expect(readValidators(headers)).toEqual(expected);
  });

  it("asks with what it has", () => {
    expect(conditionalHeaders({ etag: '"a"', lastModified: "Sun, 06 Nov 1994 08:49:37 GMT" })).toEqual({
      "if-none-match": '"a"',
      "if-modified-since": "Sun, 06 Nov 1994 08:49:37 GMT",
    });
    expect(conditionalHeaders({})).toEqual({});
  });
});

describe("parseRetryAfter", () => {
  it.each([
    ["120", 120_000],
    [" 0 ", 0],
    ["1.5", 1500],
    ["999999999999", day],
    ["Wed, 01 Jan 2025 00:01:00 GMT", 60_000],
    ["Tue, 31 Dec 2024 23:00:00 GMT", 0],
    ["-5", undefined],
    ["later", undefined],
    ["", undefined],
    [undefined, undefined],
  ])("reads %j as %s ms", (header, expected) => {
    expect(parseRetryAfter(header, now)).toBe(expected);
  });
});

describe("the pace of a host", () => {
  const after = (
    exchange: Partial<PacedExchange>,
    settings = { delayMs: 1000 } as { delayMs: number; crawlDelayMs?: number },
    pace: HostPace = startPace(now),
  ): number => waitForHostMs(paceAfter(pace, { finishedAt: now, result: "answered", ...exchange }, settings), now);

  it("lets a new host be asked at once, and then after the delay", () => {
    expect(waitForHostMs(startPace(now), now)).toBe(0);
    expect(after({})).toBe(1000);
    expect(after({}, { delayMs: 0 })).toBe(0);
    expect(waitForHostMs({ nextAllowedAt: new Date(now.getTime() - 5), failures: 0 }, now)).toBe(0);
  });

  it("obeys the longer of our delay and the host's", () => {
    expect(after({}, { delayMs: 1000, crawlDelayMs: 5000 })).toBe(5000);
    expect(after({}, { delayMs: 1000, crawlDelayMs: 100 })).toBe(1000);
  });

  it("obeys Retry-After, for a day at most", () => {
    expect(after({ result: "limited", retryAfterMs: 90_000 })).toBe(90_000);
    expect(after({ result: "limited", retryAfterMs: 10 * day })).toBe(day);
    expect(after({ result: "limited", retryAfterMs: 0 })).toBe(1000);
  });

  it("waits twice as long after every failure, and forgets them after an answer", () => {
    let pace = startPace(now);
    const waits: number[] = [];
    for (let failure = 0; failure < 12; failure += 1) {
      const finishedAt = pace.nextAllowedAt;
      pace = paceAfter(pace, { finishedAt, result: "failed" }, { delayMs: 1000 });
      waits.push((pace.nextAllowedAt.getTime() - finishedAt.getTime()) / 1000);
    }
    expect(waits).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600, 600]);
    expect(paceAfter(pace, { finishedAt: pace.nextAllowedAt, result: "answered" }, { delayMs: 1000 }).failures).toBe(0);
  });

  it("waits longer when told to slow down without a time", () => {
    expect(after({ result: "limited" })).toBe(30_000);
  });

  it("never brings a wait forward", () => {
    const waiting = { nextAllowedAt: new Date(now.getTime() + hour), failures: 1 };
    expect(after({}, { delayMs: 1 }, waiting)).toBe(hour);
  });
});
