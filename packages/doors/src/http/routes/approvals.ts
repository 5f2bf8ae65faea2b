import type { JsonObject } from "@bufbuild/protobuf";
import { choicesOf, type Question, type ToolRegistry, type ToolRuntime } from "@quarry/agent";
import { AppError } from "@quarry/base";
import { approvalAnswerSchema, approvalSchema, approvalsQuerySchema, pageOf } from "@quarry/contract";
import { getApproval, listApprovals, type Approval } from "@quarry/store";
import { z } from "zod";
import { defineRoute, type Route } from "../route.ts";
import { toolRuleRoutes } from "./tool-rules.ts";

const idParams = z.object({ id: z.string().min(1) });

/** The inbox of approvals over REST. */
export function approvalRoutes(deps: { readonly tools: ToolRuntime }): readonly Route[] {
  const { tools } = deps;
  const { db, registry } = tools.deps;
  return [
    ...toolRuleRoutes(tools.deps),
    defineRoute({
      name: "listApprovals",
      method: "GET",
      path: "/quarry/v1/approvals",
      tag: "Approvals",
      summary: "Lists questions about tool calls, newest first",
      access: "approvals",
      query: approvalsQuerySchema,
      response: pageOf(approvalSchema),
      handle: async ({ query }, { caller }) => {
        const { status, sessionId, cursor, limit } = query;
        const states = status === undefined ? undefined : [status];
        const page = await listApprovals(db, { teamId: caller.teamId, states, sessionId, cursor, limit });
        return { ...page, data: page.data.map((approval) => toReply(registry, approval)) };
      },
    }),
    defineRoute({
      name: "getApproval",
      method: "GET",
      path: "/quarry/v1/approvals/:id",
      tag: "Approvals",
      summary: "One question",
      access: "approvals",
      params: idParams,
      response: approvalSchema,
      handle: async ({ params }, { caller }) => toReply(registry, await getApproval(db, caller.teamId, params.id)),
    }),
    defineRoute({
      name: "answerApproval",
      method: "POST",
      path: "/quarry/v1/approvals/:id/answer",
      tag: "Approvals",
      summary: "Answers a question: once, session, always, reject or abort",
      access: "approvals",
      params: idParams,
      body: approvalAnswerSchema,
      response: approvalSchema,
      handle: async ({ params, body }, { caller }) => {
        const decision = body.decision ?? (body.approved === true ? "once" : "reject");
        const outcome = await tools.answer({
          teamId: caller.teamId,
          approvalId: params.id,
          decision,
          reason: body.reason ?? "",
          answeredBy: caller.name,
          ...(body.args === undefined ? {} : { args: body.args as JsonObject }),
          review: {
            ...(body.bubbleId === undefined ? {} : { bubbleId: body.bubbleId }),
            ...(body.submitFeedbackAsNewMessage === undefined
              ? {}
              : { submitFeedbackAsNewMessage: body.submitFeedbackAsNewMessage }),
          },
        });
        if (outcome.kind === "answered") return toReply(registry, outcome.approval);
        const { id, state, answeredBy } = outcome.approval;
        const by = answeredBy === null ? "" : ` by ${answeredBy}`;
        throw new AppError("conflict", `approval ${id} was ${state} already${by}; the first answer counts`);
      },
    }),
  ];
}

function toReply(registry: ToolRegistry, approval: Approval): z.input<typeof approvalSchema> {
  const question = approval.question as unknown as Question; // written by the agent room
  const type = registry.byName(approval.tool)?.query?.type ?? `${approval.tool.replaceAll("_", "-")}-request`;
  return {
    id: approval.id,
    sessionId: approval.sessionId,
    toolCallId: approval.toolCallId,
    caller: approval.caller,
    tool: approval.tool,
    status: approval.state,
    query: { type, args: { ...(approval.args as JsonObject), toolCallId: approval.toolCallId } },
    queryId: approval.queryNumber,
    argsHash: approval.argsHash,
    reasons: [...question.reasons],
    risk: question.risk,
    hosts: [...question.hosts],
    paths: [...question.paths],
    diff: question.diff,
    choices: [...choicesOf(question)],
    decision: approval.decision,
    reason: approval.reason,
    answeredBy: approval.answeredBy,
    createdAt: approval.createdAt.toISOString(),
    expiresAt: approval.expiresAt.toISOString(),
    answeredAt: approval.answeredAt?.toISOString() ?? null,
  };
}
