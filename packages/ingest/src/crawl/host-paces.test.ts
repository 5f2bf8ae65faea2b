import { randomInt } from "node:crypto";
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

const FETCHES = 1_000_000;
const HOSTS = 2_000;

verifies(
  "promises:t25:politeness",
  "over a million simulated fetches no host is visited too soon or twice at once",
  () => {
    let seed = randomInt(2 ** 31);
    process.stdout.write(`politeness: seed ${seed}\n`);
    const random = (limit: number): number => {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((seed / 2 ** 32) * limit);
    };
    let time = start.getTime();
    const paces = createHostPaces(() => new Date(time));
    /** What the hosts themselves see: when the visitor left, how long it must stay away, whether it is there. */
    const hosts = Array.from({ length: HOSTS }, (_, index) => ({
      name: `${index}.example`,
      crawlDelayMs: index % 7 === 0 ? 1_000 + random(4_000) : 0,
      freeAt: time,
      end: undefined as (() => void) | undefined,
      endsAt: 0,
    }));
    let fetches = 0;
    const wrong: string[] = [];
    while (fetches < FETCHES && wrong.length === 0) {
      time += random(3);
      const host = hosts[random(HOSTS)];
      if (host === undefined) continue;
      if (host.end !== undefined && host.endsAt <= time) host.end();
      if (paces.waitMs(host.name, 1) !== 0) continue;
      if (host.end !== undefined) wrong.push(`${host.name} twice at once`);
      if (time < host.freeAt) wrong.push(`${host.name} ${host.freeAt - time} ms too soon`);
      fetches += 1;
      const done = paces.begin(host.name);
      host.endsAt = time + random(800);
      host.end = () => {
        const limited = random(50) === 0;
        const retryAfterMs = limited ? random(20_000) : 0;
        const finishedAt = new Date(time);
        const result = limited ? "limited" : random(40) === 0 ? "failed" : "answered";
        const { crawlDelayMs } = host;
        done({ finishedAt, result, ...(limited ? { retryAfterMs } : {}) }, { delayMs: 1_000, crawlDelayMs });
        host.freeAt = time + Math.max(1_000, crawlDelayMs, retryAfterMs, result === "failed" ? 2_000 : 0);
        host.end = undefined;
      };
    }
    expect(wrong).toEqual([]);
    expect(fetches).toBe(FETCHES);
  },
  120_000,
);
