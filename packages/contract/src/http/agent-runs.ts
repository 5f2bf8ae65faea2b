import { z } from "zod";
import { pagingQuery } from "./paging.ts";
import { groundingSchema } from "./search-result.ts";
import { absentable } from "./values.ts";

/** How much a run reads. */
export const agentEfforts = ["minimal", "low", "medium", "high", "xhigh", "auto", "max", "ultra"] as const;

const rows = z.array(z.record(z.string(), z.unknown())).max(1_000);

/** `POST /agent/runs`. */
export const agentRequestSchema = z
  .object({
    query: z.string().trim().min(1).max(50_000).describe("What to find out."),
    systemPrompt: absentable(z.string().max(20_000)).describe(
      "Instructions for the language model, when there is one.",
    ),
    input: absentable(z.object({ data: absentable(rows), exclusion: absentable(rows) })).describe(
      "`data`: the things asked about, one object each; `exclusion`: what the result must not speak of.",
    ),
    outputSchema: absentable(z.record(z.string(), z.unknown())).describe("JSON Schema of the structured output."),
    effort: absentable(z.enum(agentEfforts)).describe("How much to read: auto unless told."),
    budget: absentable(
      z.object({
        maxCostDollars: absentable(z.number().min(1).max(100)),
        maxDurationSeconds: absentable(z.int().min(300).max(10_800)),
      }),
    ),
    previousRunId: absentable(z.string().min(1)).describe("A completed run that this one goes on from."),
    metadata: absentable(z.record(z.string(), z.string())),
    dataSources: absentable(z.array(z.object({ provider: z.string() })).max(5)),
  })
  .meta({ id: "AgentRequest" });

/** `GET /agent/runs` and the events of a run. */
export const listAgentQuerySchema = z.object(pagingQuery({ max: 100, default: 20 }));

/** An agent run as the wire shows it. */
export const agentRunSchema = z
  .object({
    id: z.string(),
    object: z.literal("agent_run"),
    status: z.enum(["queued", "running", "completed", "failed", "cancelled"]),
    stopReason: z
      .enum(["schema_satisfied", "budget_reached", "time_limit_reached", "stopped", "error", "cancelled"])
      .nullable(),
    createdAt: z.iso.datetime(),
    completedAt: z.iso.datetime().nullable(),
    request: z.record(z.string(), z.unknown()).nullable(),
    output: z
      .object({ text: z.string(), structured: z.unknown().nullable(), grounding: z.array(groundingSchema) })
      .nullable(),
    usage: z.object({
      agentComputeUnits: z.number(),
      searches: z.int(),
      emails: z.int(),
      phoneNumbers: z.int(),
    }),
    costDollars: z.object({
      total: z.number(),
      agentCompute: z.number(),
      search: z.number(),
      emails: z.number(),
      phoneNumbers: z.number(),
    }),
    error: z.object({ type: z.string(), code: z.string(), message: z.string() }).optional(),
  })
  .meta({ id: "AgentRun" });

/** An event of a run. */
export const agentEventSchema = z
  .object({ id: z.string(), event: z.string(), data: z.record(z.string(), z.unknown()), createdAt: z.iso.datetime() })
  .meta({ id: "AgentEvent" });

/** A request for an agent run. */
export type AgentRequest = z.output<typeof agentRequestSchema>;
/** An agent run as the wire shows it. */
export type AgentRun = z.input<typeof agentRunSchema>;
/** An event of a run as the wire shows it. */
export type AgentEvent = z.input<typeof agentEventSchema>;
