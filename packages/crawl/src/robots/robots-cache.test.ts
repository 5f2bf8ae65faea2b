import { AppError } from "@quarry/base";
import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import type { HttpGet, HttpReply, HttpStop } from "../page/http-exchange.ts";
import { createRobotsCache, readRobots, robotsCrawlDelayMs, type RobotsCache } from "./robots-cache.ts";

const start = new Date("2025-01-01T00:00:00Z");
const hour = 60 * 60 * 1000;
const never = new AbortController().signal;

/** A web whose every robots.txt is the given answer, a clock to move, and what was asked. */
function webOfRobots(answer: Partial<HttpReply> | HttpStop | ((url: string) => Partial<HttpReply>), file = ""): World {
  const asked: string[] = [];
  let time = start.getTime();
  const get: HttpGet = ({ url }) => {
    asked.push(url);
    if ("kind" in answer && answer.kind !== "reply" && typeof answer !== "function")
      return Promise.resolve(answer as HttpStop);
    const reply = typeof answer === "function" ? answer(url) : answer;
    return Promise.resolve({
      kind: "reply",
      url,
      status: 200,
      headers: {},
      body: Buffer.from(file),
      truncated: false,
      ...reply,
    });
  };
  const deps = { get, now: () => new Date(time) };
  return { asked, deps, cache: createRobotsCache(deps, "QuarryBot"), pass: (milliseconds) => (time += milliseconds) };
}

interface World {
  readonly asked: string[];
  readonly deps: { readonly get: HttpGet; readonly now: () => Date };
  readonly cache: RobotsCache;
  readonly pass: (milliseconds: number) => void;
}

