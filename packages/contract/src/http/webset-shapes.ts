import { z } from "zod";
import { importSchema } from "./imports.ts";
import { timestampSchema } from "./values.ts";
import { websetEntitySchema } from "./webset-entity.ts";
import { itemPropertiesSchema, websetItemSchema } from "./webset-items.ts";
import { ENRICHMENT_FORMATS, websetCapsSchema, websetSourceSchema } from "./websets.ts";

const optionsSchema = z.array(z.object({ label: z.string() })).nullable();

/** A search of a webset. */
export const websetSearchSchema = z
  .object({
    id: z.string(),
    object: z.literal("webset_search"),
    websetId: z.string(),
    status: z.enum(["created", "pending", "running", "completed", "canceled"]),
    query: z.string(),
    entity: websetEntitySchema.nullable(),
    criteria: z.array(z.object({ description: z.string(), successRate: z.number().min(0).max(100) })),
    count: z.int(),
    behavior: z.enum(["override", "append"]),
    exclude: z.array(websetSourceSchema),
    scope: z.array(
      z.object({
        ...websetSourceSchema.shape,
        relationship: z.object({ definition: z.string(), limit: z.int() }).optional(),
      }),
    ),
    maxPeoplePerCompany: z.int().nullable(),
    metadata: z.record(z.string(), z.string()),
    progress: z.object({
      found: z.int(),
      analyzed: z.int(),
      completion: z.number().min(0).max(100),
      timeLeft: z.number().nullable().describe("Seconds; null while it cannot be told."),
    }),
    recall: z
      .object({
        expected: z.object({
          total: z.number(),
          confidence: z.enum(["high", "medium", "low"]),
          bounds: z.object({ min: z.number(), max: z.number() }),
        }),
        reasoning: z.string(),
      })
      .nullable(),
    canceledAt: timestampSchema.nullable(),
    canceledReason: z.enum(["webset_deleted", "webset_canceled"]).nullable(),
    createdAt: timestampSchema,
    updatedAt: timestampSchema,
  })
  .meta({ id: "WebsetSearch" });

/** An enrichment of a webset. */
export const websetEnrichmentSchema = z
  .object({
    id: z.string(),
    object: z.literal("webset_enrichment"),
    websetId: z.string(),
    status: z.enum(["pending", "completed", "canceled"]),
    title: z.string().nullable(),
    description: z.string(),
    format: z.enum(ENRICHMENT_FORMATS),
    options: optionsSchema,
    instructions: z.string().nullable(),
    metadata: z.record(z.string(), z.string()),
    createdAt: timestampSchema,
    updatedAt: timestampSchema,
  })
  .meta({ id: "WebsetEnrichment" });

/** A webset. */
export const websetSchema = z
  .object({
    id: z.string(),
    object: z.literal("webset"),
    status: z.enum(["idle", "pending", "running", "paused"]),
    externalId: z.string().nullable(),
    title: z.string().nullable(),
    searches: z.array(websetSearchSchema),
    imports: z.array(importSchema),
    enrichments: z.array(websetEnrichmentSchema),
    monitors: z.array(z.looseObject({ id: z.string(), object: z.literal("monitor") })),
    excludes: z.array(websetSourceSchema),
    metadata: z.record(z.string(), z.string()),
    dashboardUrl: z.url(),
    createdAt: timestampSchema,
    updatedAt: timestampSchema,
    items: z.array(websetItemSchema).optional().describe("With expand=items."),
  })
  .meta({ id: "Webset" });

/** What a preview answers. */
export const previewReplySchema = z
  .object({
    search: z.object({ entity: websetEntitySchema, criteria: z.array(z.object({ description: z.string() })) }),
    enrichments: z.array(
      z.object({
        description: z.string(),
        format: z.enum(ENRICHMENT_FORMATS),
        options: z.array(z.object({ label: z.string() })).optional(),
      }),
    ),
    items: z.array(z.object({ id: z.string(), properties: itemPropertiesSchema, createdAt: timestampSchema })),
  })
  .meta({ id: "WebsetPreview" });

/** What a run would take at most, before it is begun. */
export const websetEstimateSchema = z
  .object({
    items: z.int().describe("Items at most."),
    candidates: z.int().describe("Entities that are judged at most."),
    pages: z.int().describe("Pages that are read at most."),
    tokens: z.int().describe("Tokens of a language model at most; 0 without one."),
    costDollars: z.number().describe("Money at most, by the server's price list."),
    verdicts: z.int(),
    cells: z.int(),
    caps: websetCapsSchema.describe("The caps given, which hold whatever is estimated."),
    withinCaps: z.boolean(),
  })
  .meta({ id: "WebsetEstimate" });

/** What a webset waits for. */
export const websetExplanationSchema = z
  .object({
    id: z.string(),
    status: z.enum(["idle", "pending", "running", "paused"]),
    summary: z.string().describe("In one sentence."),
    waitingFor: z.array(
      z.object({
        kind: z.enum(["search", "enrichment", "import", "monitor_run", "resume", "caps", "failed"]),
        id: z.string().nullable(),
        text: z.string(),
      }),
    ),
    counts: z.object({
      items: z.int(),
      openCandidates: z.int(),
      openCells: z.int(),
      queuedJobs: z.int(),
      runningJobs: z.int(),
      failingJobs: z.int(),
    }),
    spent: z.object({ pages: z.int(), tokens: z.int(), costDollars: z.number() }),
    turnedDown: z
      .array(
        z.object({
          name: z.string(),
          url: z.string(),
          searchId: z.string(),
          criterion: z.string().describe("The first criterion that it did not meet; it was not judged by later ones."),
          satisfied: z.enum(["no", "unclear"]),
          reasoning: z.string(),
        }),
      )
      .describe("Candidates that did not meet a criterion, the latest first, 50 at most."),
  })
  .meta({ id: "WebsetExplanation" });

/** `GET /websets/v0/teams/me`. */
export const websetTeamSchema = z
  .object({
    object: z.literal("team"),
    id: z.string(),
    name: z.string(),
    concurrency: z.object({ active: z.int(), queued: z.int() }),
    limits: z.object({ maxConcurrent: z.int().nullable(), maxQueued: z.int().nullable() }),
  })
  .meta({ id: "WebsetTeam" });

/** A webset as the wire shows it. */
export type WebsetWire = z.output<typeof websetSchema>;
/** A search as the wire shows it. */
export type WebsetSearchWire = z.output<typeof websetSearchSchema>;
/** An enrichment as the wire shows it. */
export type WebsetEnrichmentWire = z.output<typeof websetEnrichmentSchema>;
/** A preview as the wire shows it. */
export type WebsetPreviewWire = z.output<typeof previewReplySchema>;
/** An estimate as the wire shows it. */
export type WebsetEstimateWire = z.output<typeof websetEstimateSchema>;
/** An explanation as the wire shows it. */
export type WebsetExplanationWire = z.output<typeof websetExplanationSchema>;
