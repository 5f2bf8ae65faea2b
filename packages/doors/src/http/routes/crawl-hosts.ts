import { AppError } from "@quarry/base";
import { robotsCrawlDelayMs, robotsGroupFor, robotsVerdict, type RobotsPolicy, type RobotsRecord } from "@quarry/crawl";
import { z } from "zod";
import { defineRoute, type Route } from "../route.ts";

/** What the route needs: the very rules and paces that crawls go by, behind the same guarded dialer. */
export interface CrawlHostDeps {
  readonly recordFor: (url: string, signal: AbortSignal) => Promise<RobotsRecord>;
  /** How long until the host may be asked again. */
  readonly waitMs: (host: string, maxAtOnce: number) => number | undefined;
  /** What we call ourselves in robots.txt. */
  readonly agent: string;
}

/** Rules shown at most; a longer file is cut. */
const MOST_RULES = 1_000;

const hostSchema = z
  .object({
    origin: z.string(),
    policy: z.enum(["rules", "allow-all", "disallow-all"]),
    reason: z.string().nullable().describe("Why there are no rules to go by."),
    agent: z.string().describe("Who the rules are read for."),
    rules: z.array(z.object({ allow: z.boolean(), pattern: z.string() })).describe(`At most ${MOST_RULES}.`),
    areRulesCut: z.boolean(),
    crawlDelayMs: z.number().nullable().describe("What the site asks for between two visits."),
    sitemaps: z.array(z.string()),
    isAllowed: z.boolean().describe("Whether the very address asked about may be read."),
    fetchedAt: z.string(),
    expiresAt: z.string().describe("When robots.txt is read again."),
    waitMs: z.number().describe("How long this process waits before its next visit; 0 when it may go at once."),
  })
  .meta({ id: "CrawlHost" });

/** What a site's robots.txt says to us, and how long we wait before we visit it again. */
export function crawlHostRoutes(deps: CrawlHostDeps): readonly Route[] {
  return [
    defineRoute({
      name: "readCrawlHost",
      method: "GET",
      path: "/quarry/v1/crawl-hosts",
      tag: "Crawls",
      access: "index",
      summary: "The robots rules and the politeness clock of an address's site",
      query: z.object({
        url: z
          .url({ protocol: /^https?$/ })
          .max(2_000)
          .describe("An address of the site."),
      }),
      response: hostSchema,
      handle: async ({ query: { url } }, { signal }) => {
        const record = await deps.recordFor(url, signal);
        const { policy } = record;
        const blocks = policy.kind === "rules" ? robotsGroupFor(policy.file, deps.agent)?.blocks : undefined;
        const rules = (blocks ?? []).flat().map(({ allow, literal: pattern }) => ({ allow, pattern }));
        return {
          origin: record.origin,
          policy: policy.kind,
          reason: reasonOf(policy),
          agent: deps.agent,
          rules: rules.slice(0, MOST_RULES),
          areRulesCut: rules.length > MOST_RULES,
          crawlDelayMs: robotsCrawlDelayMs(policy, deps.agent) ?? null,
          sitemaps: policy.kind === "rules" ? [...policy.file.sitemaps] : [],
          isAllowed: robotsVerdict(policy, deps.agent, url).kind === "allowed",
          fetchedAt: record.fetchedAt.toISOString(),
          expiresAt: record.expiresAt.toISOString(),
          waitMs: deps.waitMs(new URL(url).host, Number.POSITIVE_INFINITY) ?? 0,
        };
      },
    }),
  ];
}

function reasonOf(policy: RobotsPolicy): string | null {
  switch (policy.kind) {
    case "rules":
      return null;
    case "allow-all":
      return policy.reason === "missing" ? "there is no robots.txt" : "robots.txt redirects too often";
    case "disallow-all":
      return AppError.from(policy.error).message;
  }
}
