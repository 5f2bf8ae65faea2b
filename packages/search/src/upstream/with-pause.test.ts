import { AppError } from "@quarry/base";
import { expect, it } from "vitest";
import type { UpstreamQuery } from "./upstream-provider.ts";
import { withPause } from "./with-pause.ts";

const never = new AbortController().signal;
const query: UpstreamQuery = {
  query: "q",
  limit: 1,
  includeDomains: [],
  excludeDomains: [],
  publishedFrom: undefined,
  publishedTo: undefined,
};

/** A provider that fails with `error` each time; how often it was asked, and a clock to turn. */
function failing(error: AppError) {
  const world = { asked: 0, nowMs: 0 };
  const provider = withPause(
    {
      name: "brave",
      search: () => {
        world.asked += 1;
        return Promise.reject(error);
      },
    },
    () => new Date(world.nowMs),
  );
  const askAt = async (nowMs: number): Promise<number> => {
    world.nowMs = nowMs;
    await expect(provider.search(query, never)).rejects.toBe(error);
    return world.asked;
  };
  return askAt;
}

it.each([
  ["as long as it asked for", 7_000, 7_000],
  ["for half a minute when it did not say", undefined, 30_000],
  ["for ten minutes at most", 86_400_000, 600_000],
])("leaves a provider alone %s", async (_, retryAfterMs, pauseMs) => {
  const askAt = failing(new AppError("rate_limited", "slow down", retryAfterMs === undefined ? {} : { retryAfterMs }));
  expect([await askAt(0), await askAt(pauseMs - 1), await askAt(pauseMs)]).toEqual([1, 1, 2]);
});

it("asks again at once after any other failure", async () => {
  const askAt = failing(new AppError("upstream_failed", "broken"));
  expect([await askAt(0), await askAt(1)]).toEqual([1, 2]);
});
