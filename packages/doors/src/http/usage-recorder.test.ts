import type { UsageRecord } from "@quarry/store";
import { expect, it, vi } from "vitest";
import { UsageRecorder } from "./usage-recorder.ts";

function record(change: Partial<UsageRecord> = {}): UsageRecord {
  return {
    teamId: "team_1",
    keyId: "apikey_1",
    endpoint: "POST /search",
    status: 200,
    latencyMs: 5,
    tokens: 0,
    costDollars: 0,
    at: new Date("2026-03-01T12:00:00.000Z"),
    ...change,
  };
}

function recorderOver(write: (records: readonly UsageRecord[]) => Promise<void>) {
  const lost: number[] = [];
  const log = { warn: vi.fn(), error: vi.fn() };
  const recorder = new UsageRecorder({ write, log, onLost: (count) => lost.push(count) });
  return { recorder, lost, log };
}

it("writes what is left when closed, in the order it came", async () => {
  const written: UsageRecord[] = [];
  const { recorder } = recorderOver((records) => {
    written.push(...records);
    return Promise.resolve();
  });
  const records = Array.from({ length: 12_000 }, (_, index) => record({ latencyMs: index }));
  for (const one of records) recorder.add(one);
  await recorder.close();
  expect(written).toEqual(records);
});

it("keeps a batch that the store refused, and writes it with the next", async () => {
  const written: number[] = [];
  let isAway = true;
  const { recorder } = recorderOver((records) => {
    if (isAway) return Promise.reject(new Error("the store is away"));
    written.push(...records.map((one) => one.latencyMs));
    return Promise.resolve();
  });
  recorder.add(record({ latencyMs: 1 }));
  await expect(recorder.flush()).rejects.toThrow("away");
  recorder.add(record({ latencyMs: 2 }));
  isAway = false;
  await recorder.close();
  expect(written).toEqual([1, 2]);
});

it("writes by itself within a second, and tries again after a failure", async () => {
  vi.useFakeTimers();
  try {
    let calls = 0;
    const { recorder, log } = recorderOver(() => {
      calls += 1;
      return calls === 1 ? Promise.reject(new Error("the store is away")) : Promise.resolve();
    });
    recorder.add(record());
    await vi.advanceTimersByTimeAsync(1_000);
    expect(calls).toBe(2);
    expect(log.warn).toHaveBeenCalledOnce();
    await recorder.close();
  } finally {
    vi.useRealTimers();
  }
});

it("knows what a key has spent until it is written", async () => {
  const { recorder } = recorderOver(() => Promise.resolve());
  recorder.add(record({ costDollars: 0.25 }));
  recorder.add(record({ costDollars: 0.5 }));
  recorder.add(record({ keyId: null, costDollars: 9 }));
  expect([recorder.unwrittenCostOf("apikey_1"), recorder.unwrittenCostOf("apikey_2")]).toEqual([0.75, 0]);
  await recorder.close();
  expect(recorder.unwrittenCostOf("apikey_1")).toBe(0);
});

it("gives up the oldest, and says so, when the store stays away too long", async () => {
  const { recorder, lost, log } = recorderOver(() => Promise.resolve());
  for (let index = 0; index < 200_003; index += 1) recorder.add(record());
  expect(lost).toEqual([1, 1, 1]);
  expect(log.error).toHaveBeenCalled();
  await recorder.close();
});
