import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { orAbort, sleep } from "./abort.ts";

describe("sleep", () => {
  it("rejects with the reason when called off, at once or in the middle", async () => {
    const before = AbortSignal.abort(new Error("before"));
    await expect(sleep(60_000, before)).rejects.toThrow("before");
    const stop = new AbortController();
    const sleeping = sleep(60_000, stop.signal);
    stop.abort(new Error("middle"));
    await expect(sleeping).rejects.toThrow("middle");
  });

  it("leaves no listener behind", async () => {
    const stop = new AbortController();
    await sleep(0, stop.signal);
    expect(getEventListeners(stop.signal, "abort")).toEqual([]);
  });
});

describe("orAbort", () => {
  it("rejects with the reason when called off, at once or in the middle, whatever comes later", async () => {
    const never = new Promise<never>(() => undefined);
    await expect(orAbort(never, AbortSignal.abort(new Error("before")))).rejects.toThrow("before");
    await expect(orAbort(Promise.reject(new Error("late")), AbortSignal.abort("words"))).rejects.toThrow("words");
    const stop = new AbortController();
    const waiting = orAbort(never, stop.signal);
    stop.abort(new Error("middle"));
    await expect(waiting).rejects.toThrow("middle");
  });

  it("passes on what comes in time, and leaves no listener behind", async () => {
    const stop = new AbortController();
    expect(await orAbort(Promise.resolve(7), stop.signal)).toBe(7);
    await expect(orAbort(Promise.reject(new Error("failed")), stop.signal)).rejects.toThrow("failed");
    expect(getEventListeners(stop.signal, "abort")).toEqual([]);
  });
});
