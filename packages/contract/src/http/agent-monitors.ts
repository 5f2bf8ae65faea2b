import { z } from "zod";
import { pageOf, pagingQuery } from "./paging.ts";
import { readPeriodMs } from "./search-monitors.ts";
import { absentable, instant, timestampSchema } from "./values.ts";

/** What a field's values are. */
export const AGENT_MONITOR_FIELD_TYPES = ["string", "number", "boolean", "date", "url", "email", "phone"] as const;
/** Answered once, or anew at every refresh. */
export const AGENT_MONITOR_FIELD_MODES = ["static", "dynamic"] as const;
/** Entities of one monitor. */
export const MAX_AGENT_MONITOR_ENTITIES = 1_000;
const MAX_FIELDS = 20;
/** A back-test is one job. */
const MAX_BACKTEST_ENTITIES = 100;
const MIN_CADENCE_MS = 6 * 3_600_000;
const MAX_CADENCE_MS = 366 * 24 * 3_600_000;

/** What a field's values are. */
export type AgentMonitorFieldType = (typeof AGENT_MONITOR_FIELD_TYPES)[number];
/** Answered once, or anew at every refresh. */
export type AgentMonitorFieldMode = (typeof AGENT_MONITOR_FIELD_MODES)[number];

const entitySchema = z.object({
  name: z.string().trim().min(1).max(200),
  domain: z
    .string()
    .trim()
    .toLowerCase()
    .max(253)
    .regex(/^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z0-9-]{2,}$|^localhost$|^\d{1,3}(?:\.\d{1,3}){3}$/, {
      error: 'expected a domain such as "example.com", without https:// and path',
    })
    .describe("Whose pages speak for it; each once in a monitor."),
  description: absentable(z.string().max(2_000)),
});

const fieldSchema = z
  .object({
    name: z.string().trim().min(1).max(200),
    description: z.string().trim().min(1).max(2_000).describe("What to find out of every entity."),
    type: absentable(z.enum([...AGENT_MONITOR_FIELD_TYPES, ...AGENT_MONITOR_FIELD_MODES])).describe(
      "string unless given.",
    ),
    mode: absentable(z.enum(AGENT_MONITOR_FIELD_MODES)).describe("dynamic unless given."),
  })
  .superRefine(({ type, mode }, context) => {
    if (mode === undefined || !isMode(type)) return;
    context.addIssue({
      code: "custom",
      path: ["type"],
      message: "names the mode, and so does mode: leave one of them out",
    });
  })
  .transform(({ name, description, type, mode }) => ({
    name,
    description,
    type: type === undefined || isMode(type) ? ("string" as const) : type,
    mode: isMode(type) ? type : (mode ?? ("dynamic" as const)),
  }));

function isMode(type: string | undefined): type is AgentMonitorFieldMode {
  return AGENT_MONITOR_FIELD_MODES.some((mode) => mode === type);
}

const entitiesSchema = z.array(entitySchema).min(1).superRefine(unique("domain"));
const fieldsSchema = z.array(fieldSchema).min(1).max(MAX_FIELDS).superRefine(unique("name"));

function unique<Key extends string>(key: Key) {
  return (list: readonly Readonly<Record<Key, string>>[], context: z.RefinementCtx): void => {
    const seen = new Set<string>();
    for (const [index, entry] of list.entries()) {
      if (seen.has(entry[key])) {
        context.addIssue({
          code: "custom",
          path: [index, key],
          message: `${JSON.stringify(entry[key])} is there twice`,
        });
        return;
      }
      seen.add(entry[key]);
    }
  };
}

/** `POST /agent/monitors`. */
export const createAgentMonitorSchema = z
  .object({
    cadence: z
      .string()
      .refine(isCadence, { error: 'expected one number and one unit, at least six hours, such as "12h" or "7d"' })
      .describe("How often everything is looked at anew: one number and h, d or w, at least 6h."),
    entities: entitiesSchema.max(MAX_AGENT_MONITOR_ENTITIES),
    fields: fieldsSchema,
  })
  .meta({ id: "CreateAgentMonitor" });

function isCadence(cadence: string): boolean {
  const ms = readPeriodMs(cadence);
  return ms !== undefined && ms >= MIN_CADENCE_MS && ms <= MAX_CADENCE_MS;
}

/** `POST /agent/monitors/{id}/entities`. */
export const addAgentMonitorEntitiesSchema = z
  .object({ entities: entitiesSchema.max(MAX_AGENT_MONITOR_ENTITIES) })
  .meta({ id: "AddAgentMonitorEntities" });

