import type { Credential } from "@quarry/store";
import { expect, it } from "vitest";
import { fakeClock } from "../testing-clock.ts";
import { createCredentialCache } from "./credential-cache.ts";

function cacheOver(answers: Readonly<Record<string, Credential>>) {
  const clock = fakeClock();
  const asked: string[] = [];
  const cache = createCredentialCache(clock, (secret) => {
    asked.push(secret);
    return Promise.resolve(answers[secret]);
  });
  return { clock, asked, cache };
}

const forever: Credential = { teamId: "team_1", key: null, validUntil: null };

it("asks once for callers at the same time and for a few seconds, unknown secrets too", async () => {
  const { cache, asked, clock } = cacheOver({ good: forever });
  await Promise.all([cache.get("good"), cache.get("good"), cache.get("bad")]);
  expect(await cache.get("bad")).toBeUndefined();
  expect(asked).toEqual(["good", "bad"]);
  clock.advance(5_000);
  expect(await cache.get("good")).toEqual(forever);
  expect(asked).toEqual(["good", "bad", "good"]);
});

it("asks again after it was told to forget", async () => {
  const { cache, asked } = cacheOver({ good: forever });
  await cache.get("good");
  cache.forgetAll();
  await cache.get("good");
  expect(asked).toEqual(["good", "good"]);
});

it("lets a credential end while it is remembered", async () => {
  const { cache, clock } = cacheOver({ good: { ...forever, validUntil: new Date("2026-03-01T12:00:02.000Z") } });
  expect(await cache.get("good")).toBeDefined();
  clock.advance(2_000);
  expect(await cache.get("good")).toBeUndefined();
});

it("does not remember a failure", async () => {
  let calls = 0;
  const cache = createCredentialCache(fakeClock(), () => {
    calls += 1;
    return calls === 1 ? Promise.reject(new Error("the store is away")) : Promise.resolve(forever);
  });
  await expect(cache.get("good")).rejects.toThrow("away");
  expect(await cache.get("good")).toEqual(forever);
});

it("holds no more than its limit", async () => {
  const { cache, asked } = cacheOver({});
  for (let index = 0; index < 10_000; index += 1) await cache.get(`guess ${index}`);
  await cache.get("guess 0");
  expect(asked).toHaveLength(10_000);
  await cache.get("guess 10000");
  await cache.get("guess 10000");
  expect(asked).toHaveLength(10_001);
  await cache.get("guess 0");
  expect(asked).toHaveLength(10_002);
});
