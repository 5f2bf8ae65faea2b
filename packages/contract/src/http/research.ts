import { z } from "zod";
import { pagingQuery } from "./paging.ts";
import { absentable, queryBoolean } from "./values.ts";

const jsonSchemaSchema = z.record(z.string(), z.unknown());

/** The models of research: three budgets. */
export const researchModels = ["exa-research-fast", "exa-research", "exa-research-pro"] as const;

/** The longest instructions. */
export const MAX_INSTRUCTIONS = 50_000;

/** `POST /research/v1`. */
export const createResearchSchema = z
  .object({
    instructions: z.string().trim().min(1).max(MAX_INSTRUCTIONS).describe("What to find out."),
    model: absentable(z.enum(researchModels)).describe("How much to read: exa-research unless told."),
    outputSchema: absentable(jsonSchemaSchema).describe("JSON Schema (draft-07) of the result."),
    output: absentable(
      z.object({ schema: absentable(jsonSchemaSchema), inferSchema: absentable(z.boolean()) }),
    ).describe("The older way to give a schema."),
  })
  .meta({ id: "CreateResearch" });

/** `GET /research/v1`. */
export const listResearchQuerySchema = z.object(pagingQuery({ max: 50, default: 10 }));

/** `GET /research/v1/{id}`. */
export const getResearchQuerySchema = z.object({
  stream: queryBoolean().optional().describe("Follow the run as server-sent events."),
  events: queryBoolean().optional().describe("Show the events of the run."),
});

const operationSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("think"), content: z.string() }),
  z.object({
    type: z.literal("search"),
    searchType: z.enum(["neural", "keyword", "auto", "fast"]),
    goal: z.string().optional(),
    query: z.string(),
    results: z.array(z.object({ url: z.string() })),
    pageTokens: z.number(),
  }),
  z.object({
    type: z.literal("crawl"),
    goal: z.string().optional(),
    result: z.object({ url: z.string() }),
    pageTokens: z.number(),
  }),
]);

/** What a run really used, and what that costs by the price list. */
export const researchCostSchema = z.object({
  total: z.number(),
  numSearches: z.number(),
  numPages: z.number(),
  reasoningTokens: z.number(),
});

const outputShape = { content: z.string(), parsed: z.record(z.string(), z.unknown()).optional() } as const;

const eventShapes = [
  z.object({
    eventType: z.literal("research-definition"),
    instructions: z.string(),
    outputSchema: jsonSchemaSchema.optional(),
  }),
  z.object({ eventType: z.literal("plan-definition"), planId: z.string() }),
  z.object({
    eventType: z.literal("plan-operation"),
    planId: z.string(),
    operationId: z.string(),
    data: operationSchema,
  }),
  z.object({
    eventType: z.literal("plan-output"),
    planId: z.string(),
    output: z.discriminatedUnion("outputType", [
      z.object({ outputType: z.literal("tasks"), reasoning: z.string(), tasksInstructions: z.array(z.string()) }),
      z.object({ outputType: z.literal("stop"), reasoning: z.string() }),
    ]),
  }),
  z.object({
    eventType: z.literal("task-definition"),
    planId: z.string(),
    taskId: z.string(),
    instructions: z.string(),
  }),
  z.object({
    eventType: z.literal("task-operation"),
    planId: z.string(),
    taskId: z.string(),
    operationId: z.string(),
    data: operationSchema,
  }),
  z.object({
    eventType: z.literal("task-output"),
    planId: z.string(),
    taskId: z.string(),
    output: z.object({ outputType: z.literal("completed"), content: z.string() }),
  }),
  z.object({
    eventType: z.literal("research-output"),
    output: z.discriminatedUnion("outputType", [
      z.object({ outputType: z.literal("completed"), ...outputShape, costDollars: researchCostSchema }),
      z.object({ outputType: z.literal("failed"), error: z.string() }),
    ]),
  }),
] as const;

/** One event of a run, without the id and time that every event has. */
export const researchEventSchema = z.discriminatedUnion("eventType", [...eventShapes]);

const stamps = { researchId: z.string(), createdAt: z.number().describe("Unix milliseconds.") } as const;

/** One event of a run as the wire shows it. */
export const stampedResearchEventSchema = researchEventSchema.and(z.object(stamps)).meta({ id: "ResearchEvent" });

const researchCitationSchema = z.object({ id: z.string(), url: z.string(), title: z.string(), snippet: z.string() });

/** A research task as the wire shows it. */
export const researchSchema = z
  .object({
    ...stamps,
    status: z.enum(["pending", "running", "completed", "canceled", "failed"]),
    model: z.enum(researchModels),
    instructions: z.string(),
    outputSchema: jsonSchemaSchema.optional(),
    events: z.array(stampedResearchEventSchema).optional().describe("Only with events=true."),
    finishedAt: z.number().optional(),
    output: z.object(outputShape).optional(),
    costDollars: researchCostSchema.optional(),
    citations: z.array(researchCitationSchema).optional(),
    error: z.string().optional(),
  })
  .meta({ id: "Research" });

/** One event of a run. */
export type ResearchEvent = z.output<typeof researchEventSchema>;
/** What a run did in one step. */
export type ResearchOperation = z.output<typeof operationSchema>;
/** What a run really used. */
export type ResearchCost = z.output<typeof researchCostSchema>;
/** A source of a report. */
export type ResearchCitation = z.output<typeof researchCitationSchema>;
/** A budget by name. */
export type ResearchModel = (typeof researchModels)[number];
