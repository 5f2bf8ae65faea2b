import { AppError, decodeCursor } from "@quarry/base";
import {
  apiKeySchema,
  apiKeyWithSecretSchema,
  createKeySchema,
  hasScope,
  pageOf,
  pagingQuery,
  queryBoolean,
  rotateKeySchema,
  updateKeySchema,
  type ApiKeyReply,
  type Caller,
  type Scope,
} from "@quarry/contract";
import { createKey, getKey, listKeys, revokeKey, rotateKey, statusOfKey, updateKey, type ApiKey } from "@quarry/store";
import { z } from "zod";
import { defineRoute, type Route } from "../route.ts";
import type { IdentityDeps } from "./identity-deps.ts";

/** What a key may do unless its maker says otherwise: what a key of Exa can do. */
export const DEFAULT_KEY_SCOPES: readonly Scope[] = ["search", "research", "websets"];

const params = z.object({ id: z.string().describe("The key's id.") });
const shared = { tag: "Keys", access: "admin" } as const;

/** The team's keys: list, make, read, change, rotate, revoke. */
export function keyRoutes(deps: IdentityDeps): readonly Route[] {
  const now = (): Date => deps.clock.now();
  return [
    defineRoute({
      ...shared,
      name: "listKeys",
      method: "GET",
      path: "/quarry/v1/keys",
      summary: "List the team's keys, newest first",
      query: z.object(pagingQuery({ max: 100, default: 25 })),
      response: pageOf(apiKeySchema),
      handle: async ({ query }, { caller }) => {
        const [before] = query.cursor === undefined ? [] : decodeCursor(query.cursor, 1);
        const page = await listKeys(deps.db, caller.teamId, { before, limit: query.limit });
        return { ...page, data: page.data.map((key) => toReply(key, now())) };
      },
    }),
    defineRoute({
      ...shared,
      name: "createKey",
      method: "POST",
      path: "/quarry/v1/keys",
      summary: "Make a key",
      description: "The secret is in this reply and nowhere else. Scopes may not go beyond those of the calling key.",
      status: 201,
      creates: "secret",
      body: createKeySchema,
      response: apiKeyWithSecretSchema,
      handle: async ({ body }, { caller, newId }) => {
        const scopes = body.scopes ?? DEFAULT_KEY_SCOPES;
        requireCover(caller, scopes);
        const made = await createKey(deps.db, caller.teamId, { ...body, id: newId("apikey"), scopes }, now());
        deps.forgetCredentials();
        return { ...toReply(made.key, now()), key: made.secret };
      },
    }),
    defineRoute({
      ...shared,
      name: "getKey",
      method: "GET",
      path: "/quarry/v1/keys/:id",
      summary: "Read a key",
      params,
      response: apiKeySchema,
      handle: async (input, { caller }) => toReply(await getKey(deps.db, caller.teamId, input.params.id), now()),
    }),
    defineRoute({
      ...shared,
      name: "updateKey",
      method: "PATCH",
      path: "/quarry/v1/keys/:id",
      summary: "Change a key's name, scopes, expiry, budget or rate",
      description: "A field left out stays as it is; null takes a limit away.",
      params,
      body: updateKeySchema,
      response: apiKeySchema,
      handle: async ({ params: { id }, body }, { caller }) => {
        requireCover(caller, body.scopes ?? []);
        requireCover(caller, (await getKey(deps.db, caller.teamId, id)).scopes);
        const key = await updateKey(deps.db, caller.teamId, id, body, now());
        deps.forgetCredentials();
        return toReply(key, now());
      },
    }),
    defineRoute({
      ...shared,
      name: "rotateKey",
      method: "POST",
      path: "/quarry/v1/keys/:id/rotate",
      summary: "Give a key a new secret",
      description: "The new secret is in this reply and nowhere else. The old one works on for `graceSeconds`.",
      creates: "secret",
      params,
      body: rotateKeySchema,
      response: apiKeyWithSecretSchema,
      handle: async ({ params: { id }, body }, { caller }) => {
        requireCover(caller, (await getKey(deps.db, caller.teamId, id)).scopes);
        const graceMs = (body.graceSeconds ?? 0) * 1000;
        const rotated = await rotateKey(deps.db, caller.teamId, id, { graceMs, now: now() });
        deps.forgetCredentials();
        return { ...toReply(rotated.key, now()), key: rotated.secret };
      },
    }),
    defineRoute({
      ...shared,
      name: "revokeKey",
      method: "DELETE",
      path: "/quarry/v1/keys/:id",
      summary: "Revoke a key",
      description: "It stops working at once, with the browser sessions that stand on it. The key stays in the list.",
      params,
      query: z.object({
        force: queryBoolean().default(false).describe("Also when no other key could manage keys then."),
      }),
      response: apiKeySchema,
      handle: async ({ params: { id }, query }, { caller }) => {
        const key = await revokeKey(deps.db, caller.teamId, id, { now: now(), evenIfLast: query.force });
        deps.forgetCredentials();
        return toReply(key, now());
      },
    }),
  ];
}

/** Throws unless the caller holds every scope: nobody hands out, or takes over, more than they have. */
export function requireCover(caller: Caller, scopes: readonly Scope[]): void {
  const missing = scopes.filter((scope) => !hasScope(caller.scopes, scope));
  if (missing.length === 0) return;
  throw new AppError("forbidden", `a key cannot manage scopes it lacks itself: ${missing.join(", ")}`, {
    details: { tag: "INSUFFICIENT_SCOPE" },
  });
}

function toReply(key: ApiKey, now: Date): ApiKeyReply {
  return {
    id: key.id,
    object: "api_key",
    name: key.name,
    hint: key.hint,
    scopes: [...key.scopes],
    status: statusOfKey(key, now),
    budgetDollars: key.budgetDollars,
    spentDollars: key.spentDollars,
    rateLimitPerSecond: key.rateLimitPerSecond,
    createdAt: key.createdAt.toISOString(),
    lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
    expiresAt: key.expiresAt?.toISOString() ?? null,
    revokedAt: key.revokedAt?.toISOString() ?? null,
    previousSecretExpiresAt: key.previousSecretExpiresAt?.toISOString() ?? null,
  };
}
