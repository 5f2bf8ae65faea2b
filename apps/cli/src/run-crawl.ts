import { AppError, sleep } from "@quarry/base";
import { crawlSchema, crawlWithStatusesSchema } from "@quarry/contract";
import type { createCrawlSchema } from "@quarry/contract";
import type { z } from "zod";
import { callApi, openReply } from "./api-client.ts";
import type { ApiTarget } from "./api-client.ts";
import type { CliContext } from "./cli-context.ts";
import type { CommandIo } from "./command-io.ts";
import { EXIT_CODES } from "./exit-code.ts";
import type { ExitCode } from "./exit-code.ts";
import { readEvents } from "./read-events.ts";
import { countGood, isOver, renderProgress } from "./render-crawl.ts";
import type { CrawlState } from "./render-crawl.ts";

/** Where crawls are on the server. */
export const CRAWLS_PATH = "/quarry/v1/crawls";

/** How long a crawl may have nothing new to tell. */
const SILENCE_LIMIT_MS = 10 * 60 * 1000;
/** How often in a row a stream that tells nothing is opened anew; a server that restarts is back by then. */
const MAX_REOPENS = 30;
const REOPEN_WAIT_MS = 1_000;
const BEGIN_TIMEOUT_MS = 30_000;
const CANCEL_TIMEOUT_MS = 5_000;

/** Begins a crawl and tells its id. An interrupt is obeyed only once the crawl is known, so that none is left behind. */
export async function beginCrawl(
  context: CliContext,
  target: ApiTarget,
  body: z.input<typeof createCrawlSchema>,
): Promise<z.output<typeof crawlSchema>> {
  context.signal.throwIfAborted();
  const request = { method: "POST", path: CRAWLS_PATH, body } as const;
  const crawl = await callApi(target, request, crawlSchema, AbortSignal.timeout(BEGIN_TIMEOUT_MS));
  if (context.signal.aborted) await cancelCrawl(target, crawl.id);
  context.signal.throwIfAborted();
  return crawl;
}

/** Shows how a crawl goes until it ends. An interrupt cancels it. */
export async function watchCrawl(
  context: CliContext,
  io: CommandIo,
  target: ApiTarget,
  id: string,
): Promise<CrawlState> {
  try {
    return await follow(context, io, target, id);
  } catch (error) {
    io.sayInPlace("");
    if (context.signal.aborted) {
      await cancelCrawl(target, id);
      io.say(`Canceled ${id}; what it read stays.`);
    }
    throw error;
  } finally {
    io.sayInPlace("");
  }
}

/** What the shell is told of a crawl that ended: pages that fail are a normal thing of the web, none read at all is not. */
export function exitCodeOf(crawl: CrawlState): ExitCode {
  if (crawl.status === "failed" || countGood(crawl) === 0) return EXIT_CODES.error;
  return crawl.status === "completed" ? EXIT_CODES.ok : EXIT_CODES.partial;
}

async function follow(context: CliContext, io: CommandIo, target: ApiTarget, id: string): Promise<CrawlState> {
  const { signal } = context;
  const path = `${CRAWLS_PATH}/${encodeURIComponent(id)}/events`;
  let failure: unknown;
  for (let reopens = 0; reopens <= MAX_REOPENS; reopens += 1) {
    if (reopens > 0) await sleep(REOPEN_WAIT_MS, signal);
    try {
      const reply = await openReply(target, { method: "GET", path, timeoutMs: SILENCE_LIMIT_MS }, signal);
      for await (const data of readEvents(reply, signal)) {
        const crawl = crawlWithStatusesSchema.parse(JSON.parse(data));
        if (isOver(crawl)) return crawl;
        io.sayInPlace(renderProgress(context.stderr, crawl));
        reopens = 0;
      }
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof AppError) || (error.code !== "unavailable" && error.code !== "timeout")) throw error;
      failure = error;
    }
  }
  throw new AppError("upstream_failed", `the server stopped telling of ${id}; see quarry crawl show ${id}`, {
    cause: failure,
  });
}

/** With a time limit of its own: the interrupt has spent the command's signal. */
async function cancelCrawl(target: ApiTarget, id: string): Promise<void> {
  const request = { method: "POST", path: `${CRAWLS_PATH}/${encodeURIComponent(id)}/cancel` } as const;
  await callApi(target, request, crawlSchema, AbortSignal.timeout(CANCEL_TIMEOUT_MS)).catch((error: unknown) => {
    // One that has just ended by itself cannot be canceled, and need not.
    if (!(error instanceof AppError) || error.code !== "conflict") throw error;
  });
}
