import { AppError } from "@quarry/base";
import {
  createTeamKeySchema,
  MAX_ROTATION_GRACE_SECONDS,
  rotateKeySchema,
  teamKeySchema,
  teamKeyUsageQuerySchema,
  teamKeyUsageSchema,
  updateTeamKeySchema,
} from "@quarry/contract";
import {
  createKey,
  getKey,
  listKeys,
  readUsage,
  revokeKey,
  revokePreviousSecret,
  rotateKey,
  updateKey,
  type ApiKey,
} from "@quarry/store";
import { z } from "zod";
import { defineRoute, type Route } from "../route.ts";
import type { UsageRecorder } from "../usage-recorder.ts";
import type { IdentityDeps } from "./identity-deps.ts";
import { DEFAULT_KEY_SCOPES, requireCover } from "./keys.ts";

const MAX_KEYS = 1_000;
const DAY_MS = 24 * 3_600_000;
const DEFAULT_PERIOD_DAYS = 30;
const MAX_PERIOD_DAYS = 180;

const params = z.object({ id: z.string().describe("The key's id.") });
const oneKey = z.object({ apiKey: teamKeySchema });
const shared = { tag: "Team management", access: "admin" } as const;

/** Exa's team management, over the same keys as /quarry/v1/keys. */
export function teamManagementRoutes(
  deps: IdentityDeps & { readonly recorder: Pick<UsageRecorder, "flush"> },
): readonly Route[] {
  const now = (): Date => deps.clock.now();
  return [
    defineRoute({
      ...shared,
      name: "createTeamApiKey",
      method: "POST",
      path: "/team-management/api-keys",
      summary: "Make a key",
      description: "The secret is in this reply and nowhere else.",
      creates: "secret",
      body: createTeamKeySchema,
      response: oneKey,
      handle: async ({ body }, { caller, newId }) => {
        requireCover(caller, DEFAULT_KEY_SCOPES);
        const wanted = {
          id: newId("apikey"),
          name: body.name ?? "API key",
          scopes: DEFAULT_KEY_SCOPES,
          rateLimitPerSecond: body.rateLimit,
          budgetDollars: body.budgetCents === undefined ? undefined : body.budgetCents / 100,
        };
        const made = await createKey(deps.db, caller.teamId, wanted, now());
        deps.forgetCredentials();
        return { apiKey: { ...toReply(made.key), key: made.secret } };
      },
    }),
    defineRoute({
      ...shared,
      name: "listTeamApiKeys",
      method: "GET",
      path: "/team-management/api-keys",
      summary: "List the team's keys that work, or read one",
      query: z.object({ api_key_id: z.string().optional().describe("Only this key.") }),
      response: z.union([z.object({ apiKeys: z.array(teamKeySchema) }), oneKey]),
      handle: async ({ query }, { caller }) => {
        if (query.api_key_id !== undefined) {
          return { apiKey: toReply(await getKey(deps.db, caller.teamId, query.api_key_id)) };
        }
        const page = await listKeys(deps.db, caller.teamId, { limit: MAX_KEYS });
        return { apiKeys: page.data.filter((key) => key.revokedAt === null).map(toReply) };
      },
    }),
    defineRoute({
      ...shared,
      name: "getTeamApiKey",
      method: "GET",
      path: "/team-management/api-keys/:id",
      summary: "Read a key",
      params,
      response: oneKey,
      handle: async (input, { caller }) => ({
        apiKey: toReply(await getKey(deps.db, caller.teamId, input.params.id)),
      }),
    }),
    defineRoute({
      ...shared,
      name: "updateTeamApiKey",
      method: "PUT",
      path: "/team-management/api-keys/:id",
      summary: "Change a key's name, rate or budget",
      params,
      body: updateTeamKeySchema,
      response: oneKey,
      handle: async ({ params: { id }, body }, { caller }) => {
        requireCover(caller, (await getKey(deps.db, caller.teamId, id)).scopes);
        const change = {
          name: body.name ?? undefined,
          rateLimitPerSecond: body.rateLimit,
          budgetDollars: body.budgetCents == null ? body.budgetCents : body.budgetCents / 100,
        };
        const key = await updateKey(deps.db, caller.teamId, id, change, now());
        deps.forgetCredentials();
        return { apiKey: { ...toReply(key), updatedAt: key.updatedAt.toISOString() } };
      },
    }),
    defineRoute({
      ...shared,
      name: "deleteTeamApiKey",
      method: "DELETE",
      path: "/team-management/api-keys/:id",
      summary: "Revoke a key",
      params,
      response: z.object({ success: z.literal(true) }),
      handle: async (input, { caller }) => {
        await revokeKey(deps.db, caller.teamId, input.params.id, { now: now(), evenIfLast: false });
        deps.forgetCredentials();
        return { success: true as const };
      },
    }),
    defineRoute({
      ...shared,
      name: "rotateTeamApiKey",
      method: "POST",
      path: "/team-management/api-keys/:id/rotate",
      summary: "Give a key a new secret",
      creates: "secret",
      params,
      body: rotateKeySchema,
      response: oneKey,
      handle: async ({ params: { id }, body }, { caller }) => {
        requireCover(caller, (await getKey(deps.db, caller.teamId, id)).scopes);
        // The old secret works on until it is revoked: a service can take the new one over in its own time.
        const graceMs = (body.graceSeconds ?? MAX_ROTATION_GRACE_SECONDS) * 1000;
        const rotated = await rotateKey(deps.db, caller.teamId, id, { graceMs, now: now() });
        deps.forgetCredentials();
        return { apiKey: { ...toReply(rotated.key), key: rotated.secret } };
      },
    }),
    defineRoute({
      ...shared,
      name: "revokePreviousTeamApiKeySecret",
      method: "POST",
      path: "/team-management/api-keys/:id/revoke-previous-secret",
      summary: "End the secret before the last rotation",
      params,
      response: oneKey,
      handle: async (input, { caller }) => {
        const key = await revokePreviousSecret(deps.db, caller.teamId, input.params.id, now());
        deps.forgetCredentials();
        return { apiKey: toReply(key) };
      },
    }),
    defineRoute({
      ...shared,
      name: "getTeamApiKeyUsage",
      method: "GET",
      path: "/team-management/api-keys/:id/usage",
      summary: "Sum up one key's cost by endpoint",
      params,
      query: teamKeyUsageQuerySchema,
      response: teamKeyUsageSchema,
      handle: async ({ params: { id }, query }, { caller, newId }) => {
        const key = await getKey(deps.db, caller.teamId, id);
        const to = query.end_date ?? now();
        const from = query.start_date ?? new Date(to.getTime() - DEFAULT_PERIOD_DAYS * DAY_MS);
        if (from >= to || now().getTime() - from.getTime() > MAX_PERIOD_DAYS * DAY_MS) {
          throw new AppError(
            "invalid_request",
            `start_date: expected an instant before end_date and at most ${MAX_PERIOD_DAYS} days ago`,
          );
        }
        await deps.recorder.flush();
        const rows = await readUsage(deps.db, { teamId: caller.teamId, keyId: id, from, to, groupBy: ["endpoint"] });
        return {
          id: newId("usage"),
          api_key_id: key.id,
          api_key_name: key.name,
          team_id: key.teamId,
          period: { start: from.toISOString(), end: to.toISOString() },
          total_cost_usd: rows.reduce((total, row) => total + row.costDollars, 0),
          cost_breakdown: rows.map((row) => ({
            price_id: row.endpoint ?? "",
            price_name: row.endpoint ?? "",
            quantity: row.requests,
            amount_usd: row.costDollars,
          })),
          metadata: { generated_at: now().toISOString() },
        };
      },
    }),
  ];
}

function toReply(key: ApiKey): z.input<typeof teamKeySchema> {
  return {
    id: key.id,
    name: key.name,
    rateLimit: key.rateLimitPerSecond,
    budgetCents: key.budgetDollars === null ? null : Math.round(key.budgetDollars * 100),
    isOverBudget: key.budgetDollars !== null && key.spentDollars >= key.budgetDollars,
    teamId: key.teamId,
    userId: null,
    createdAt: key.createdAt.toISOString(),
  };
}
