import { z } from "zod";
import { pageOf, pagingQuery } from "./paging.ts";
import { absentable, timestampSchema } from "./values.ts";
import { metadataSchema } from "./webset-entity.ts";

/** The token that every call about batches names in `Exa-Beta`. */
export const BATCHES_BETA = "batches-2026-06-06";

/** Requests of one batch. */
export const MAX_BATCH_REQUESTS = 10_000;

const batchRequestSchema = z.object({
  customId: z.string().min(1).max(500).describe("Your name for the request; each once in a batch."),
  method: z.literal("POST"),
  url: z.enum(["/search", "/agent/runs"]),
  body: z.record(z.string(), z.unknown()).describe("What you would send to that url."),
});

/** `POST /batches`. */
export const createBatchSchema = z
  .object({
    requests: z.array(batchRequestSchema).min(1).max(MAX_BATCH_REQUESTS).superRefine(refuseTwins),
    metadata: absentable(metadataSchema),
  })
  .meta({ id: "CreateBatch" });

/** `GET /batches`. */
export const listBatchesQuerySchema = z.object({
  ...pagingQuery({ max: 100, default: 20 }),
  status: z.literal("completed").optional().describe("Only completed ones, those that expire first at the top."),
});

/** A batch as the wire shows it. */
export const batchSchema = z
  .object({
    id: z.string(),
    object: z.literal("batch"),
    status: z.enum(["in_progress", "completed", "cancelling", "cancelled", "expired"]),
    requestCounts: z.object({ total: z.int(), completed: z.int(), failed: z.int() }),
    createdAt: timestampSchema,
    expiresAt: timestampSchema.nullable().describe("When the results are thrown away; null while the batch runs."),
    endedAt: timestampSchema.nullable(),
    resultsUrl: z
      .string()
      .nullable()
      .describe("One JSON line per request. Signed, needs no key, works for an hour; each reading gives a new one."),
    metadata: z.record(z.string(), z.string()).nullable(),
  })
  .meta({ id: "Batch" });

/** A page of batches. */
export const batchListSchema = pageOf(batchSchema).extend({ object: z.literal("list") });

/** A wish for a batch. */
export type CreateBatchBody = z.output<typeof createBatchSchema>;
/** A batch as the wire shows it. */
export type BatchWire = z.input<typeof batchSchema>;

function refuseTwins(requests: readonly { readonly customId: string }[], context: z.RefinementCtx): void {
  const seen = new Set<string>();
  for (const [index, { customId }] of requests.entries()) {
    if (seen.has(customId)) {
      const message = `${JSON.stringify(customId.slice(0, 100))} is there twice; give each request a customId of its own`;
      context.addIssue({ code: "custom", path: [index, "customId"], message });
      return;
    }
    seen.add(customId);
  }
}
