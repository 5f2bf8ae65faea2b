import { z } from "zod";
import { pagingQuery } from "./paging.ts";
import { absentable, timestampSchema } from "./values.ts";
import { metadataSchema, websetEntitySchema } from "./webset-entity.ts";

const cadenceSchema = z.object({
  cron: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .describe("Five fields (minute, hour, day of the month, month, day of the week) that come at most once a day."),
  timezone: absentable(z.string().min(1).max(100))
    .transform((zone) => zone ?? "Etc/UTC")
    .describe("An IANA time zone; Etc/UTC unless given."),
});

const searchConfigSchema = z.preprocess(
  liftParameters,
  z.object({
    query: absentable(z.string().trim().min(2).max(10_000)),
    criteria: absentable(z.array(z.object({ description: z.string().trim().min(2).max(1_000) })).max(5)),
    entity: absentable(websetEntitySchema),
    count: z.int().min(1).describe("How many new items to look for."),
    behavior: absentable(z.enum(["append", "override"])).transform((behavior) => behavior ?? "append"),
  }),
);

/** In 2025 the parameters of the search had a record of their own inside `config`. */
function liftParameters(config: unknown): unknown {
  if (typeof config !== "object" || config === null || !("parameters" in config)) return config;
  const { parameters, ...rest } = config;
  return typeof parameters === "object" && parameters !== null ? { ...parameters, ...rest } : rest;
}

const refreshConfigSchema = z.discriminatedUnion("target", [
  z.object({ target: z.literal("contents").describe("Reads the items' pages again.") }),
  z.object({
    target: z.literal("enrichments").describe("Fills the cells again."),
    enrichments: absentable(z.object({ ids: absentable(z.array(z.string().min(1)).min(1).max(100)) })),
  }),
]);

const behaviorSchema = z
  .discriminatedUnion("type", [
    z.object({ type: z.literal("search"), config: searchConfigSchema }),
    z.object({ type: z.literal("refresh"), config: refreshConfigSchema }),
  ])
  .meta({ id: "MonitorBehavior" });

/** `POST /websets/v0/monitors`. */
export const createMonitorSchema = z
  .object({
    websetId: z.string().min(1).describe("The webset's id or externalId."),
    cadence: cadenceSchema,
    behavior: behaviorSchema.describe("What a run does. What a search leaves out comes from the webset's last search."),
    metadata: absentable(metadataSchema),
  })
  .meta({ id: "CreateMonitor" });

/** `PATCH /websets/v0/monitors/{id}`. */
export const updateMonitorSchema = z
  .object({
    status: absentable(z.enum(["enabled", "disabled"])),
    cadence: absentable(cadenceSchema),
    behavior: absentable(behaviorSchema),
    metadata: metadataSchema.nullish(),
  })
  .meta({ id: "UpdateMonitor" });

/** `GET /websets/v0/monitors`. */
export const listMonitorsQuerySchema = z.object({
  ...pagingQuery({ max: 200, default: 25 }),
  websetId: z.string().min(1).optional().describe("Only those of this webset."),
});

/** `GET /websets/v0/monitors/{monitor}/runs`. */
export const listMonitorRunsQuerySchema = z.object(pagingQuery({ max: 200, default: 25 }));

/** One run of a monitor. */
export const monitorRunSchema = z
  .object({
    id: z.string(),
    object: z.literal("monitor_run"),
    status: z.enum(["created", "running", "completed", "canceled", "failed"]),
    monitorId: z.string(),
    type: z.enum(["search", "refresh"]),
    completedAt: timestampSchema.nullable(),
    failedAt: timestampSchema.nullable(),
    failedReason: z.string().nullable(),
    canceledAt: timestampSchema.nullable(),
    canceledReason: z.string().nullable().describe("Why it was skipped or ended early, such as webset_paused."),
    createdAt: timestampSchema,
    updatedAt: timestampSchema,
  })
  .meta({ id: "MonitorRun" });

/** A monitor as the wire shows it. */
export const monitorSchema = z
  .object({
    id: z.string(),
    object: z.literal("monitor"),
    status: z.enum(["enabled", "disabled"]),
    websetId: z.string(),
    cadence: z.object({ cron: z.string(), timezone: z.string() }),
    behavior: z.looseObject({ type: z.enum(["search", "refresh"]), config: z.record(z.string(), z.unknown()) }),
    lastRun: monitorRunSchema.nullable(),
    nextRunAt: timestampSchema.nullable(),
    metadata: z.record(z.string(), z.string()),
    createdAt: timestampSchema,
    updatedAt: timestampSchema,
  })
  .meta({ id: "Monitor" });

/** What creating a monitor takes. */
export type CreateMonitor = z.output<typeof createMonitorSchema>;
/** What changing a monitor takes. */
export type UpdateMonitor = z.output<typeof updateMonitorSchema>;
/** When a monitor runs. */
export type MonitorCadence = z.output<typeof cadenceSchema>;
/** What a run of a monitor does. */
export type MonitorBehavior = z.output<typeof behaviorSchema>;
/** A monitor as the wire shows it. */
export type MonitorWire = z.output<typeof monitorSchema>;
/** A run as the wire shows it. */
export type MonitorRunWire = z.output<typeof monitorRunSchema>;
