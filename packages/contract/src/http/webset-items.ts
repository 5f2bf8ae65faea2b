import { z } from "zod";
import { timestampSchema } from "./values.ts";
import { ENRICHMENT_FORMATS } from "./websets.ts";

const text = z.string().nullable();

const referenceSchema = z.object({ url: z.string(), title: text, snippet: text });

/** Where a quote stands, beside Exa's fields. */
const placedReferenceSchema = z.object({
  ...referenceSchema.shape,
  quarry: z
    .object({
      snapshotId: text.describe("Read it at /quarry/v1/snapshots/{id}."),
      start: z.int().describe("UTF-16 offset into the snapshot's text."),
      end: z.int(),
    })
    .optional(),
});

const datesSchema = z.object({ from: text, to: text }).nullable();
const namedSchema = z.object({ id: text, name: z.string(), linkedinUrl: text });

const companySchema = z.object({
  name: z.string(),
  location: text,
  employees: z.number().nullable(),
  industry: text,
  about: text,
  logoUrl: text,
  foundedYear: z.number().nullable(),
  headquarters: z
    .object({ address: text, city: text, state: text, postalCode: text, country: text, countryCode: text })
    .nullable(),
  financials: z
    .object({
      revenueAnnual: z.number().nullable(),
      fundingTotal: z.number().nullable(),
      fundingLatestRound: z.object({ name: text, date: text, amount: z.number().nullable() }).nullable(),
    })
    .nullable(),
  webTraffic: z.object({ visitsMonthly: z.number().nullable(), uniqueVisitors: z.number().nullable() }).nullable(),
});

const personSchema = z.object({
  name: z.string(),
  location: text,
  position: text,
  company: z.object({ name: z.string(), location: text }).nullable(),
  pictureUrl: text,
  workHistory: z.array(z.object({ title: text, location: text, dates: datesSchema, company: namedSchema.nullable() })),
  educationHistory: z.array(z.object({ degree: text, dates: datesSchema, institution: namedSchema })),
});

const workSchema = z.object({ author: text, publishedAt: text, title: text });
const common = { url: z.string(), description: z.string() };
/** Left out where a list does not carry it. */
const content = text.optional().describe("The text of the page; not in lists of /quarry/v1.");

/** What an item is. */
export const itemPropertiesSchema = z
  .discriminatedUnion("type", [
    z.object({ type: z.literal("company"), ...common, content, company: companySchema }),
    z.object({ type: z.literal("person"), ...common, person: personSchema }),
    z.object({ type: z.literal("article"), ...common, content, article: workSchema }),
    z.object({ type: z.literal("research_paper"), ...common, content, researchPaper: workSchema }),
    z.object({ type: z.literal("custom"), ...common, content, custom: workSchema }),
  ])
  .meta({ id: "WebsetItemProperties" });

const satisfiedSchema = z.enum(["yes", "no", "unclear"]);
const humanSchema = z.object({ by: z.string(), note: text, at: timestampSchema });

const evaluationSchema = z.object({
  criterion: z.string(),
  satisfied: satisfiedSchema,
  reasoning: z.string(),
  references: z.array(placedReferenceSchema),
  quarry: z.object({ human: humanSchema }).optional().describe("Set when a person gave the verdict."),
});

/** One item's answer to one enrichment. */
export const enrichmentResultSchema = z
  .object({
    object: z.literal("enrichment_result"),
    enrichmentId: z.string(),
    status: z.enum(["pending", "completed", "canceled"]),
    format: z.enum(ENRICHMENT_FORMATS),
    result: z.array(z.string()).nullable(),
    reasoning: text,
    references: z.array(placedReferenceSchema),
    quarry: z.object({ human: humanSchema }).optional(),
  })
  .meta({ id: "EnrichmentResult" });

/** An item of a webset. */
export const websetItemSchema = z
  .object({
    id: z.string(),
    object: z.literal("webset_item"),
    source: z.enum(["search", "import"]),
    sourceId: z.string(),
    sourceEntityId: z.string().optional(),
    scopeId: z.string().optional(),
    websetId: z.string(),
    properties: itemPropertiesSchema,
    evaluations: z.array(evaluationSchema),
    enrichments: z.array(enrichmentResultSchema),
    createdAt: timestampSchema,
    updatedAt: timestampSchema,
  })
  .meta({ id: "WebsetItem" });

const cardFields = {
  id: z.string(),
  url: z.string(),
  name: z.string(),
  description: z.string(),
  evaluations: z.array(z.object({ criterion: z.string(), satisfied: satisfiedSchema })),
};

/** An item in a few hundred characters. */
export const itemCardSchema = z.strictObject(cardFields).meta({ id: "WebsetItemCard" });

/** An item with its answers and without what they rest on. */
export const itemAnswersSchema = z
  .strictObject({
    ...cardFields,
    enrichments: z.array(
      z.object({
        description: z.string(),
        format: z.enum(ENRICHMENT_FORMATS),
        result: z.array(z.string()).nullable(),
      }),
    ),
  })
  .meta({ id: "WebsetItemAnswers" });

/** A value that stood, or stands, in a verdict or a cell. */
export const pastValueSchema = z
  .object({
    value: z.union([z.string(), z.array(z.string()), z.null()]),
    reasoning: text,
    references: z.array(placedReferenceSchema),
    by: z.string().describe("quarry, or who gave it."),
    note: text,
    at: timestampSchema,
  })
  .meta({ id: "WebsetPastValue" });

/** One judging of a verdict, or one filling of a cell: how it went and what it took by the price list. */
export const cellAttemptSchema = z
  .object({
    round: z.number().describe("How often it had been begun anew by then."),
    tries: z.number().describe("How often the work was begun: a worker may have died, or a page been away."),
    outcome: z.enum(["filled", "empty", "given-up"]).describe("A verdict that is unclear is empty."),
    pages: z.number(),
    tokens: z.number(),
    costDollars: z.number(),
    at: z.string(),
  })
  .meta({ id: "WebsetCellAttempt" });

/** An item as the wire shows it. */
export type WebsetItemWire = z.output<typeof websetItemSchema>;
/** An item's card. */
export type ItemCard = z.output<typeof itemCardSchema>;
/** An item's answers. */
export type ItemAnswers = z.output<typeof itemAnswersSchema>;
/** One judging of a verdict, or one filling of a cell. */
export type CellAttempt = Readonly<z.output<typeof cellAttemptSchema>>;
/** A value of a verdict or a cell. */
export type PastValueWire = z.output<typeof pastValueSchema>;
