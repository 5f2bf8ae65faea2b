import { z } from "zod";
import { scopeNames } from "../domain/scope.ts";
import { absentable, instant, timestampSchema } from "./values.ts";

/** A scope on the wire. */
export const scopeSchema = z.enum(scopeNames).meta({ id: "Scope" });

const nameSchema = z.string().trim().min(1).max(100).describe("What the key is for.");
const scopesSchema = z.array(scopeSchema).min(1).describe("What the key may do.");
const expiresAtSchema = instant().describe("When the key stops working.");
const budgetSchema = z.number().min(0).max(1e9).describe("Dollars the key may spend in all; then 402.");
const rateLimitSchema = z
  .number()
  .positive()
  .max(1e6)
  .describe("Most metered requests per second, below the server's own limits.");

/** A key as every reply shows it; its secret is not part of it. */
export const apiKeySchema = z
  .object({
    id: z.string(),
    object: z.literal("api_key"),
    name: z.string(),
    hint: z.string().describe("The last characters of the secret, to tell keys apart."),
    scopes: z.array(scopeSchema),
    status: z.enum(["active", "expired", "revoked"]),
    budgetDollars: z.number().nullable(),
    spentDollars: z.number(),
    rateLimitPerSecond: z.number().nullable(),
    createdAt: timestampSchema,
    lastUsedAt: timestampSchema.nullable().describe("To the minute."),
    expiresAt: timestampSchema.nullable(),
    revokedAt: timestampSchema.nullable(),
    previousSecretExpiresAt: timestampSchema.nullable().describe("Until when the secret before the rotation works."),
  })
  .meta({ id: "ApiKey" });

/** A key with its secret: shown once, when it is made or rotated. */
export const apiKeyWithSecretSchema = apiKeySchema
  .extend({ key: z.string().describe("The secret. Shown only now; keep it.") })
  .meta({ id: "ApiKeyWithSecret" });

/** `POST /quarry/v1/keys`. */
export const createKeySchema = z
  .strictObject({
    name: nameSchema,
    scopes: absentable(scopesSchema),
    expiresAt: absentable(expiresAtSchema),
    budgetDollars: absentable(budgetSchema),
    rateLimitPerSecond: absentable(rateLimitSchema),
  })
  .meta({ id: "CreateApiKey" });

/** `PATCH /quarry/v1/keys/{id}`: a field left out stays, null takes the limit away. */
export const updateKeySchema = z
  .strictObject({
    name: nameSchema.optional(),
    scopes: scopesSchema.optional(),
    expiresAt: expiresAtSchema.nullable().optional(),
    budgetDollars: budgetSchema.nullable().optional(),
    rateLimitPerSecond: rateLimitSchema.nullable().optional(),
  })
  .meta({ id: "UpdateApiKey" });

/** The longest time an old secret may go on working after a rotation. */
export const MAX_ROTATION_GRACE_SECONDS = 30 * 24 * 3600;

/** `POST /quarry/v1/keys/{id}/rotate`. */
export const rotateKeySchema = z
  .strictObject({
    graceSeconds: absentable(z.int().min(0).max(MAX_ROTATION_GRACE_SECONDS)).describe(
      "How long the old secret goes on working; 0, the default, ends it at once.",
    ),
  })
  .meta({ id: "RotateApiKey" });

/** A key on the wire. */
export type ApiKeyReply = z.output<typeof apiKeySchema>;
