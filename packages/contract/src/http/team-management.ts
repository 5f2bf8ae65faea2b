import { z } from "zod";
import { absentable, instant, timestampSchema } from "./values.ts";

const fields = {
  name: absentable(z.string().trim().min(1).max(100)),
  rateLimit: absentable(z.number().positive().max(1e6)).describe("Requests per second."),
  budgetCents: absentable(z.int().min(0).max(1e11)).describe("What the key may spend in all."),
};

/** `POST /team-management/api-keys`. */
export const createTeamKeySchema = z.strictObject(fields);

/** `PUT /team-management/api-keys/{id}`: a field left out stays, null takes the limit away. */
export const updateTeamKeySchema = z.strictObject({
  name: z.string().trim().min(1).max(100).nullish(),
  rateLimit: z.number().positive().max(1e6).nullish(),
  budgetCents: z.int().min(0).max(1e11).nullish(),
});

/** A key as Exa's team management shows it. */
export const teamKeySchema = z
  .object({
    id: z.string(),
    name: z.string(),
    rateLimit: z.number().nullable(),
    budgetCents: z.number().nullable(),
    isOverBudget: z.boolean(),
    teamId: z.string(),
    userId: z.null().describe("Keys belong to the team; there are no users."),
    createdAt: timestampSchema,
    updatedAt: timestampSchema.optional(),
    key: z.string().optional().describe("The secret; only in the reply that makes it."),
  })
  .meta({ id: "TeamApiKey" });

/** `GET /team-management/api-keys/{id}/usage`. */
export const teamKeyUsageQuerySchema = z.object({
  start_date: instant().optional().describe("30 days ago when left out; at most 180 days back."),
  end_date: instant().optional().describe("Now when left out."),
  group_by: z.enum(["hour", "day", "month"]).optional().describe("Accepted; the breakdown is by endpoint."),
});

/** Reply of `GET /team-management/api-keys/{id}/usage`. */
export const teamKeyUsageSchema = z.object({
  id: z.string(),
  api_key_id: z.string(),
  api_key_name: z.string(),
  team_id: z.string(),
  period: z.object({ start: timestampSchema, end: timestampSchema }),
  total_cost_usd: z.number(),
  cost_breakdown: z.array(
    z.object({ price_id: z.string(), price_name: z.string(), quantity: z.int(), amount_usd: z.number() }),
  ),
  metadata: z.object({ generated_at: timestampSchema }),
});
