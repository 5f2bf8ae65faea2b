import { z } from "zod";
import { queryInteger } from "./values.ts";

/** The query of a list: where to go on, and how many at most. */
export function pagingQuery(limit: { readonly max: number; readonly default: number }) {
  return {
    cursor: z.string().min(1).optional().describe("nextCursor of the page before, unchanged."),
    limit: queryInteger({ min: 1, max: limit.max })
      .default(limit.default)
      .describe(`How many at most, 1 to ${limit.max}.`),
  };
}

/** One page of a list as every list of the wire shows it. */
export function pageOf<T extends z.ZodType>(item: T) {
  return z.object({
    data: z.array(item),
    hasMore: z.boolean(),
    nextCursor: z.string().nullable(),
  });
}
