import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import { judgeAttempt, type ReceiverAnswer } from "./judge-attempt.ts";

const now = new Date("2026-03-01T12:00:00.000Z");

function answered(status: number, headers: Record<string, string> = {}): ReceiverAnswer {
  return { kind: "answered", status, headers, body: "" };
}

/** Seconds until the next try after try `number`, without jitter unless given. */
function waitAfter(number: number, answer: ReceiverAnswer = answered(500), random = 0): number | string {
  const { state, dueAt } = judgeAttempt(answer, { number, now, random });
  return state === "waiting" ? (dueAt.getTime() - now.getTime()) / 1_000 : state;
}

describe("judgeAttempt", () => {
  verifies("webhooks:delivery:2xx-success", "takes any 2xx for a success", () => {
    for (const status of [200, 201, 202, 204, 226, 299]) {
      expect(judgeAttempt(answered(status), { number: 3, now, random: 0 })).toEqual({
        state: "delivered",
        dueAt: now,
        isGone: false,
        error: null,
      });
    }
  });

  verifies(
    ["webhooks:retry:schedule", "webhooks:retry:then-dead"],
    "waits by the published schedule, a little longer by chance, then gives up",
    () => {
      const waits = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((number) => waitAfter(number));
      expect(waits).toEqual([5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400, "dead"]);
      expect(waitAfter(2, answered(500), 0.5)).toBe(315);
      expect(waitAfter(2, answered(500), 0.999)).toBeLessThan(330);
      expect(waitAfter(1, { kind: "no-answer", error: "no answer: it hung" })).toBe(5);
    },
  );

  verifies("webhooks:delivery:no-redirect", "takes a redirect for a failure", () => {
    const verdict = judgeAttempt(answered(308, { location: "https://example.com/" }), { number: 1, now, random: 0 });
    expect(verdict).toMatchObject({
      state: "waiting",
      error: expect.stringContaining("redirects are not followed") as string,
    });
  });

  verifies("webhooks:retry:retry-after", "comes back no sooner than a 429 or 503 asks, within a day", () => {
    expect(waitAfter(1, answered(429, { "retry-after": "120" }))).toBe(120);
    expect(waitAfter(1, answered(503, { "retry-after": "Sun, 01 Mar 2026 12:10:00 GMT" }))).toBe(600);
    expect(waitAfter(2, answered(503, { "retry-after": "1" }))).toBe(300);
    expect(waitAfter(1, answered(503, { "retry-after": "999999999" }))).toBe(86_400);
    expect(waitAfter(1, answered(500, { "retry-after": "120" }))).toBe(5);
    expect(waitAfter(1, answered(429, { "retry-after": "soon" }))).toBe(5);
    expect(waitAfter(10, answered(429, { "retry-after": "120" }))).toBe("dead");
  });

  it("gives up at once on a receiver that is gone", () => {
    expect(judgeAttempt(answered(410), { number: 1, now, random: 0 })).toMatchObject({ state: "dead", isGone: true });
  });
});
