import { AppError } from "@quarry/base";
import { verifies } from "@quarry/tests";
import { describe, expect, it, vi } from "vitest";
import { createAdmission } from "./search-admission.ts";

const LIMITS = { maxRunning: 8, maxWaiting: 40, maxWaitMs: 2_000 };
const WORK_MS = 10;
/** What can be done in a millisecond. */
const CAPACITY = LIMITS.maxRunning / WORK_MS;
const { signal } = new AbortController();

describe("createAdmission", () => {
  verifies(
    "promises:t35:overload",
    "at five times capacity all is done that can be, in fair shares, the rest refused at once",
    async () => {
      vi.useFakeTimers();
      try {
        const admit = createAdmission(LIMITS);
        const done = new Map<string, number>();
        const refusedAfterMs: number[] = [];
        const ask = (who: string): void => {
          const began = Date.now();
          admit(() => new Promise((resolve) => setTimeout(resolve, WORK_MS)), {
            who,
            signal: new AbortController().signal,
          }).then(
            () => done.set(who, (done.get(who) ?? 0) + 1),
            (error: unknown) => {
              expect(error).toMatchObject({ code: "unavailable", retryable: true, retryAfterMs: 1_000 });
              refusedAfterMs.push(Date.now() - began);
            },
          );
        };
        // One asks for three and a half times what there is, another for its share and a little, a third for the rest.
        const offers = { greedy: 3.5 * CAPACITY, modest: 0.4 * CAPACITY, middling: 1.1 * CAPACITY };
        const owed = { greedy: 0, modest: 0, middling: 0 };
        const lastsMs = 1_500;
        for (let ms = 0; ms < lastsMs; ms += 1) {
          for (const who of ["greedy", "modest", "middling"] as const) {
            owed[who] += offers[who];
            for (; owed[who] >= 1; owed[who] -= 1) ask(who);
          }
          await vi.advanceTimersByTimeAsync(1);
        }
        const all = [...done.values()].reduce((sum, count) => sum + count, 0);
        expect(all).toBeGreaterThan(0.9 * CAPACITY * lastsMs);
        for (const who of Object.keys(offers)) {
          expect(Math.abs((done.get(who) ?? 0) / (all / 3) - 1), who).toBeLessThan(0.05);
        }
        expect(refusedAfterMs.length).toBeGreaterThan(3.5 * CAPACITY * lastsMs);
        const sorted = refusedAfterMs.toSorted((one, other) => one - other);
        expect(sorted[Math.floor(sorted.length * 0.95)]).toBeLessThan(20);
        await vi.advanceTimersByTimeAsync(LIMITS.maxWaitMs);
        await expect(admit(() => Promise.resolve("again"), { who: "anyone", signal })).resolves.toBe("again");
      } finally {
        vi.useRealTimers();
      }
    },
  );

  it("lets nobody wait too long, and forgets who left", async () => {
    vi.useFakeTimers();
    try {
      const admit = createAdmission({ maxRunning: 1, maxWaiting: 2, maxWaitMs: 100 });
      let finish: () => void = () => undefined;
      const first = admit(() => new Promise<void>((resolve) => (finish = resolve)), { who: "a", signal });
      const leaving = new AbortController();
      const outcomes = Promise.allSettled([
        admit(() => Promise.resolve(), { who: "a", signal: leaving.signal }),
        admit(() => Promise.resolve(), { who: "b", signal }),
      ]);
      leaving.abort();
      await vi.advanceTimersByTimeAsync(100);
      const reasons = (await outcomes).map(
        (outcome) => outcome.status === "rejected" && AppError.from(outcome.reason).code,
      );
      expect(reasons).toEqual(["canceled", "unavailable"]);
      finish();
      await first;
      await expect(admit(() => Promise.resolve(1), { who: "a", signal })).resolves.toBe(1);
    } finally {
      vi.useRealTimers();
    }
  });
});
