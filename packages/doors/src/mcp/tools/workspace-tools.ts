import { approvalSchema, toolSchema } from "@quarry/contract";
import { z } from "zod";
import { callApi, toAppError, type ApiCall } from "../api-call.ts";
import type { ReplyDraft } from "../budget/fit-reply.ts";
import type { JsonObject } from "../budget/shorten-card.ts";
import { defineTool, OBJECT_OUTPUT, type McpTool, type ToolContext, type ToolQuestion } from "../tool.ts";
import { slim } from "./slim.ts";

/** How long a call waits for an approval given elsewhere, when the client cannot ask its person. */
const ELSEWHERE_WAIT_MS = 120_000;
const listSchema = z.object({ data: z.array(toolSchema) });

/** The workspace tools as MCP tools: the same registry, policy, approvals and log as everywhere. */
export async function listWorkspaceTools(api: ApiCall, signal: AbortSignal): Promise<readonly McpTool[]> {
  const { data } = await callApi(api, { method: "GET", path: "/quarry/v1/tools" }, listSchema, signal);
  return data.map(({ name, description, annotations, argsSchema }) => ({
    ...defineTool({
      name: `workspace_${name}`,
      group: "workspace",
      description,
      input: z.looseObject({}),
      output: OBJECT_OUTPUT,
      annotations: {
        readOnlyHint: annotations.readOnly,
        destructiveHint: annotations.destructive,
        idempotentHint: annotations.idempotent,
        openWorldHint: annotations.openWorld,
      },
      hints: [`the arguments must fit the schema of GET /quarry/v1/tools/${name}/schema`],
      run: (args, context) => callWorkspaceTool(name, args, context),
    }),
    inputSchema: argsSchema as JsonObject,
  }));
}

/**
 * One call. Policy may ask: then the person at the client is asked where the client can and the key may answer, and
 * otherwise the call waits for an answer from the console or the command line.
 */
async function callWorkspaceTool(
  name: string,
  args: Readonly<Record<string, unknown>>,
  context: ToolContext,
): Promise<ReplyDraft | ToolQuestion> {
  const toolCallId = context.answer?.memory["toolCallId"] ?? `mcp_${context.callId}`;
  const approvalId = context.answer?.memory["approvalId"];
  if (context.answer !== undefined && approvalId !== undefined) {
    const { decision = "reject", reason } = context.answer;
    const path = `/quarry/v1/approvals/${encodeURIComponent(approvalId)}/answer`;
    await callApi(context.api, { method: "POST", path, body: { decision, reason } }, approvalSchema, context.signal);
  }
  const isAsking = context.canAsk && context.answer === undefined;
  const reply = await context.api(
    {
      method: "POST",
      path: `/quarry/v1/tools/${encodeURIComponent(name)}/calls`,
      query: { toolCallId, timeoutMs: isAsking ? 0 : ELSEWHERE_WAIT_MS },
      body: args,
    },
    context.signal,
  );
  if (reply.status >= 300) throw toAppError(reply);
  const waitingFor = reply.headers["x-quarry-approval-id"];
  if (isAsking && reply.headers["x-quarry-call-state"] === "awaiting-approval" && typeof waitingFor === "string") {
    const question = await askAbout(name, waitingFor, toolCallId, context);
    if (question !== undefined) return question;
    return callWorkspaceTool(name, args, { ...context, canAsk: false });
  }
  const nextStep = `The call is ${String(reply.headers["x-quarry-call-state"])}.`;
  return { head: { toolCallId }, listKey: "", items: [{ card: slim(reply.body), place: "0" }], nextStep };
}

/** The question as the approval states it; undefined when the key may not answer, as an agent's own should not. */
async function askAbout(
  name: string,
  approvalId: string,
  toolCallId: string,
  context: ToolContext,
): Promise<ToolQuestion | undefined> {
  const path = `/quarry/v1/approvals/${encodeURIComponent(approvalId)}`;
  const reply = await context.api({ method: "GET", path }, context.signal);
  if (reply.status === 403) return undefined;
  const approval = await callApi(() => Promise.resolve(reply), { method: "GET", path }, approvalSchema, context.signal);
  const facts = [...approval.reasons, ...approval.hosts, ...approval.paths].join("; ");
  const args = JSON.stringify(approval.query.args).slice(0, 1_000);
  return {
    kind: "question",
    message: `May ${name} run with ${args}? Risk: ${approval.risk}. ${facts}`,
    choices: approval.choices,
    memory: { approvalId, toolCallId },
  };
}
