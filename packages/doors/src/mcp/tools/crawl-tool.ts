import { crawlWithStatusesSchema } from "@quarry/contract";
import { AppError, sleep } from "@quarry/base";
import { z } from "zod";
import { callApi } from "../api-call.ts";
import { defineTool, MAKES, OBJECT_OUTPUT, type McpTool, type ToolContext } from "../tool.ts";

const MAX_WAIT_SECONDS = 300;
const LOOK_AGAIN_MS = 500;
const ENDED: ReadonlySet<string> = new Set(["completed", "canceled", "failed"]);

/** Reading a site into the index. */
export const crawlTools: readonly McpTool[] = [
  defineTool({
    name: "crawl",
    group: "web",
    description: "Read a site into the index: begin with url, look again with crawlId, or stop it with cancel.",
    input: z.object({
      url: z.string().optional(),
      crawlId: z.string().optional(),
      maxPages: z.int().min(1).max(10_000).optional(),
      maxDepth: z.int().min(0).max(100).optional(),
      include: z.array(z.string()).optional().describe("globs"),
      waitSeconds: z.number().min(0).max(MAX_WAIT_SECONDS).optional(),
      cancel: z.boolean().optional(),
    }),
    output: OBJECT_OUTPUT,
    annotations: { ...MAKES, openWorldHint: true },
    hints: [
      "give url to begin, or crawlId of a crawl that was begun",
      'include is a list of globs such as ["*/docs/*"]',
    ],
    run: async ({ url, crawlId, waitSeconds = 0, cancel = false, ...wish }, context) => {
      if (url === undefined && crawlId === undefined) {
        throw new AppError("invalid_request", "url: give where to begin, or crawlId to look at a crawl");
      }
      const id = crawlId ?? (await begin(context, { url, ...wish }));
      if (cancel) {
        const path = `/quarry/v1/crawls/${encodeURIComponent(id)}/cancel`;
        await callApi(context.api, { method: "POST", path, body: {} }, startedSchema, context.signal);
      }
      const crawl = await waitForCrawl(context, id, waitSeconds * 1_000);
      const { done, failed, queued } = crawl.progress;
      const card = {
        crawlId: id,
        status: crawl.status,
        pages: { done, failed, queued },
        endings: { ...crawl.pagesByStatus },
      };
      const nextStep = ENDED.has(crawl.status)
        ? "Its pages are in the index: search, with includeDomains for this site alone."
        : "It goes on by itself: call crawl with crawlId and waitSeconds.";
      return { head: {}, listKey: "", items: [{ card, place: "0" }], nextStep };
    },
  }),
];

const startedSchema = z.looseObject({ id: z.string() });

async function begin(context: ToolContext, body: Readonly<Record<string, unknown>>): Promise<string> {
  const request = { method: "POST", path: "/quarry/v1/crawls", body, idempotencyKey: context.callId } as const;
  return (await callApi(context.api, request, startedSchema, context.signal)).id;
}

async function waitForCrawl(
  context: ToolContext,
  id: string,
  waitMs: number,
): Promise<z.output<typeof crawlWithStatusesSchema>> {
  const request = { method: "GET", path: `/quarry/v1/crawls/${encodeURIComponent(id)}` } as const;
  const until = context.now().getTime() + waitMs;
  for (;;) {
    const crawl = await callApi(context.api, request, crawlWithStatusesSchema, context.signal);
    const { done, queued } = crawl.progress;
    if (ENDED.has(crawl.status) || context.now().getTime() >= until) return crawl;
    await context.progress({ done, total: done + queued, message: `${done} pages read` });
    await sleep(LOOK_AGAIN_MS, context.signal);
  }
}
