import { z } from "zod";
import { timestampSchema } from "./values.ts";

/** A query to judge: which pages are good for it. */
export const saveJudgedQuerySchema = z.object({
  query: z.string().trim().min(1).max(500),
  judgments: z
    .array(
      z.object({
        url: z.url({ protocol: /^https?$/ }).describe("A page that is a good result."),
        grade: z.int().min(1).max(3).default(1).describe("1: of use, 2: good, 3: what was asked for."),
      }),
    )
    .min(1)
    .max(100),
});

/** A judged query. */
export const judgedQuerySchema = z
  .object({
    id: z.string(),
    query: z.string(),
    judgments: z.array(z.object({ url: z.string(), grade: z.number() })),
    updatedAt: timestampSchema,
  })
  .meta({ id: "JudgedQuery" });

/** What a round of all judged queries measured. */
export const judgedRunSchema = z
  .object({
    ranAt: timestampSchema,
    queries: z.number().describe("How many were asked."),
    figures: z.array(
      z.object({
        type: z.string().describe("The way of searching."),
        ndcg: z.number().describe("Mean nDCG of the first ten results, 0 to 1."),
        mrr: z.number().describe("Mean of one by the place of the first good result, 0 to 1."),
      }),
    ),
  })
  .meta({ id: "JudgedRun" });
