import { describe, expect, it } from "vitest";
import { ReaderRefresh } from "./reader-refresh.ts";

/** A refresh that ends when told; `looks` counts those that began. */
function makeRefresh(): { readonly reader: ReaderRefresh; readonly end: () => void; readonly looks: () => number } {
  const ends: (() => void)[] = [];
  let looks = 0;
  const reader = new ReaderRefresh({
    refresh: () => {
      looks += 1;
      return new Promise((resolve) => ends.push(resolve));
    },
    everyMs: 1e6,
    onError: (error) => {
      throw error;
    },
  });
  return { reader, end: () => ends.shift()?.(), looks: () => looks };
}

describe("a reader's refresh", () => {
  it("begins after the call: one that runs already may have looked too early", async () => {
    const { reader, end, looks } = makeRefresh();
    const first = reader.now();
    const second = reader.now();
    const third = reader.now();
    expect(looks()).toBe(1);
    end();
    await first;
    await Promise.resolve();
    expect(looks()).toBe(2);
    end();
    await Promise.all([second, third]);
    expect(looks()).toBe(2);
    await reader.close();
  });
});
