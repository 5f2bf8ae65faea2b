import { z } from "zod";

/** Reply of `GET /quarry/v1/retention`. */
export const retentionSchema = z
  .object({
    policy: z.object({
      versions: z.int().describe("Newest versions of a document that are kept whatever their age."),
      versionDays: z.int().describe("Days for which older versions are kept, too."),
      usageDays: z.int().describe("Days for which usage records are kept."),
    }),
    wouldRemove: z
      .object({
        versions: z.int(),
        texts: z.int(),
        snapshots: z.int(),
        snapshotBytes: z.number().describe("Of the snapshots, before compression."),
        usageRecords: z.int(),
      })
      .describe("What a run would remove now. What anything refers to stays."),
    nextRunAt: z.string().nullable(),
  })
  .meta({ id: "Retention" });

/** Reply of `POST /quarry/v1/retention/run`. */
export const retentionRunSchema = z
  .object({ jobId: z.string().describe("The job that applies the policy.") })
  .meta({ id: "RetentionRun" });
