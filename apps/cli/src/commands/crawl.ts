import { crawlPageSchema, crawlSchema, crawlWithStatusesSchema, MAX_CRAWL_PAGES, pageOf } from "@quarry/contract";
import type { createCrawlSchema, recrawlSchema } from "@quarry/contract";
import { Option } from "commander";
import type { Command } from "commander";
import type { z } from "zod";
import { callApi } from "../api-client.ts";
import type { CliContext } from "../cli-context.ts";
import { openIo } from "../command-io.ts";
import { connectServer } from "../connect-server.ts";
import type { EndWith } from "../exit-code.ts";
import { formatTime } from "../format.ts";
import { listAll } from "../list-all.ts";
import { collect, parseInteger } from "../option-values.ts";
import { renderCrawl, renderSummary } from "../render-crawl.ts";
import { beginCrawl, CRAWLS_PATH, exitCodeOf, watchCrawl } from "../run-crawl.ts";
import { renderTable } from "../table.ts";
import { tellBacklog } from "../tell-backlog.ts";

interface CrawlOptions {
  readonly maxPages?: number;
  readonly maxDepth?: number;
  readonly scope?: "host" | "domain" | "path";
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  readonly delay?: number;
  readonly sitemap?: boolean;
  readonly category?: string;
  readonly render?: "never" | "auto" | "always";
  readonly recrawl?: boolean;
  readonly wait: boolean;
}

/** `quarry crawl URL`, and what else can be done with crawls. */
export function addCrawlCommand(program: Command, context: CliContext, endWith: EndWith): void {
  const crawl = program
    .command("crawl")
    .description("read a site into the index, politely")
    .argument("<url>", "where to start")
    .option("--max-pages <number>", "pages to visit at most (100)", parseInteger(1, MAX_CRAWL_PAGES))
    .option("--max-depth <number>", "links to follow from the start (10)", parseInteger(0, 1_000))
    .addOption(new Option("--scope <scope>", "how far to stray (host)").choices(["host", "domain", "path"]))
    .option("--include <pattern>", "only URLs like this glob or /regex/; may be repeated", collect)
    .option("--exclude <pattern>", "no URL like this; may be repeated", collect)
    .option("--delay <ms>", "pause between two requests to a host (1000)", parseInteger(0, 600_000))
    .option("--sitemap", "the URL is a sitemap, whose pages to visit")
    .option("--category <name>", "category given to every page")
    .addOption(
      new Option("--render <mode>", "run the pages' scripts in a browser (never)").choices(["never", "auto", "always"]),
    )
    .option("--recrawl", "visit the pages again later, each by how often it changes")
    .option("--no-wait", "print the crawl's id and leave it to the server")
    .addHelpText(
      "after",
      "\nCtrl+C cancels the crawl; what it read stays. Pages that fail are counted and do not change the exit code,\n" +
        "unless none could be read.\n" +
        "\nExamples:\n  quarry crawl https://example.com/docs/ --scope path --max-pages 500" +
        "\n  quarry crawl https://example.com --exclude '*/tag/*' --no-wait" +
        "\n  quarry crawl https://app.example.com --render auto --recrawl" +
        "\n  quarry crawl pages crawl_01… --status not-there",
    )
    .action(async (url: string, options: CrawlOptions, command: Command) => {
      const io = openIo(context, command);
      const target = await connectServer(context, io);
      const begun = await beginCrawl(context, target, toBody(url, options));
      if (!options.wait) {
        io.print(begun, () => begun.id);
        return;
      }
      io.say(`Crawling as ${begun.id}`);
      const ended = await watchCrawl(context, io, target, begun.id);
      io.print(ended, (output) => renderSummary(output, ended));
      await tellBacklog(context, io, target);
      endWith(exitCodeOf(ended));
    });
  addList(crawl, context);
  addShow(crawl, context);
  addPages(crawl, context);
  addMove(crawl, context, "pause", "let a crawl rest");
  addMove(crawl, context, "resume", "let a paused crawl go on");
  addMove(crawl, context, "cancel", "end a crawl; what it read stays");
  addRecrawl(crawl, context);
}

function toBody(url: string, options: CrawlOptions): z.input<typeof createCrawlSchema> {
  return {
    ...(options.sitemap === true ? { sitemap: url } : { url }),
    maxPages: options.maxPages,
    maxDepth: options.maxDepth,
    scope: options.scope,
    include: options.include === undefined ? undefined : [...options.include],
    exclude: options.exclude === undefined ? undefined : [...options.exclude],
    delayMs: options.delay,
    category: options.category,
    render: options.render,
    recrawl: options.recrawl === true ? { enabled: true } : undefined,
  };
}

