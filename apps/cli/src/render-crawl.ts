import type { crawlWithStatusesSchema } from "@quarry/contract";
import type { z } from "zod";
import type { Output } from "./cli-context.ts";
import { formatBytes, formatDuration, formatTime } from "./format.ts";
import { paint } from "./paint.ts";
import { renderPairs, renderTable } from "./table.ts";

/** A crawl as the server tells of it. */
export type CrawlState = z.output<typeof crawlWithStatusesSchema>;

/** Ways in which a visit gives a page. */
const GOOD_STATUSES: ReadonlySet<string> = new Set(["fetched", "not-modified"]);
const BAR_WIDTH = 20;
/** Where the terminal does not say how wide it is. */
const DEFAULT_COLUMNS = 100;

/** Whether the crawl will not change any more. */
export function isOver({ status }: Pick<CrawlState, "status">): boolean {
  return status === "completed" || status === "canceled" || status === "failed";
}

/** Pages that were read, or that had not changed. */
export function countGood({ pagesByStatus }: CrawlState): number {
  return Object.entries(pagesByStatus).reduce((sum, [status, count]) => sum + (isGood(status) ? count : 0), 0);
}

/** One line: a bar, how many of how many, the rate, the queue, failures by kind, the time left. Fits the terminal. */
export function renderProgress(output: Output, crawl: CrawlState): string {
  const { done, queued, failed, pagesPerSecond, secondsLeft } = crawl.progress;
  const total = Math.min(crawl.request.maxPages, done + queued);
  const filled = total === 0 ? 0 : Math.floor((Math.min(done, total) / total) * BAR_WIDTH);
  const kinds = Object.entries(crawl.pagesByStatus)
    .filter(([status]) => !isGood(status))
    .sort(([, one], [, other]) => other - one)
    .map(([status, count]) => `${status} ${count}`);
  const parts = [
    `[${"#".repeat(filled)}${"-".repeat(BAR_WIDTH - filled)}] ${done}/${total}`,
    ...(crawl.status === "running" ? [] : [crawl.status]),
    `${pagesPerSecond} pages/s`,
    `queue ${queued}`,
    ...(failed === 0 ? [] : [`failed ${failed}${kinds.length === 0 ? "" : ` (${kinds.join(", ")})`}`]),
    ...(secondsLeft === null || secondsLeft === 0 ? [] : [`${formatDuration(secondsLeft)} left`]),
  ];
  const { stream } = output;
  const columns = "columns" in stream && typeof stream.columns === "number" ? stream.columns : DEFAULT_COLUMNS;
  return parts.join("  ").slice(0, columns - 1); // a line that wraps could not be written over
}

/** What came of a crawl: a sentence, and how many visits ended in each way. */
export function renderSummary(output: Output, crawl: CrawlState): string {
  const { progress } = crawl;
  const reason = crawl.reason === null ? "" : ` (${crawl.reason})`;
  const seconds = secondsOf(crawl);
  const facts = [
    `${progress.done} visited`,
    formatBytes(progress.bytes),
    ...(seconds === undefined ? [] : [`${formatDuration(seconds)}, ${progress.pagesPerSecond} pages/s`]),
  ];
  const rows = Object.entries(crawl.pagesByStatus).sort(([, one], [, other]) => other - one);
  const table = renderTable(
    output,
    [
      { heading: "STATUS", text: ([status]: readonly [string, number]) => status },
      { heading: "PAGES", text: ([, count]) => String(count), align: "right" },
    ],
    rows,
  );
  const colour = crawl.status === "completed" ? "green" : "yellow";
  const heading = `${paint(output, colour, crawl.status)}${reason}: ${facts.join(", ")}`;
  return rows.length === 0 ? heading : `${heading}\n\n${table}`;
}

/** One crawl with what was asked of it. */
export function renderCrawl(output: Output, crawl: CrawlState): string {
  const { request } = crawl;
  const pairs = [
    ["Id", crawl.id],
    ["Start", [...request.urls, ...request.sitemaps].join(", ")],
    ["Scope", `${request.scope}, depth ${request.maxDepth}, at most ${request.maxPages} pages`],
    ...(request.include.length === 0 ? [] : [["Include", request.include.join(", ")] as const]),
    ...(request.exclude.length === 0 ? [] : [["Exclude", request.exclude.join(", ")] as const]),
    ["Pace", `${request.delayMs} ms between two requests to a host`],
    ["Queue", String(crawl.progress.queued)],
    ["Begun", formatTime(crawl.startedAt)],
    ["Ended", formatTime(crawl.finishedAt)],
  ] as const;
  return `${renderPairs(output, pairs)}\n\n${renderSummary(output, crawl)}`;
}

function isGood(status: string): boolean {
  return GOOD_STATUSES.has(status);
}

function secondsOf({ startedAt, finishedAt }: CrawlState): number | undefined {
  if (startedAt === null || finishedAt === null) return undefined;
  return Math.max(1, (Date.parse(finishedAt) - Date.parse(startedAt)) / 1_000);
}
