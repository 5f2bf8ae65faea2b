import { getEventListeners } from "node:events";
import { describe, expect, it, vi } from "vitest";
import { linkAbort, orAbort, sleep } from "./abort.ts";

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

describe("linkAbort", () => {
  it("aborts with the other's reason, at once or later, or by itself", () => {
    expect(linkAbort(AbortSignal.abort("before")).signal.reason).toEqual(new Error("before"));
    const parent = new AbortController();
    const one = linkAbort(parent.signal);
    const other = linkAbort(parent.signal);
    other.abort(new Error("own"));
    expect(one.signal.aborted).toBe(false);
    parent.abort(new Error("parent's"));
    expect([one.signal.reason, other.signal.reason]).toEqual([new Error("parent's"), new Error("own")]);
  });

  it("aborts after its time, however long that is, and not once it has ended", () => {
    vi.useFakeTimers();
    try {
      const parent = new AbortController();
      const late = new Error("late");
      const limited = linkAbort(parent.signal, { milliseconds: 50, late: () => late });
      const endless = linkAbort(parent.signal, { milliseconds: 2 ** 40, late: () => late });
      const ended = linkAbort(parent.signal, { milliseconds: 50, late: () => late });
      ended.end();
      vi.advanceTimersByTime(50);
      expect([limited, endless, ended].map(({ signal }) => signal.aborted)).toEqual([true, false, false]);
      expect(limited.signal.reason).toBe(late);
      limited.end();
      endless.end();
      expect(getEventListeners(parent.signal, "abort")).toEqual([]);
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
});
