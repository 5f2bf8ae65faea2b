import { AppError, sleep } from "@quarry/base";
import type { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { callApi, type ApiCall } from "./api-call.ts";
import type { CountTokens } from "./budget/count-tokens.ts";
import { callTool, toErrorResult } from "./call-tool.ts";
import type { McpTool, ToolContext } from "./tool.ts";

const PATH = "/quarry/v1/workflows";
/** How often a client should look. */
const POLL_MS = 2_000;
const LOOK_AGAIN_MS = 500;

const workflowSchema = z.looseObject({
  id: z.string(),
  status: z.enum(["pending", "working", "completed", "failed", "cancelled"]),
  progress: z.looseObject({ step: z.string(), message: z.string().optional() }),
  createdAt: z.string(),
  updatedAt: z.string(),
  expiresAt: z.string().nullable(),
});
const idParams = z.looseObject({ taskId: z.string() });

/** What following tasks needs. */
export interface FollowTasksDeps {
  readonly api: ApiCall;
  /** The tool that shows a task's result. */
  readonly resultTool: McpTool;
  readonly count: () => Promise<CountTokens>;
  readonly contextOf: (signal: AbortSignal) => Omit<ToolContext, "maxTokens" | "cursor">;
}

/**
 * Lets clients of 2025-11-25 follow workflows by the protocol's own words for long work: tasks/list, tasks/get,
 * tasks/result and tasks/cancel take the id that workflow_start returned.
 */
export function followTasks(mcp: McpServer, deps: FollowTasksDeps): void {
  const { server } = mcp;
  const read = (id: string, signal: AbortSignal) =>
    callApi(deps.api, { method: "GET", path: `${PATH}/${encodeURIComponent(id)}` }, workflowSchema, signal);
  server.setRequestHandler("tasks/get", { params: idParams }, async ({ taskId }, { mcpReq }) =>
    toTask(await read(taskId, mcpReq.signal)),
  );
  server.setRequestHandler(
    "tasks/list",
    { params: z.looseObject({ cursor: z.string().optional() }) },
    async ({ cursor }, { mcpReq }) => {
      const page = z.object({ data: z.array(workflowSchema), nextCursor: z.string().nullish() });
      const { data, nextCursor } = await callApi(
        deps.api,
        { method: "GET", path: PATH, query: { cursor } },
        page,
        mcpReq.signal,
      );
      return { tasks: data.map(toTask), ...(typeof nextCursor === "string" && { nextCursor }) };
    },
  );
  server.setRequestHandler("tasks/cancel", { params: idParams }, async ({ taskId }, { mcpReq }) => {
    const path = `${PATH}/${encodeURIComponent(taskId)}/cancel`;
    return toTask(await callApi(deps.api, { method: "POST", path, body: {} }, workflowSchema, mcpReq.signal));
  });
  server.setRequestHandler("tasks/result", { params: idParams }, async ({ taskId }, { mcpReq }) => {
    // The protocol has this answer wait for the task's end.
    for (let task = await read(taskId, mcpReq.signal); isOpen(task.status); task = await read(taskId, mcpReq.signal)) {
      await sleep(LOOK_AGAIN_MS, mcpReq.signal);
    }
    const context = deps.contextOf(mcpReq.signal);
    const made = await callTool(deps.resultTool, { taskId }, context, { inputMode: "safe", count: await deps.count() });
    const result = "kind" in made ? toErrorResult(new AppError("internal", "a result asked a question")) : made;
    return { ...result, _meta: { "io.modelcontextprotocol/related-task": { taskId } } };
  });
}

function isOpen(status: string): boolean {
  return status === "pending" || status === "working";
}

function toTask(task: z.output<typeof workflowSchema>) {
  const { id, status, progress, createdAt, updatedAt, expiresAt } = task;
  return {
    taskId: id,
    status: status === "pending" ? ("working" as const) : status,
    statusMessage: progress.message ?? progress.step,
    createdAt,
    lastUpdatedAt: updatedAt,
    ttl: expiresAt === null ? null : Math.max(0, Date.parse(expiresAt) - Date.parse(createdAt)),
    pollInterval: POLL_MS,
  };
}
