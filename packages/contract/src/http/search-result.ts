import { z } from "zod";
import { timestampSchema } from "./values.ts";

const richLinkSchema = z.object({ url: z.string(), anchor: z.string() });
const richImageLinkSchema = z.object({ url: z.string(), alt: z.string() });

/** Which provider named a page that was not in the index; and, with `quarry: {evidence: true}`, where quotes stand. */
const evidenceSchema = z.object({
  source: z.enum(["exa", "brave", "searxng"]).optional().describe("The search provider that named this page."),
  snapshotId: z
    .string()
    .nullable()
    .optional()
    .describe("See /quarry/v1/snapshots/{id}; null when the page may not be kept."),
  extractorVersion: z.string().optional(),
  highlights: z
    .array(z.object({ start: z.int(), end: z.int() }))
    .optional()
    .describe("UTF-16 offsets of each highlight in the extracted text."),
});

const resultShape = {
  id: z.string(),
  url: z.string(),
  title: z.string(),
  publishedDate: timestampSchema.optional().describe("Absent when unknown."),
  author: z.string().nullable(),
  score: z.number().min(0).max(1).optional(),
  image: z.string().optional(),
  favicon: z.string().optional(),
  text: z.string().optional(),
  highlights: z.array(z.string()).optional().describe("Each stands word for word in the page's extracted text."),
  highlightScores: z.array(z.number()).optional(),
  summary: z.string().optional(),
  extras: z
    .object({
      links: z.array(z.string()).optional(),
      imageLinks: z.array(z.string()).optional(),
      richLinks: z.array(richLinkSchema).optional(),
      richImageLinks: z.array(richImageLinkSchema).optional(),
      codeBlocks: z.array(z.object({ text: z.string(), source: z.string() })).optional(),
    })
    .optional(),
  entities: z
    .array(
      z.object({
        id: z.string(),
        type: z.enum(["company", "person", "publication"]),
        version: z.int().min(1),
        properties: z.record(z.string(), z.unknown()),
      }),
    )
    .optional()
    .describe("With category company, people or publication, where the page says it."),
  snapshotAt: timestampSchema.optional().describe("With snapshotAsOf: when that copy was stored."),
  quarry: evidenceSchema.optional(),
} as const;

const subpageSchema = z.object(resultShape).meta({ id: "Subpage" });

/** One result of a search, or one page of `/contents`. Content keys that were not asked for are absent. */
export const resultSchema = z
  .object({ ...resultShape, subpages: z.array(subpageSchema).optional() })
  .meta({ id: "Result" });

/** What a request cost; nothing, unless the operator set prices. */
export const costDollarsSchema = z
  .object({
    total: z.number(),
    search: z.object({ neural: z.number().optional(), keyword: z.number().optional() }).optional(),
    contents: z
      .object({ text: z.number().optional(), highlights: z.number().optional(), summary: z.number().optional() })
      .optional(),
  })
  .meta({ id: "CostDollars" });

/** Something worth knowing about a reply that is not an error. */
export const warningSchema = z
  .object({ code: z.string(), message: z.string().describe("What it is, and what to do.") })
  .meta({ id: "Warning" });

const citationSchema = z.object({ url: z.string(), title: z.string() });

/** Which pages each field of an output rests on. */
export const groundingSchema = z.object({
  field: z.string().describe("A path such as content or companies[0].name."),
  citations: z.array(citationSchema),
  confidence: z.enum(["low", "medium", "high"]),
});

/** What an outputSchema asked for. */
export const outputSchema = z
  .object({
    content: z.union([z.string(), z.record(z.string(), z.unknown())]),
    grounding: z.array(groundingSchema),
  })
  .meta({ id: "SearchOutput" });

/** One result as the wire shows it. */
export type SearchResult = z.input<typeof resultSchema>;
/** Which pages a field rests on. */
export type Grounding = z.input<typeof groundingSchema>;
/** What an outputSchema asked for. */
export type SearchOutput = z.input<typeof outputSchema>;
/** A remark beside a reply. */
export type Warning = z.input<typeof warningSchema>;