describe("the robots cache", () => {
  it("allows and refuses by the file of the URL's own origin", async () => {
    const { cache, asked } = webOfRobots({}, "User-agent: quarrybot\nDisallow: /private\nCrawl-delay: 2");
    expect(await cache.allows("https://a.test/private/x", never)).toEqual({ kind: "disallowed" });
    expect(await cache.allows("https://a.test/x", never)).toEqual({ kind: "allowed" });
    expect(await cache.allows("https://a.test:8443/x", never)).toEqual({ kind: "allowed" });
    expect(asked).toEqual(["https://a.test/robots.txt", "https://a.test:8443/robots.txt"]);
    expect(robotsCrawlDelayMs((await cache.recordFor("https://a.test/", never)).policy, "QuarryBot")).toBe(2000);
  });

  for (const status of [400, 401, 403, 404, 410, 451]) {
    verifies("crawl:robots:4xx-allows", `allows all when the answer is ${status}`, async () => {
      expect(await webOfRobots({ status }).cache.allows("https://a.test/x", never)).toEqual({ kind: "allowed" });
    });
  }

  for (const status of [429, 500, 503, 304]) {
    verifies("crawl:robots:5xx-disallows", `refuses all for now when the answer is ${status}`, async () => {
      const { cache } = webOfRobots({ status }, "User-agent: *\nAllow: /");
      expect(await cache.allows("https://a.test/x", never)).toMatchObject({
        kind: "unreachable",
        error: { retryable: true },
      });
    });
  }

  verifies(
    "crawl:robots:5xx-disallows",
    "refuses all when nobody answers, and passes on what the dialer said",
    async () => {
      const stop: HttpStop = { kind: "refused", reason: "private-address", message: "a private address" };
      expect(await webOfRobots(stop).cache.allows("https://a.test/x", never)).toMatchObject({
        kind: "unreachable",
        stop,
      });
      const failure: HttpStop = { kind: "failed", reason: "reset", error: new AppError("upstream_failed", "cut off") };
      expect(await webOfRobots(failure).cache.allows("https://a.test/x", never)).toEqual({
        kind: "unreachable",
        error: failure.error,
        stop: failure,
      });
    },
  );

  it("follows five redirects, to other hosts too, and takes a sixth for no file", async () => {
    const hops = (count: number) => (url: string) => {
      const hop = Number(/hop=(\d)/.exec(url)?.[1] ?? "0");
      if (hop === count) return { body: Buffer.from("User-agent: *\nDisallow: /") };
      return { status: 302, headers: { location: `https://b.test/robots.txt?hop=${hop + 1}` } };
    };
    expect(await webOfRobots(hops(5)).cache.allows("https://a.test/x", never)).toEqual({ kind: "disallowed" });
    expect(await webOfRobots(hops(6)).cache.allows("https://a.test/x", never)).toEqual({ kind: "allowed" });
    expect(await webOfRobots({ status: 301 }).cache.allows("https://a.test/x", never)).toEqual({ kind: "allowed" });
  });

  verifies("crawl:robots:cached-a-day", "asks again after a day, not before", async () => {
    const { cache, asked, pass } = webOfRobots({});
    for (const wait of [0, 23.9 * hour, 0.2 * hour]) {
      pass(wait);
      await cache.allows("https://a.test/x", never);
    }
    expect(asked).toHaveLength(2);
  });

  it("obeys a shorter max-age, but no less than minutes, and no more than a day", async () => {
    const heldFor = async (control: string): Promise<number> => {
      const { deps } = webOfRobots({ headers: { "cache-control": control } });
      const record = await readRobots(deps, "https://a.test", never);
      return record.expiresAt.getTime() - record.fetchedAt.getTime();
    };
    expect(
      await Promise.all(["public, max-age=3600", "max-age=0", "max-age=99999999", "no-cache"].map(heldFor)),
    ).toEqual([hour, 5 * 60_000, 24 * hour, 24 * hour]);
  });

  it("asks an unreachable one again before its pages are tried again, then ever more seldom", async () => {
    const lost: HttpStop = {
      kind: "failed",
      reason: "timeout",
      error: new AppError("timeout", "no reply within 20000 ms", { retryable: true }),
    };
    for (const answer of [{ status: 503 }, lost]) {
      const { cache, pass, asked } = webOfRobots(answer);
      const askedAfterSeconds: number[] = [];
      for (let second = 0; second <= 1_300; second += 1) {
        const before = asked.length;
        expect(await cache.allows("https://a.test/x", never)).toMatchObject({ kind: "unreachable" });
        if (asked.length > before) askedAfterSeconds.push(second);
        pass(1_000);
      }
      expect(askedAfterSeconds).toEqual([0, 4, 12, 28, 60, 124, 252, 508, 1020]);
    }
  });

  it("asks an unreachable one again when it said to", async () => {
    const later = await readRobots(
      webOfRobots({ status: 503, headers: { "retry-after": "7200" } }).deps,
      "https://a.test",
      never,
    );
    expect(later.expiresAt.getTime() - start.getTime()).toBe(2 * hour);
  });

  it("reads one origin once, however many ask, and lets one go without the rest", async () => {
    let answer: (reply: HttpReply) => void = () => undefined;
    let given: AbortSignal | undefined;
    let asked = 0;
    const get: HttpGet = ({ url }, signal) => {
      asked += 1;
      given = signal;
      return new Promise((resolve) => (answer = (reply) => resolve({ ...reply, url })));
    };
    const cache = createRobotsCache({ get, now: () => start }, "QuarryBot");
    const impatient = new AbortController();
    const gone = cache.allows("https://a.test/1", impatient.signal);
    const patient = cache.allows("https://a.test/2", never);
    impatient.abort();
    await expect(gone).rejects.toThrow("aborted");
    expect(given?.aborted).toBe(false);
    answer({ kind: "reply", url: "", status: 404, headers: {}, body: new Uint8Array(), truncated: false });
    expect(await patient).toEqual({ kind: "allowed" });
    expect(asked).toBe(1);
  });

  it("gives the read up when the last who waited has gone", async () => {
    let given: AbortSignal | undefined;
    const get: HttpGet = (_request, signal) => {
      given = signal;
      return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("stopped"))));
    };
    const cache = createRobotsCache({ get, now: () => start }, "QuarryBot");
    const stop = new AbortController();
    const waiting = cache.allows("https://a.test/1", stop.signal);
    stop.abort();
    const next = new AbortController();
    const another = cache.allows("https://a.test/1", next.signal);
    await expect(waiting).rejects.toThrow("aborted");
    expect(given?.aborted).toBe(false); // another came in the meantime
    next.abort();
    await expect(another).rejects.toThrow("aborted");
    expect(given?.aborted).toBe(true);
    await Promise.resolve();
    void cache.allows("https://a.test/1", never);
    expect(given?.aborted).toBe(false); // and a later one starts anew
  });
});
