import { z } from "zod";
import { warningSchema } from "./search-result.ts";
import { resultFilterShape, searchSchema } from "./search.ts";
import { absentable } from "./values.ts";

const { query, type, additionalQueries } = searchSchema.shape;
const { numResults, category, includeDomains, excludeDomains } = resultFilterShape;
const { startPublishedDate, endPublishedDate, startCrawlDate, endCrawlDate } = resultFilterShape;
const { includeText, excludeText } = resultFilterShape;

/** `POST /quarry/v1/explain`: a search's own fields, and one page to ask about. */
export const explainSchema = z
  .object({
    query,
    type,
    additionalQueries,
    url: absentable(z.string().min(1).max(2_048)).describe("Only this page, wherever it ranks among the first 100."),
    numResults,
    category,
    includeDomains,
    excludeDomains,
    startPublishedDate,
    endPublishedDate,
    startCrawlDate,
    endCrawlDate,
    includeText,
    excludeText,
  })
  .meta({ id: "Explain", examples: [{ query: "how do embeddings work", type: "auto", numResults: 3 }] });

const fieldNumbers = z.record(z.string(), z.number());

/** Reply of `POST /quarry/v1/explain`. */
export const explainReplySchema = z
  .object({
    requestId: z.string(),
    query: z.string(),
    type: z.string().describe("The plan that was run."),
    results: z.array(
      z.object({
        rank: z.int(),
        url: z.string(),
        title: z.string().nullable(),
        score: z.number(),
        sentence: z.string().describe("Why it ranks there, in words."),
        placeByWords: z.int().nullable(),
        placeByMeaning: z.int().nullable(),
        parts: z
          .array(z.object({ name: z.string(), value: z.number(), points: z.number() }))
          .describe("What each part added to the score before it was brought to 0..1."),
        fields: fieldNumbers.nullable().describe("The share of each field in the score by words."),
        words: z.array(z.object({ token: z.string(), score: z.number(), weight: z.number(), counts: fieldNumbers })),
      }),
    ),
    timings: z.array(z.object({ stage: z.string(), ms: z.number() })),
    warnings: z.array(warningSchema),
  })
  .meta({ id: "ExplainReply" });

/** A checked `POST /quarry/v1/explain`. */
export type ExplainBody = z.output<typeof explainSchema>;
/** A reply of `POST /quarry/v1/explain`. */
export type ExplainReplyBody = z.input<typeof explainReplySchema>;
