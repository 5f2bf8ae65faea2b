import { expect, it } from "vitest";
import { verifies } from "@quarry/tests";
import { createHostPaces } from "./host-paces.ts";

const start = new Date("2026-01-01T00:00:00Z");

verifies(
  ["crawl:frontier:per-host-pace", "crawl:robots:crawl-delay"],
  "lets a host be asked by one, then after the pause or its own crawl-delay",
  () => {
    let now = start;
    const paces = createHostPaces(() => now);
    const end = paces.begin("e.example");
    expect([paces.waitMs("e.example", 1), paces.waitMs("other.example", 1)]).toEqual([undefined, 0]);
    end({ finishedAt: now, result: "answered" }, { delayMs: 1_000 });
    expect(paces.waitMs("e.example", 1)).toBe(1_000);
    now = new Date(start.getTime() + 1_000);
    paces.begin("e.example")({ finishedAt: now, result: "answered" }, { delayMs: 1_000, crawlDelayMs: 7_000 });
    expect(paces.waitMs("e.example", 1)).toBe(7_000);
  },
);

verifies("crawl:frontier:retry-after", "waits as long as the host says", () => {
  const paces = createHostPaces(() => start);
  paces.begin("e.example")({ finishedAt: start, result: "limited", retryAfterMs: 90_000 }, { delayMs: 1_000 });
  expect(paces.waitMs("e.example", 1)).toBe(90_000);
});

it("counts requests that failed together as one failure", () => {
  let now = start;
  const paces = createHostPaces(() => now);
  const ends = Array.from({ length: 8 }, () => paces.begin("e.example"));
  now = new Date(start.getTime() + 5);
  for (const end of ends) end({ finishedAt: now, result: "failed" }, { delayMs: 0 });
  expect(paces.waitMs("e.example", 8)).toBe(2_000);
  now = new Date(start.getTime() + 3_000);
  paces.begin("e.example")({ finishedAt: now, result: "failed" }, { delayMs: 0 });
  expect(paces.waitMs("e.example", 8)).toBe(4_000);
});