function addList(crawl: Command, context: CliContext): void {
  crawl
    .command("list")
    .alias("ls")
    .description("list the team's crawls, newest first")
    .addHelpText("after", "\nExamples:\n  quarry crawl list")
    .action(async (_options: unknown, command: Command) => {
      const io = openIo(context, command);
      const target = await connectServer(context, io);
      const data = await listAll(target, { path: CRAWLS_PATH, pageSize: 100 }, pageOf(crawlSchema), context.signal);
      io.print({ data }, (output) =>
        renderTable(
          output,
          [
            { heading: "ID", text: ({ id }) => id },
            { heading: "STATUS", text: ({ status }) => status },
            { heading: "DONE", text: ({ progress }) => String(progress.done), align: "right" },
            { heading: "FAILED", text: ({ progress }) => String(progress.failed), align: "right" },
            { heading: "QUEUE", text: ({ progress }) => String(progress.queued), align: "right" },
            { heading: "BEGUN", text: ({ createdAt }) => formatTime(createdAt) },
            { heading: "START", text: ({ request }) => [...request.urls, ...request.sitemaps][0] ?? "-" },
          ],
          data,
        ),
      );
    });
}

function addShow(crawl: Command, context: CliContext): void {
  crawl
    .command("show")
    .description("show how far a crawl has come, and how its visits ended")
    .argument("<id>", "the crawl's id")
    .addHelpText("after", "\nExamples:\n  quarry crawl show crawl_01…")
    .action(async (id: string, _options: unknown, command: Command) => {
      const io = openIo(context, command);
      const target = await connectServer(context, io);
      const request = { method: "GET", path: pathOf(id) } as const;
      const shown = await callApi(target, request, crawlWithStatusesSchema, context.signal);
      io.print(shown, (output) => renderCrawl(output, shown));
    });
}

function addPages(crawl: Command, context: CliContext): void {
  crawl
    .command("pages")
    .description("list the URLs of a crawl with what became of each")
    .argument("<id>", "the crawl's id")
    .option("--status <status>", "only visits that ended so: fetched, robots, not-there, timeout…")
    .addHelpText("after", "\nExamples:\n  quarry crawl pages crawl_01… --status timeout")
    .action(async (id: string, options: { readonly status?: string }, command: Command) => {
      const io = openIo(context, command);
      const target = await connectServer(context, io);
      const list = { path: `${pathOf(id)}/pages`, pageSize: 1_000, query: { status: options.status } };
      const data = await listAll(target, list, pageOf(crawlPageSchema), context.signal);
      io.print({ data }, (output) =>
        renderTable(
          output,
          [
            { heading: "STATUS", text: ({ status, state }) => status ?? state },
            { heading: "HTTP", text: ({ httpStatus }) => (httpStatus === null ? "-" : String(httpStatus)) },
            { heading: "URL", text: ({ url }) => url },
            { heading: "MESSAGE", text: ({ message }) => message ?? "" },
          ],
          data,
        ),
      );
    });
}

function addMove(crawl: Command, context: CliContext, move: "pause" | "resume" | "cancel", description: string): void {
  crawl
    .command(move)
    .description(description)
    .argument("<id>", "the crawl's id")
    .addHelpText("after", `\nExamples:\n  quarry crawl ${move} crawl_01…`)
    .action(async (id: string, _options: unknown, command: Command) => {
      const io = openIo(context, command);
      const target = await connectServer(context, io);
      const request = { method: "POST", path: `${pathOf(id)}/${move}` } as const;
      const moved = await callApi(target, request, crawlSchema, context.signal);
      io.print(moved, () => `${moved.id} is ${moved.status}`);
    });
}

function addRecrawl(crawl: Command, context: CliContext): void {
  crawl
    .command("recrawl")
    .description("visit a crawl's pages again, each by how often it changes")
    .argument("<id>", "the crawl's id")
    .option("--off", "let the re-visits rest")
    .option("--min-hours <number>", "no page sooner than this (1)", parseInteger(1, MAX_RECRAWL_HOURS))
    .option("--max-hours <number>", "no page later than this (2160)", parseInteger(1, MAX_RECRAWL_HOURS))
    .addHelpText("after", "\nExamples:\n  quarry crawl recrawl crawl_01… --min-hours 6 --max-hours 720")
    .action(
      async (
        id: string,
        options: { readonly off?: boolean; readonly minHours?: number; readonly maxHours?: number },
        command: Command,
      ) => {
        const io = openIo(context, command);
        const target = await connectServer(context, io);
        const { off, minHours, maxHours } = options;
        const body = { enabled: off !== true, minHours, maxHours } satisfies z.input<typeof recrawlSchema>;
        const request = { method: "POST", path: `${pathOf(id)}/recrawl`, body } as const;
        const set = await callApi(target, request, crawlSchema, context.signal);
        const { recrawl } = set.request;
        io.print(set, () =>
          recrawl.enabled
            ? `${set.id} visits its pages again every ${recrawl.minHours} to ${recrawl.maxHours} hours`
            : `${set.id} does not visit its pages again`,
        );
      },
    );
}

const MAX_RECRAWL_HOURS = 10 * 366 * 24;

function pathOf(id: string): string {
  return `${CRAWLS_PATH}/${encodeURIComponent(id)}`;
}
