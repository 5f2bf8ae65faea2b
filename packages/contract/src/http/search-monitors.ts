import { z } from "zod";
import { pagingQuery } from "./paging.ts";
import { searchSchema } from "./search.ts";
import { absentable, timestampSchema } from "./values.ts";

/** What a search monitor's webhook may hear of. */
export const SEARCH_MONITOR_EVENTS = [
  "monitor.created",
  "monitor.updated",
  "monitor.deleted",
  "monitor.run.created",
  "monitor.run.completed",
] as const;

/** One kind of event of a search monitor. */
export type SearchMonitorEvent = (typeof SEARCH_MONITOR_EVENTS)[number];

const MINUTES = { m: 1, h: 60, d: 24 * 60, w: 7 * 24 * 60 } as const;
const MAX_PERIOD_MINUTES = 366 * MINUTES.d;

const searchShape = {
  query: searchSchema.shape.query,
  numResults: absentable(z.int().min(1).max(100)).describe("How many new results at most; 10 unless given."),
  includeDomains: searchSchema.shape.includeDomains,
  excludeDomains: searchSchema.shape.excludeDomains,
  contents: absentable(z.record(z.string(), z.unknown())).describe("As in a search."),
} as const;

/** What would be refused of a search is refused of a search that is to be repeated. */
function checkSearch(search: unknown, context: z.core.$RefinementCtx): void {
  const checked = searchSchema.safeParse(search);
  if (checked.success) return;
  for (const { path, message } of checked.error.issues)
    context.issues.push({ code: "custom", path, message, input: search });
}

const monitorSearchSchema = z.object(searchShape).superRefine(checkSearch);
const partialSearchSchema = z.object({ ...searchShape, query: absentable(searchShape.query) });

const intervalSchema = z.object({
  type: z.literal("interval"),
  period: z
    .string()
    .refine((period) => isPeriod(period), {
      error: 'expected one number and one unit, from an hour to a year, such as "1h", "6h", "1d" or "7d"',
    })
    .describe("One number and one unit (h, d, w), at least an hour; counted from the monitor's creation."),
});

const cronSchema = z.object({
  type: z.literal("cron"),
  expression: z.string().min(1).max(200).describe("Five fields of Unix cron, at most once an hour."),
  timezone: absentable(z.string().min(1).max(100))
    .transform((zone) => zone ?? "Etc/UTC")
    .describe("An IANA name; Etc/UTC unless given."),
});

const triggerSchema = z.discriminatedUnion("type", [intervalSchema, cronSchema]);

function isPeriod(period: string): boolean {
  const ms = readPeriodMs(period);
  return ms !== undefined && ms >= MINUTES.h * 60_000 && ms <= MAX_PERIOD_MINUTES * 60_000;
}

/** How long a period such as `6h` is; undefined when it is none. */
export function readPeriodMs(period: string): number | undefined {
  const [, count, unit] = /^([1-9]\d{0,5})([mhdw])$/.exec(period) ?? [];
  return count === undefined ? undefined : Number(count) * MINUTES[unit as keyof typeof MINUTES] * 60_000;
}

const webhookShape = {
  url: z
    .string()
    .min(1)
    .max(2_000)
    .describe("Where results go: http or https, public unless the operator opened the host."),
  events: absentable(z.array(z.enum(SEARCH_MONITOR_EVENTS)).min(1).max(SEARCH_MONITOR_EVENTS.length)).describe(
    "All of them unless given.",
  ),
} as const;

const nameSchema = z.string().trim().min(1).max(200);
const metadataSchema = z.record(z.string().min(1).max(100), z.string().max(1_000));
const outputSchemaSchema = z.record(z.string(), z.unknown());
const statusSchema = z.enum(["active", "paused", "disabled"]);

/** `POST /monitors`. */
export const createSearchMonitorSchema = z
  .object({
    name: absentable(nameSchema),
    search: monitorSearchSchema,
    trigger: absentable(triggerSchema).describe("Without one it runs only when triggered."),
    outputSchema: absentable(outputSchemaSchema).describe(
      '`{type: "text"}` unless given, or a JSON Schema of an object.',
    ),
    metadata: absentable(metadataSchema).describe("Told with every run."),
    webhook: z.object(webhookShape),
  })
  .meta({ id: "CreateSearchMonitor" });

/** `PATCH /monitors/{id}`: search and webhook are merged, null removes. */
export const updateSearchMonitorSchema = z
  .object({
    name: nameSchema.nullish(),
    status: absentable(z.enum(["active", "paused"])),
    search: absentable(partialSearchSchema),
    trigger: triggerSchema.nullish(),
    outputSchema: outputSchemaSchema.nullish(),
    metadata: metadataSchema.nullish(),
    webhook: absentable(z.object({ ...webhookShape, url: absentable(webhookShape.url) })),
  })
  .meta({ id: "UpdateSearchMonitor" });

