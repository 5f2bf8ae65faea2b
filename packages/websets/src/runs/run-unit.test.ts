import { AppError } from "@quarry/base";
import type { Job, JobCompletion, JobRun } from "@quarry/store";
import { describe, expect, it } from "vitest";
import { runUnit } from "./run-unit.ts";

const BEGAN = new Date("2026-03-01T12:00:00Z");
const MINUTE_MS = 60_000;

function runOf(change: Partial<Job> = {}): JobRun {
  const job: Job = {
    id: "job_1",
    kind: "webset-search",
    teamId: "team_1",
    payload: {},
    state: "running",
    priority: 0,
    runAt: BEGAN,
    key: null,
    maxPerKey: null,
    dedupeKey: null,
    slot: null,
    attempts: 1,
    maxAttempts: 1_000,
    workerId: "worker_1",
    cancelRequested: false,
    progress: null,
    error: null,
    createdAt: BEGAN,
    startedAt: BEGAN,
    finishedAt: null,
    ...change,
  };
  return {
    job,
    signal: new AbortController().signal,
    reportProgress: () => undefined,
    complete: () => Promise.resolve(completionOf("done")),
  };
}

function completionOf(jobId: string): JobCompletion {
  return { kind: "job-completion", jobId };
}

/** A unit that fails, on a clock that stands at `minutes` after the job first began. */
function failingUnit(minutes: number, error: Error) {
  const world = { minutes };
  const clock = { now: () => new Date(BEGAN.getTime() + world.minutes * MINUTE_MS) };
  const handler = runUnit(
    clock,
    () => Promise.reject(error),
    () => Promise.resolve(completionOf("given up")),
  );
  return { world, handler };
}

const AWAY = new AppError("unavailable", "the index opens");

describe("a unit whose failure may pass", () => {
  it("is tried again by a server that starts long after the job first began", async () => {
    const { world, handler } = failingUnit(60, AWAY);
    await expect(handler(runOf())).rejects.toMatchObject({ code: "unavailable", retryable: true });
    world.minutes = 69;
    await expect(handler(runOf())).rejects.toMatchObject({ code: "unavailable", retryable: true });
  });

  it("is given up ten minutes after its first failure", async () => {
    const { world, handler } = failingUnit(0, AWAY);
    await expect(handler(runOf())).rejects.toThrow("the index opens");
    world.minutes = 10;
    expect(await handler(runOf())).toEqual(completionOf("given up"));
  });
});

describe("a unit that fails for reasons of its own", () => {
  it("is given up at once when the error says why", async () => {
    const { handler } = failingUnit(0, new AppError("unprocessable", "there are no words in it"));
    expect(await handler(runOf())).toEqual(completionOf("given up"));
  });

  it("is given up after six tries when it does not", async () => {
    const { handler } = failingUnit(0, new Error("broken"));
    await expect(handler(runOf({ attempts: 5 }))).rejects.toThrow("broken");
    expect(await handler(runOf({ attempts: 6 }))).toEqual(completionOf("given up"));
  });
});
