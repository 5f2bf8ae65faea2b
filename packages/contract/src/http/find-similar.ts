import { z } from "zod";
import { resultFilterShape, searchReplySchema } from "./search.ts";

/** `POST /findSimilar`. */
export const findSimilarSchema = z
  .object({
    url: z.string().min(3).max(2_048).describe("The page to find others like; fetched when it is not stored."),
    excludeSourceDomain: z
      .boolean()
      .nullish()
      .transform((value) => value ?? false)
      .describe("Leave out pages of the same domain."),
    ...resultFilterShape,
  })
  .meta({ id: "FindSimilar", examples: [{ url: "https://example.com/article", numResults: 5 }] });

/** Reply of `POST /findSimilar`: a search's, without output. */
export const findSimilarReplySchema = searchReplySchema
  .omit({ output: true, autoDate: true })
  .meta({ id: "FindSimilarReply" });

/** A checked `POST /findSimilar`. */
export type FindSimilarBody = z.output<typeof findSimilarSchema>;
/** A reply of `POST /findSimilar`. */
export type FindSimilarReplyBody = z.input<typeof findSimilarReplySchema>;
