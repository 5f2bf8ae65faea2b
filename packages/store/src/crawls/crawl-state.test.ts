import { expect, it } from "vitest";
import { isCrawlFinished, moveCrawl, type CrawlMove, type CrawlStatus } from "./crawl-state.ts";

const STATUSES: readonly CrawlStatus[] = ["queued", "running", "paused", "completed", "canceled", "failed"];

it.each<[CrawlMove, Partial<Record<CrawlStatus, CrawlStatus>>]>([
  ["start", { queued: "running", running: "running" }],
  ["pause", { queued: "paused", running: "paused" }],
  ["resume", { paused: "queued" }],
  ["complete", { running: "completed" }],
  ["cancel", { queued: "canceled", running: "canceled", paused: "canceled" }],
  ["fail", { queued: "failed", running: "failed" }],
  ["revisit", { completed: "queued" }],
])("%s leads exactly where it may", (move, allowed) => {
  const found = Object.fromEntries(STATUSES.map((status) => [status, moveCrawl(status, move)]));
  expect(found).toEqual({ ...Object.fromEntries(STATUSES.map((status) => [status, undefined])), ...allowed });
});

it("ends in three ways", () => {
  expect(STATUSES.filter(isCrawlFinished)).toEqual(["completed", "canceled", "failed"]);
});
