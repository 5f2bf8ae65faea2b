import { AppError } from "@quarry/base";
import { z } from "zod";

const text = z.string().trim().min(1).max(5_000);
const entity = z.object({ type: z.string().min(1), description: z.string().optional() });
const criteria = z.array(z.object({ description: text })).max(10);
const enrichment = z.object({
  description: text,
  format: z.enum(["text", "date", "number", "options", "email", "phone", "url"]).optional(),
  options: z.array(z.object({ label: z.string().min(1) })).optional(),
});
const timeoutSeconds = z.int().min(1).max(3_600).default(300);
const count = (standard: number) => z.int().min(1).max(1_000).default(standard);
const website = z.object({ query: text, entity: entity.optional(), criteria: criteria.max(5).optional() });

const condition = z.object({
  /** The description of an enrichment. */
  enrichment: text,
  operator: z.enum(["gte", "gt", "lte", "lt", "eq", "contains", "matches", "oneOf", "exists", "withinDays"]),
  value: z.union([z.string(), z.number(), z.boolean(), z.array(z.union([z.string(), z.number()]))]).optional(),
});
const lens = website.extend({
  name: text.max(100),
  enrichments: z.array(enrichment).max(10).optional(),
  count: count(25),
});
const shape = z.object({
  lens: text.max(100),
  logic: z.enum(["all", "any"]).default("all"),
  conditions: z.array(condition).min(1).max(20),
});

/** What each workflow takes. */
export const workflowArgs = {
  "lifecycle.harvest": z.object({
    query: text,
    entity,
    count: count(25),
    criteria: criteria.max(5).optional(),
    enrichments: z.array(enrichment).max(10).optional(),
    cleanup: z.boolean().default(false),
    timeoutSeconds,
  }),
  "convergent.search": z.object({
    queries: z.array(text).min(2).max(5),
    entity,
    criteria: criteria.max(5).optional(),
    count: count(25),
    timeoutSeconds,
  }),
  "qd.winnow": z.object({
    query: text,
    entity,
    criteria: criteria.min(1),
    enrichments: z.array(enrichment).min(1).max(10),
    count: count(50),
    selection: z.enum(["all-criteria", "any-criteria", "diverse"]).default("diverse"),
    seedWebsetId: z.string().optional(),
    critique: z.boolean().default(false),
    timeoutSeconds,
  }),
  "adversarial.verify": z.object({
    thesis: text,
    thesisQuery: text,
    antithesisQuery: text,
    entity: entity.optional(),
    count: count(15),
    synthesize: z.boolean().default(false),
    timeoutSeconds,
  }),
  "research.deep": z.object({
    instructions: z.string().trim().min(1).max(50_000),
    model: z.enum(["exa-research-fast", "exa-research", "exa-research-pro"]).default("exa-research"),
    outputSchema: z.record(z.string(), z.unknown()).optional(),
    timeoutSeconds,
  }),
  "research.verifiedCollection": z.object({
    query: text,
    entity,
    criteria: criteria.max(5).optional(),
    researchPrompt: text.describe("with {{name}}, {{url}} and {{description}}"),
    count: count(25),
    researchLimit: z.int().min(1).max(25).default(10),
    timeoutSeconds,
  }),
  "retrieval.searchAndRead": z.object({ query: text, numResults: z.int().min(1).max(25).default(5) }),
  "retrieval.expandAndCollect": z.object({
    query: text,
    numResults: z.int().min(1).max(50).default(10),
    expandTop: z.int().min(1).max(10).default(3),
  }),
  "retrieval.verifiedAnswer": z.object({ query: text, numVerify: z.int().min(1).max(10).default(3) }),
  "verify.enrichments": z.object({
    websetId: z.string().min(1),
    minimumFitness: z.number().min(0).max(1).default(0.5),
    removeUnfit: z.boolean().default(false),
    limit: z.int().min(1).max(200).default(50),
  }),
  "semantic.cron": z.object({
    lenses: z.array(lens).min(1).max(5),
    shapes: z.array(shape).max(20).default([]),
    join: z.object({
      by: z.enum(["entity", "temporal", "entity+temporal", "cooccurrence", "value"]),
      /** The description of the enrichment that holds a date or a value. */
      enrichment: text.optional(),
      days: z.number().positive().max(3_650).default(30),
      similarity: z.number().min(0.5).max(1).default(0.85),
      /** Two, or the one lens there is, unless it is said. */
      minLenses: z.int().min(1).max(5).optional(),
    }),
    signal: z.object({
      requires: z.enum(["all", "any", "threshold", "combination"]),
      min: z.int().min(1).optional(),
      combinations: z.array(z.array(z.string())).optional(),
    }),
    /** Under which name the next run finds what this one saw. */
    name: text.max(100).optional(),
    /** Keeps each lens up to date by a schedule; the next run of that name looks at the same websets. */
    monitor: z.object({ cron: z.string().trim().min(1).max(200), timezone: z.string().optional() }).optional(),
    /** Told by the event workflow.signal when the signal comes or goes, or the joins change. */
    webhookUrl: z
      .url({ protocol: /^https?$/, error: "give an address that begins with https:// or http://" })
      .max(2_000)
      .optional(),
    timeoutSeconds,
  }),
} as const;

