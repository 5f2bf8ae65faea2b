import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isFinished, JOB_STATES, moveJob, type JobEvent, type JobLifecycle, type JobState } from "./job-state.ts";

const EVENTS: readonly JobEvent[] = [
  "came-due",
  "key-full",
  "key-freed",
  "claimed",
  "completed",
  "failed-retryably",
  "failed-for-good",
  "lease-expired",
  "handed-back",
  "cancel-requested",
  "requeued",
];

const queued: JobLifecycle = { state: "queued", attempts: 0, maxAttempts: 2, cancelRequested: false };

function after(...events: readonly JobEvent[]): JobLifecycle | undefined {
  return events.reduce<JobLifecycle | undefined>((job, event) => job && moveJob(job, event), queued);
}

describe("moveJob", () => {
  it.each<[readonly JobEvent[], JobState | undefined, number]>([
    [["claimed", "completed"], "completed", 1],
    [["key-full", "key-freed", "claimed"], "running", 1],
    [["claimed", "failed-retryably"], "scheduled", 1],
    [["claimed", "failed-retryably", "came-due", "claimed", "failed-retryably"], "dead", 2],
    [["claimed", "failed-for-good"], "dead", 1],
    [["claimed", "failed-for-good", "requeued"], "queued", 0],
    [["claimed", "lease-expired"], "queued", 1],
    [["claimed", "lease-expired", "claimed", "lease-expired"], "dead", 2],
    [["claimed", "handed-back"], "queued", 0],
    [["cancel-requested"], "canceled", 0],
    [["key-full", "cancel-requested"], "canceled", 0],
    [["claimed", "failed-retryably", "cancel-requested"], "canceled", 1],
    [["claimed", "failed-retryably", "claimed"], undefined, 1],
    [["claimed", "cancel-requested"], "running", 1],
    [["claimed", "cancel-requested", "failed-retryably"], "canceled", 1],
    [["claimed", "cancel-requested", "lease-expired"], "canceled", 1],
    [["claimed", "cancel-requested", "handed-back"], "canceled", 1],
    [["claimed", "cancel-requested", "completed"], undefined, 1],
    [["completed"], undefined, 0],
    [["requeued"], undefined, 0],
  ])("takes a queued job through %j to %s", (events, state, attempts) => {
    const job = after(...events);
    expect(job?.state).toBe(state);
    if (job !== undefined) expect(job.attempts).toBe(attempts);
  });

  it("lets nothing but a requeue change a finished job, and never spends more tries than there are", () => {
    const anyEvents = fc.array(fc.constantFrom(...EVENTS), { maxLength: 40 });
    fc.assert(
      fc.property(anyEvents, (events) => {
        let job = queued;
        for (const event of events) {
          const next = moveJob(job, event);
          if (isFinished(job.state))
            expect(next === undefined || (job.state === "dead" && event === "requeued")).toBe(true);
          job = next ?? job;
          expect(JOB_STATES).toContain(job.state);
          expect(job.attempts).toBeGreaterThanOrEqual(0);
          expect(job.attempts).toBeLessThanOrEqual(job.maxAttempts);
        }
      }),
    );
  });
});
