import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { sleep } from "./abort.ts";

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
