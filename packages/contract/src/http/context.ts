import { z } from "zod";
import { costDollarsSchema } from "./search-result.ts";
import { absentable, questionText } from "./values.ts";

/** `POST /context`. */
export const contextSchema = z
  .object({
    query: questionText(2_000).describe("What the context is for."),
    tokensNum: absentable(z.union([z.literal("dynamic"), z.int().min(50).max(100_000)])).describe(
      "How long the context may be, in tokens; dynamic unless told.",
    ),
  })
  .meta({ id: "ContextRequest" });

/** Reply of `POST /context`. */
export const contextReplySchema = z
  .object({
    requestId: z.string(),
    query: z.string(),
    response: z.string().describe("Markdown: passages of pages, each under its page's title and address."),
    resultsCount: z.int(),
    costDollars: costDollarsSchema,
    searchTime: z.number(),
    outputTokens: z.int(),
  })
  .meta({ id: "ContextReply" });
