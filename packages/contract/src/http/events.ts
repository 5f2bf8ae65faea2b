import { z } from "zod";
import { pagingQuery } from "./paging.ts";
import { instant, queryList, timestampSchema } from "./values.ts";

/** One entry of the team's event log. */
export const eventSchema = z
  .object({
    id: z.string(),
    object: z.literal("event"),
    type: z.string().describe("What happened, as resource and verb: api_key.revoked."),
    resource: z.object({ kind: z.string(), id: z.string() }),
    data: z.unknown().describe("The resource as it was at that moment."),
    createdAt: timestampSchema,
  })
  .meta({ id: "Event" });

/** `GET /quarry/v1/events`. */
export const eventsQuerySchema = z.object({
  ...pagingQuery({ max: 200, default: 25 }),
  types: queryList(z.string().min(1)).optional().describe("Only these types, repeated or with commas."),
  resourceKind: z.string().min(1).optional().describe("Only of this resource; with resourceId."),
  resourceId: z.string().min(1).optional(),
  createdAfter: instant().optional().describe("From this instant on."),
  createdBefore: instant().optional().describe("Up to and with this instant."),
});