/** A whole job by name. */
export type WorkflowName = keyof typeof workflowArgs;
/** The checked arguments of a workflow. */
export type WorkflowArgs<Name extends WorkflowName> = z.output<(typeof workflowArgs)[Name]>;

/** Every workflow, in the order of the list. */
export const workflowNames = Object.keys(workflowArgs) as [WorkflowName, ...WorkflowName[]];

const ABOUT: Readonly<Record<WorkflowName, string>> = {
  "lifecycle.harvest": "make a webset, wait until it is idle, collect its items",
  "convergent.search": "several queries for the same thing; what more than one finds is more likely right",
  "qd.winnow": "niches by criteria met, the fittest of each, and how well the criteria tell items apart",
  "adversarial.verify": "look for what supports a thesis and for what counters it, and weigh both",
  "research.deep": "a cited report in several steps",
  "research.verifiedCollection": "a webset, and a report on each of its first items",
  "retrieval.searchAndRead": "search, and read the best results",
  "retrieval.expandAndCollect": "search, and add pages like the best results",
  "retrieval.verifiedAnswer": "an answer, checked against an independent search",
  "verify.enrichments": "check items and cells of a webset, and remove the unfit",
  "semantic.cron":
    "several lenses on the web, joined; a signal when enough of them show the same, and what changed since the last run",
};

/** What a workflow is for, in a sentence. */
export function aboutWorkflow(name: WorkflowName): string {
  return ABOUT[name];
}

/** The workflows with their arguments, as text for an agent: all in short, or one with its schema. */
export function describeWorkflows(name?: string): string {
  const one = workflowNames.find((known) => known === name);
  if (one === undefined) {
    const lines = workflowNames.map((known) => `- ${known}: ${ABOUT[known]}. args: ${fieldsOf(known)}`);
    return `Start one with workflow_start {"workflow": …, "args": …}; a * marks what is needed.\n${lines.join("\n")}`;
  }
  const { properties, required } = z.toJSONSchema(workflowArgs[one], { io: "input" });
  return `${one}: ${ABOUT[one]}.\nargs: ${JSON.stringify({ properties, required })}`;
}

/** Reads the arguments of a workflow by its schema. Throws `invalid_request` with each wrong field. */
export function readWorkflowArgs<Name extends WorkflowName>(name: Name, args: unknown): WorkflowArgs<Name> {
  const parsed = workflowArgs[name].safeParse(args);
  if (parsed.success) return parsed.data as WorkflowArgs<Name>; // the schema of this very name
  const problems = parsed.error.issues.slice(0, 5).map(({ path, message }) => `args.${path.join(".")}: ${message}`);
  throw new AppError("invalid_request", `${problems.join("; ")}. ${name} takes ${fieldsOf(name)}`, {
    details: { field: "args" },
  });
}

function fieldsOf(name: WorkflowName): string {
  const { properties = {}, required = [] } = z.toJSONSchema(workflowArgs[name], { io: "input" });
  return Object.keys(properties)
    .map((field) => `${field}${required.includes(field) ? "*" : ""}`)
    .join(", ");
}
