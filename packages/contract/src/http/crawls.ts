import { z } from "zod";
import { pagingQuery } from "./paging.ts";
import { absentable, timestampSchema } from "./values.ts";

const urlSchema = z.string().min(1).max(2_048);
const patternsSchema = z.array(z.string().min(1).max(1_000)).max(100);

/** Most pages one crawl may visit. */
export const MAX_CRAWL_PAGES = 1_000_000;

const MAX_HOURS = 10 * 366 * 24;

/** Whether and how often the pages of a crawl that has ended are visited again. */
export const recrawlSchema = z
  .strictObject({
    enabled: z.boolean().describe("Whether pages are visited again; false lets the schedule rest."),
    minHours: absentable(z.number().min(0.1).max(MAX_HOURS)).describe("No page sooner than this; 1 unless told."),
    maxHours: absentable(z.number().min(0.1).max(MAX_HOURS)).describe("No page later than this; 2160 unless told."),
  })
  .refine(({ minHours = 1, maxHours = 2_160 }) => minHours <= maxHours, {
    error: "expected minHours to be no more than maxHours",
  })
  .meta({ id: "Recrawl" });

/** `POST /quarry/v1/crawls`. */
export const createCrawlSchema = z
  .strictObject({
    url: absentable(urlSchema).describe("Where to start."),
    urls: absentable(z.array(urlSchema).min(1).max(10_000)).describe("Where to start, several places."),
    sitemap: absentable(urlSchema).describe("A sitemap whose pages to visit."),
    maxPages: absentable(z.int().min(1).max(MAX_CRAWL_PAGES)).describe("Pages to visit at most; 100 unless told."),
    maxDepth: absentable(z.int().min(0).max(1_000)).describe(
      "Links to follow from the start; 0 visits the start alone.",
    ),
    maxBytes: absentable(z.int().min(1).max(1e12)).describe("Bytes to read at most; 10 GB unless told."),
    include: absentable(patternsSchema).describe(
      "Only URLs that match one of these: globs such as */docs/*, or /regex/.",
    ),
    exclude: absentable(patternsSchema).describe("No URL that matches one of these."),
    scope: absentable(z.enum(["host", "domain", "path"])).describe(
      "How far to stray from the start; host unless told.",
    ),
    delayMs: absentable(z.int().min(0).max(600_000)).describe(
      "Pause between two requests to a host; 1000 unless told, 0 only for private hosts that the operator opened.",
    ),
    category: absentable(z.string().max(100)).describe("Category given to every page."),
    render: absentable(z.enum(["never", "auto", "always"])).describe(
      "Whether a browser runs the pages' scripts: never unless told, auto for pages without text of their own.",
    ),
    recrawl: absentable(recrawlSchema).describe(
      "Visit the pages again after the crawl has ended, each by how often it changes; not unless told.",
    ),
  })
  .refine(({ url, urls, sitemap }) => [url, urls, sitemap].filter((start) => start !== undefined).length === 1, {
    error: "expected exactly one of url, urls and sitemap",
  })
  .meta({ id: "CreateCrawl" });

/** A crawl as the wire shows it. */
export const crawlSchema = z
  .object({
    id: z.string(),
    object: z.literal("crawl"),
    status: z.enum(["queued", "running", "paused", "completed", "canceled", "failed"]),
    reason: z.string().nullable().describe("Why it ended: nothing-left, max-pages, max-bytes, or what went wrong."),
    request: z.object({
      urls: z.array(z.string()),
      sitemaps: z.array(z.string()),
      scope: z.enum(["host", "domain", "path"]),
      include: z.array(z.string()),
      exclude: z.array(z.string()),
      maxPages: z.int(),
      maxDepth: z.int(),
      maxBytes: z.int(),
      delayMs: z.int(),
      category: z.string().nullable(),
      render: z.enum(["never", "auto", "always"]),
      recrawl: z.object({ enabled: z.boolean(), minHours: z.number(), maxHours: z.number() }),
    }),
    round: z.int().describe("1 for the first run, one more for each visit of what has fallen due since."),
    progress: z.object({
      done: z.int().describe("URLs visited, whatever came of it."),
      failed: z.int().describe("Those without a page to show for it."),
      queued: z.int(),
      bytes: z.int(),
      pagesPerSecond: z.number().describe("Over the whole run so far."),
      secondsLeft: z.number().nullable().describe("At that rate, for what is queued now."),
    }),
    createdAt: timestampSchema,
    startedAt: timestampSchema.nullable(),
    finishedAt: timestampSchema.nullable(),
  })
  .meta({ id: "Crawl" });

/** Reply of `GET /quarry/v1/crawls/{id}`. */
export const crawlWithStatusesSchema = crawlSchema
  .extend({
    nextRoundAt: timestampSchema.nullable().describe("When a page falls due again; null without re-visits."),
    pagesByStatus: z.record(z.string(), z.int()).describe("How many visits ended in each way."),
  })
  .meta({ id: "CrawlWithStatuses" });

/** `GET /quarry/v1/crawls/{id}/pages`. */
export const crawlPagesQuerySchema = z.object({
  ...pagingQuery({ max: 1_000, default: 100 }),
  status: z
    .string()
    .min(1)
    .max(50)
    .optional()
    .describe("Only visits that ended so: fetched, robots, not-there, timeout, no-browser…"),
});

/** One URL of a crawl. */
export const crawlPageSchema = z
  .object({
    url: z.string(),
    state: z.enum(["queued", "done", "left"]).describe("left: known and not visited, since the budget was spent."),
    status: z.string().nullable().describe("How the visit ended; null while it waits."),
    message: z.string().nullable(),
    httpStatus: z.int().nullable(),
    finalUrl: z.string().nullable().describe("Where it redirected to."),
    snapshotId: z.string().nullable(),
    byteLength: z.int(),
    depth: z.int(),
    attempts: z.int(),
    foundOn: z.string().nullable(),
    doneAt: timestampSchema.nullable(),
    rendered: z.boolean().describe("Whether a browser made the page."),
    nextVisitAt: timestampSchema.nullable().describe("When its turn comes again, if the crawl visits pages again."),
  })
  .meta({ id: "CrawlPage" });

/** `POST /quarry/v1/map`. */
export const mapSchema = z
  .strictObject({
    url: urlSchema,
    limit: absentable(z.int().min(1).max(100_000)).describe("URLs at most; 5000 unless told."),
  })
  .meta({ id: "Map" });

/** Reply of `POST /quarry/v1/map`. */
export const mapReplySchema = z
  .object({
    url: z.string(),
    urls: z.array(z.string()),
    truncated: z.boolean().describe("Whether there are more than the limit."),
    sources: z.array(z.string()).describe("The sitemaps and pages they were found in."),
  })
  .meta({ id: "MapReply" });
