import { AppError } from "@quarry/base";
import { parseRobotsTxt, type RobotsPolicy } from "@quarry/crawl";
import { expect, it } from "vitest";
import { withHttpApp, type HttpWorld } from "../../testing.ts";
import { crawlHostRoutes } from "./crawl-hosts.ts";

const ROBOTS =
  "User-agent: *\nDisallow: /\n\nUser-agent: QuarryBot\nDisallow: /no\nAllow: /no/yes\nCrawl-delay: 2\n\nSitemap: https://a.example/map.xml";
const NOW = new Date("2026-01-01T00:00:00.000Z");

const POLICIES: Readonly<Record<string, RobotsPolicy>> = {
  "none.example": { kind: "allow-all", reason: "missing" },
  "away.example": { kind: "disallow-all", error: new AppError("upstream_failed", "answered 503") },
};

function withHosts(work: (world: HttpWorld) => Promise<void>): Promise<void> {
  return withHttpApp(work, {
    routes: crawlHostRoutes({
      recordFor: (url) => {
        const { origin, host } = new URL(url);
        const policy = POLICIES[host] ?? { kind: "rules", file: parseRobotsTxt(ROBOTS) };
        return Promise.resolve({ origin, policy, fetchedAt: NOW, expiresAt: new Date(NOW.getTime() + 1) });
      },
      waitMs: (host) => (host === "a.example" ? 1_500 : 0),
      agent: "QuarryBot",
    }),
  });
}

const ask = (world: HttpWorld, url: string, key?: string) =>
  world.call("GET", `/quarry/v1/crawl-hosts?url=${encodeURIComponent(url)}`, key === undefined ? {} : { key });

it("tells the rules that hold for us, whether an address may be read, and the wait", () =>
  withHosts(async (world) => {
    expect((await ask(world, "https://a.example/no/1")).json()).toEqual({
      origin: "https://a.example",
      policy: "rules",
      reason: null,
      agent: "QuarryBot",
      rules: [
        { allow: false, pattern: "/no" },
        { allow: true, pattern: "/no/yes" },
      ],
      areRulesCut: false,
      crawlDelayMs: 2_000,
      sitemaps: ["https://a.example/map.xml"],
      isAllowed: false,
      fetchedAt: NOW.toISOString(),
      expiresAt: "2026-01-01T00:00:00.001Z",
      waitMs: 1_500,
    });
    expect((await ask(world, "https://b.example/no/yes")).json()).toMatchObject({ isAllowed: true, waitMs: 0 });
    expect((await ask(world, "ftp://a.example/")).statusCode).toBe(400);
    for (const [url, told] of [
      ["https://none.example/", { policy: "allow-all", isAllowed: true, reason: "there is no robots.txt" }],
      ["https://away.example/", { policy: "disallow-all", isAllowed: false, reason: "answered 503" }],
    ] as const) {
      expect((await ask(world, url)).json()).toMatchObject({ ...told, rules: [] });
    }
    const { secret } = await world.makeKey({ scopes: ["search"] });
    expect((await ask(world, "https://a.example/", secret)).statusCode).toBe(403);
  }));
