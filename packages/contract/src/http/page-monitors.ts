import { z } from "zod";
import { pagingQuery } from "./paging.ts";
import { absentable, timestampSchema } from "./values.ts";

const everyMinutesSchema = z
  .int()
  .min(5)
  .max(30 * 24 * 60)
  .describe("How often the page is read, in minutes; a day unless given.");
const metadataSchema = z
  .record(z.string().max(100), z.string().max(1_000))
  .describe("Yours to set; values are strings.");

/** `POST /quarry/v1/page-monitors`. */
export const createPageMonitorSchema = z.object({
  url: z.string().min(1).max(2_000).describe("The page to watch."),
  everyMinutes: absentable(everyMinutesSchema),
  metadata: absentable(metadataSchema),
});

/** `PATCH /quarry/v1/page-monitors/{id}`. */
export const updatePageMonitorSchema = z.object({
  status: absentable(z.enum(["enabled", "disabled"])),
  everyMinutes: absentable(everyMinutesSchema),
  metadata: absentable(metadataSchema),
});

/** A page that is watched. */
export const pageMonitorSchema = z
  .object({
    id: z.string(),
    object: z.literal("page_monitor"),
    status: z.enum(["enabled", "disabled"]),
    url: z.string(),
    everyMinutes: z.int(),
    metadata: z.record(z.string(), z.string()),
    snapshotId: z.string().nullable().describe("The page as it was last read."),
    checks: z.int(),
    changes: z.int(),
    lastCheckedAt: timestampSchema.nullable(),
    lastChangedAt: timestampSchema.nullable(),
    error: z.string().nullable().describe("Why it could not be read the last time."),
    nextCheckAt: timestampSchema.nullable(),
    createdAt: timestampSchema,
    updatedAt: timestampSchema,
  })
  .meta({ id: "PageMonitor" });

/** How a page changed: `data` of the event page_monitor.changed. */
export const pageChangeSchema = pageMonitorSchema
  .extend({
    change: z.object({
      fromSnapshotId: z.string(),
      toSnapshotId: z.string(),
      added: z.int().describe("Lines."),
      removed: z.int().describe("Lines."),
      diff: z.string().describe("A unified diff of the texts, cut where it is very long."),
      isDiffCut: z.boolean(),
    }),
  })
  .meta({ id: "PageMonitorChange" });

/** A change as the list of them shows it. */
export const pageChangeEventSchema = z.object({
  id: z.string(),
  object: z.literal("event"),
  type: z.literal("page_monitor.changed"),
  data: pageChangeSchema,
  createdAt: timestampSchema,
});

/** The paging of lists of page monitors. */
export const listPageMonitorsQuerySchema = z.object(pagingQuery({ max: 200, default: 25 }));

/** A page monitor as the wire shows it. */
export type PageMonitorWire = z.output<typeof pageMonitorSchema>;