/** `GET /monitors`; `metadata[key]=value` filters too. */
export const listSearchMonitorsQuerySchema = z.looseObject({
  ...pagingQuery({ max: 100, default: 50 }),
  status: statusSchema.optional(),
  name: z.string().min(1).optional().describe("The whole name."),
});

/** `GET /monitors/{id}/runs`. */
export const listSearchMonitorRunsQuerySchema = z.object(pagingQuery({ max: 100, default: 50 }));

/** `POST /monitors/batch`. */
export const batchSearchMonitorsSchema = z
  .object({
    action: z.enum(["delete", "pause", "unpause"]),
    filter: z
      .object({
        name: absentable(z.string().min(1)),
        status: absentable(statusSchema),
        metadata: absentable(metadataSchema),
      })
      .refine(({ name, status, metadata }) => name !== undefined || status !== undefined || metadata !== undefined, {
        error: "give at least one of name, status and metadata",
      }),
    dry_run: absentable(z.boolean()).transform((isDry) => isDry ?? true),
    limit: absentable(z.int().min(1).max(500)).transform((limit) => limit ?? 50),
  })
  .meta({ id: "BatchSearchMonitors" });

/** What a batch did, or would do. */
export const batchSearchMonitorsReplySchema = z.object({
  action: z.enum(["delete", "pause", "unpause"]),
  affected: z.number(),
  ids: z.array(z.string()),
  dry_run: z.boolean(),
  has_more: z.boolean(),
});

const monitorShape = {
  id: z.string(),
  name: z.string().nullable(),
  status: statusSchema.describe("disabled: after ten authentication failures in a row."),
  search: z.looseObject({ query: z.string() }),
  trigger: z
    .union([
      z.object({ type: z.literal("interval"), period: z.string() }),
      z.object({ type: z.literal("cron"), expression: z.string(), timezone: z.string() }),
    ])
    .nullable(),
  outputSchema: outputSchemaSchema.nullable(),
  metadata: z.record(z.string(), z.string()).nullable(),
  webhook: z.object({ url: z.string(), events: z.array(z.enum(SEARCH_MONITOR_EVENTS)) }),
  nextRunAt: timestampSchema.nullable(),
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
} as const;

/** A search monitor as the wire shows it. */
export const searchMonitorSchema = z.object(monitorShape).meta({ id: "SearchMonitor" });

/** What creating one answers. */
export const createdSearchMonitorSchema = z
  .object({
    ...monitorShape,
    webhookSecret: z.string().describe("Signs what the webhook gets. Shown here and never again."),
  })
  .meta({ id: "CreatedSearchMonitor" });

/** Why a run failed. */
export const SEARCH_MONITOR_FAILURES = [
  "api_key_invalid",
  "insufficient_credits",
  "invalid_params",
  "rate_limited",
  "source_not_available",
  "forbidden",
  "search_unavailable",
  "search_failed",
  "internal_error",
] as const;

/** Why a run failed. */
export type SearchMonitorFailure = (typeof SEARCH_MONITOR_FAILURES)[number];

/** A run of a search monitor. */
export const searchMonitorRunSchema = z
  .object({
    id: z.string(),
    monitorId: z.string(),
    status: z.enum(["pending", "running", "completed", "failed", "cancelled"]),
    output: z
      .object({
        results: z.array(z.record(z.string(), z.unknown())).nullable(),
        content: z.union([z.string(), z.record(z.string(), z.unknown())]).nullable(),
        grounding: z.array(z.record(z.string(), z.unknown())).nullable(),
      })
      .nullable()
      .describe("Only what no earlier run has shown."),
    failReason: z.enum(SEARCH_MONITOR_FAILURES).nullable(),
    startedAt: timestampSchema.nullable(),
    completedAt: timestampSchema.nullable(),
    failedAt: timestampSchema.nullable(),
    cancelledAt: timestampSchema.nullable(),
    durationMs: z.number().nullable(),
    metadata: z.record(z.string(), z.string()).nullable().describe("The monitor's."),
    createdAt: timestampSchema,
    updatedAt: timestampSchema,
  })
  .meta({ id: "SearchMonitorRun" });

/** What creating a search monitor takes. */
export type CreateSearchMonitor = z.output<typeof createSearchMonitorSchema>;
/** What changing one takes. */
export type UpdateSearchMonitor = z.output<typeof updateSearchMonitorSchema>;
/** A batch of search monitors to change. */
export type BatchSearchMonitors = z.output<typeof batchSearchMonitorsSchema>;
/** A search monitor as the wire shows it. */
export type SearchMonitorWire = z.output<typeof searchMonitorSchema>;
/** A run as the wire shows it. */
export type SearchMonitorRunWire = z.output<typeof searchMonitorRunSchema>;