/** `POST /agent/monitors/backtest`. */
export const createAgentMonitorBacktestSchema = z
  .object({
    entities: entitiesSchema.max(MAX_BACKTEST_ENTITIES),
    fields: fieldsSchema,
    startTime: instant(),
    endTime: instant(),
  })
  .refine(({ startTime, endTime }) => startTime < endTime, {
    path: ["endTime"],
    error: "expected a moment after startTime",
  })
  .meta({ id: "CreateAgentMonitorBacktest" });

const since = z
  .union([
    z
      .string()
      .regex(/^\d{1,15}$/)
      .transform(Number),
    instant(),
  ])
  .optional()
  .describe("Only what came at or after this moment, or behind this version.");

/** `GET /agent/monitors`. */
export const listAgentMonitorsQuerySchema = z.object(pagingQuery({ max: 100, default: 20 }));
/** `GET /agent/monitors/{id}/entities` and `…/changes`. */
export const listAgentMonitorPartsQuerySchema = z.object({ ...pagingQuery({ max: 100, default: 20 }), since });

const progressSchema = z.union([
  z.object({ state: z.literal("idle") }),
  z.object({
    state: z.literal("running"),
    entitiesProcessed: z.int(),
    entitiesTotal: z.int(),
    startedAt: timestampSchema,
  }),
]);

/** An agent monitor as the wire shows it. */
export const agentMonitorSchema = z
  .object({
    id: z.string(),
    object: z.literal("agent_monitor"),
    status: z.enum(["creating", "pending_first_refresh", "active"]),
    cadence: z.string(),
    fields: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        description: z.string(),
        mode: z.enum(AGENT_MONITOR_FIELD_MODES),
        type: z.enum(AGENT_MONITOR_FIELD_TYPES),
      }),
    ),
    entityCount: z.int(),
    version: z.int().describe("Grows with every change of a content."),
    createdAt: timestampSchema,
    lastRefreshAt: timestampSchema.nullable(),
    refresh: progressSchema,
    creation: progressSchema,
    usage: z.object({ totalAcus: z.number(), lastRefreshAcus: z.number() }),
  })
  .meta({ id: "AgentMonitor" });

const citationSchema = z.object({
  url: z.string(),
  title: z.string().optional(),
  note: z.string().optional().describe("The quote that the value rests on."),
});
const contentSchema = z.object({
  value: z.unknown(),
  citations: z.array(citationSchema).optional(),
  updatedAt: timestampSchema,
});
const monitoredEntitySchema = z.object({
  id: z.string(),
  name: z.string().optional(),
  domain: z.string().optional(),
});

const listShape = { object: z.literal("list"), version: z.int() };

/** A page of entities with their contents, by the fields' ids. */
export const agentMonitorEntitiesSchema = pageOf(
  z.object({ entity: monitoredEntitySchema, contents: z.record(z.string(), contentSchema) }),
).extend(listShape);

/** A page of changes; nextCursor goes on behind the last one, also when there is no more yet. */
export const agentMonitorChangesSchema = pageOf(
  z.object({
    type: z.literal("content.upserted"),
    entity: monitoredEntitySchema,
    field: z.object({ id: z.string(), name: z.string().optional() }),
    content: contentSchema,
    version: z.int(),
    createdAt: timestampSchema,
  }),
).extend(listShape);

/** A back-test as the wire shows it. */
export const agentMonitorBacktestSchema = z
  .object({
    id: z.string(),
    object: z.literal("agent_monitor.backtest"),
    startTime: timestampSchema,
    endTime: timestampSchema,
    createdAt: timestampSchema,
    expiresAt: timestampSchema,
    status: z.enum(["running", "completed", "failed"]),
    data: z
      .array(
        z.object({
          name: z.string(),
          contents: z.record(z.string(), z.object({ value: z.unknown(), citations: z.array(citationSchema) })),
        }),
      )
      .optional(),
    failedEntities: z.array(z.object({ name: z.string(), reason: z.string() })).optional(),
    warnings: z.array(z.string()).optional(),
    error: z.string().optional(),
  })
  .meta({ id: "AgentMonitorBacktest" });

/** A wish for an agent monitor. */
export type CreateAgentMonitorBody = z.output<typeof createAgentMonitorSchema>;
/** A wish for a back-test. */
export type CreateAgentMonitorBacktestBody = z.output<typeof createAgentMonitorBacktestSchema>;
/** An entity to watch. */
export type AgentMonitorEntityWish = z.output<typeof entitySchema>;
/** An agent monitor as the wire shows it. */
export type AgentMonitorWire = z.input<typeof agentMonitorSchema>;
/** A page of entities as the wire shows it. */
export type AgentMonitorEntitiesWire = z.input<typeof agentMonitorEntitiesSchema>;
/** A page of changes as the wire shows it. */
export type AgentMonitorChangesWire = z.input<typeof agentMonitorChangesSchema>;
/** A back-test as the wire shows it. */
export type AgentMonitorBacktestWire = z.input<typeof agentMonitorBacktestSchema>;
