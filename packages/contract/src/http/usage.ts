import { z } from "zod";
import { instant, queryList, timestampSchema } from "./values.ts";

/** What usage can be grouped by; at most one of the times. */
export const usageGroups = ["hour", "day", "month", "key", "endpoint"] as const;

/** One way to group usage. */
export type UsageGroup = (typeof usageGroups)[number];

/** `GET /quarry/v1/usage`. */
export const usageQuerySchema = z.object({
  from: instant().optional().describe("From this instant on; 30 days ago when left out."),
  to: instant().optional().describe("Up to, not with, this instant; now when left out."),
  groupBy: queryList(z.enum(usageGroups))
    .refine((groups) => groups.filter((group) => group !== "key" && group !== "endpoint").length <= 1, {
      error: "expected at most one of hour, day, month",
    })
    .default(["day"])
    .describe("One or more, repeated or with commas; at most one of hour, day, month."),
  format: z.enum(["json", "csv"]).default("json").describe("csv gives one line per group, with a heading."),
});

/** The use made of the API by one group. */
export const usageRowSchema = z
  .object({
    periodStart: timestampSchema.optional().describe("Start of the hour, day or month, UTC; when grouped by one."),
    keyId: z.string().nullable().optional().describe("When grouped by key; null for calls that needed none."),
    keyName: z.string().nullable().optional(),
    endpoint: z.string().optional().describe("Method and path pattern; when grouped by endpoint."),
    requests: z.int(),
    errors: z.int().describe("Those answered with a status of 400 or more."),
    tokens: z.int(),
    costDollars: z.number(),
    latencyMs: z.object({ average: z.number(), p50: z.number(), p95: z.number(), max: z.number() }),
  })
  .meta({ id: "UsageRow" });

/** Reply of `GET /quarry/v1/usage`. */
export const usageReplySchema = z
  .object({
    from: timestampSchema,
    to: timestampSchema,
    groupBy: z.array(z.enum(usageGroups)),
    data: z.array(usageRowSchema),
    total: z.object({ requests: z.int(), errors: z.int(), tokens: z.int(), costDollars: z.number() }),
  })
  .meta({ id: "Usage" });
