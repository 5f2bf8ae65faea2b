import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import { makeId, makeRequestId } from "./id.ts";

describe("makeId", () => {
  it("is a prefix and a lower-case ULID", () => {
    expect(makeId("webset")).toMatch(/^webset_[0-7][0-9a-hjkmnp-tv-z]{25}$/);
  });

  verifies("http:ids:sortable", "sorts by time", () => {
    const ids = [0, 1, 1_000, 1_700_000_000_000, 1_700_000_000_001].map((ms) => makeId("x", new Date(ms)));
    expect([...ids].sort()).toEqual(ids);
  });

  it("does not repeat", () => {
    const now = new Date();
    expect(new Set(Array.from({ length: 10_000 }, () => makeId("x", now))).size).toBe(10_000);
  });
});

describe("makeRequestId", () => {
  it("is 32 hexadecimal characters", () => {
    expect(makeRequestId()).toMatch(/^[0-9a-f]{32}$/);
  });
});
