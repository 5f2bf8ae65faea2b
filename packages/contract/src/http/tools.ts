import { z } from "zod";
import { pagingQuery } from "./paging.ts";
import { queryInteger, timestampSchema } from "./values.ts";

/** One tool of the list. */
export const toolSchema = z.object({
  name: z.string(),
  tool: z.string().nullable().describe("Its value of aiserver.v1.ClientSideToolV2; null for tools only agent.v1 has."),
  description: z.string(),
  tier: z.enum(["read", "write", "exec", "network"]),
  annotations: z.object({
    title: z.string(),
    readOnly: z.boolean(),
    destructive: z.boolean(),
    idempotent: z.boolean(),
    openWorld: z.boolean(),
  }),
  argsSchema: z.record(z.string(), z.unknown()),
});

/** How a call is made, beside its arguments. */
export const toolCallQuerySchema = z.object({
  toolCallId: z.string().min(1).max(200).optional().describe("Names the call: the same again is the same call."),
  sessionId: z.string().min(1).optional(),
  timeoutMs: queryInteger({ min: 0, max: 86_400_000 })
    .optional()
    .describe("How long to wait for an approval; 120,000 unless given."),
});

/** What policy would say of a call. */
export const toolExplanationSchema = z.object({
  tool: z.string(),
  decision: z.enum(["allow", "ask", "deny", "invalid"]),
  reason: z.string(),
  rules: z.array(z.object({ id: z.string(), source: z.string(), decision: z.string(), reason: z.string() })),
  hosts: z.array(z.string()),
  paths: z.array(z.string()),
});

/** A question about a call. */
export const approvalSchema = z.object({
  id: z.string(),
  sessionId: z.string(),
  toolCallId: z.string(),
  caller: z.string().describe("Whose key made the call."),
  tool: z.string(),
  status: z.enum(["pending", "granted", "used", "rejected", "expired", "withdrawn"]),
  query: z.object({ type: z.string(), args: z.record(z.string(), z.unknown()) }),
  queryId: z.number().int(),
  argsHash: z.string(),
  reasons: z.array(z.string()),
  risk: z.enum(["low", "medium", "high"]),
  hosts: z.array(z.string()),
  paths: z.array(z.string()),
  diff: z.string().nullable(),
  choices: z.array(z.string()),
  decision: z.string().nullable(),
  reason: z.string().nullable(),
  answeredBy: z.string().nullable(),
  createdAt: timestampSchema,
  expiresAt: timestampSchema,
  answeredAt: timestampSchema.nullable(),
});

/** Which approvals to list. */
export const approvalsQuerySchema = z.object({
  status: approvalSchema.shape.status.optional(),
  sessionId: z.string().min(1).optional(),
  ...pagingQuery({ max: 100, default: 25 }),
});

/** An answer: a decision, or `approved` as agents' clients say it. */
export const approvalAnswerSchema = z
  .object({
    decision: z.enum(["once", "session", "always", "reject", "abort"]).optional(),
    approved: z.boolean().optional(),
    reason: z.string().max(4_000).optional(),
    args: z.record(z.string(), z.unknown()).optional().describe("Edited arguments to run instead."),
    bubbleId: z.string().optional(),
    submitFeedbackAsNewMessage: z.boolean().optional(),
  })
  .refine(({ decision, approved }) => (decision === undefined) !== (approved === undefined), {
    message: "say either decision or approved",
  });

/** A shell that a session left running in the background. */
export const backgroundShellSchema = z.object({
  id: z.number().int(),
  command: z.string(),
  cwd: z.string(),
  pid: z.number().int(),
  startedAt: timestampSchema,
  state: z.enum(["running", "exited", "stopped", "failed", "unknown"]),
  exitCode: z.number().int().nullable().describe("Null while it runs, and where nobody saw how it ended."),
  outputBytes: z.number().int(),
});

/** A session of tool calls. */
export const toolSessionSchema = z.object({
  id: z.string(),
  name: z.string().nullable(),
  workspaceRoot: z.string(),
  mode: z.enum(["agent", "plan", "ask"]),
  todos: z.array(z.unknown()),
  terminals: z.array(backgroundShellSchema).describe("What it left running on this server, ended ones for a while."),
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
  closedAt: timestampSchema.nullable(),
});

/** A session to make, or what to change in one. */
export const toolSessionWishSchema = z.object({
  name: z.string().min(1).max(200).optional(),
  workspaceRoot: z.string().max(4_096).optional(),
  mode: z.enum(["agent", "plan", "ask"]).optional(),
});

/** One entry of the audit log. */
export const auditRecordSchema = z.object({
  sequence: z.number().int(),
  entry: z.string().describe("JSON, letter for letter as it was hashed."),
  hash: z.string().describe("SHA-256 of the hash before, the number, a line feed and the entry."),
});
