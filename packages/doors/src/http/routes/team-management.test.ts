import { verifies } from "@quarry/tests";
import { expect } from "vitest";
import { useHttpApp } from "../../testing.ts";

const world = useHttpApp();
const KEYS = "/team-management/api-keys";

interface KeyReply {
  readonly apiKey: { readonly id: string; readonly key: string; readonly name: string };
}

async function makeTeamKey(body: object = { name: "service" }): Promise<KeyReply["apiKey"]> {
  const reply = await world().call("POST", KEYS, { body });
  expect(reply.statusCode).toBe(200);
  return reply.json<KeyReply>().apiKey;
}

verifies(
  ["team-management:create:fields", "team-management:create:secret-once"],
  "makes a key with a name, a rate and a budget, and shows its secret in that reply alone",
  async () => {
    const { call, teamId } = world();
    const { key: secret, ...shown } = await makeTeamKey({ name: "service", rateLimit: 5, budgetCents: 250 });
    expect(shown).toEqual({
      id: expect.stringMatching(/^apikey_/) as string,
      name: "service",
      rateLimit: 5,
      budgetCents: 250,
      isOverBudget: false,
      teamId,
      userId: null,
      createdAt: "2026-03-01T12:00:00.000Z",
    });
    expect((await call("GET", `${KEYS}/${shown.id}`)).json()).toEqual({ apiKey: shown });
    expect((await call("GET", KEYS)).body).not.toContain(secret);
  },
);

verifies(
  "team-management:create:unknown-keys",
  "refuses a field it does not know and lists those it does",
  async () => {
    const reply = await world().call("POST", KEYS, { body: { name: "x", scopes: ["all"] } });
    expect(reply.statusCode).toBe(400);
    const { error } = reply.json<{ error: string }>();
    for (const word of ["scopes", "name", "rateLimit", "budgetCents"]) expect(error).toContain(word);
  },
);

verifies(
  ["team-management:list:all", "team-management:list:by-id", "team-management:delete:success"],
  "lists the keys that work, reads one by path or query, and no longer lists one that was deleted",
  async () => {
    const { call } = world();
    const { id } = await makeTeamKey({ name: "listed" });
    const listed = async (): Promise<readonly string[]> =>
      (await call("GET", KEYS)).json<{ apiKeys: { id: string }[] }>().apiKeys.map((key) => key.id);
    expect(await listed()).toContain(id);
    const byQuery = await call("GET", `${KEYS}?api_key_id=${id}`);
    expect(byQuery.json()).toMatchObject({ apiKey: { id, name: "listed" } });
    expect((await call("GET", `${KEYS}/${id}`)).json()).toEqual(byQuery.json());
    const deleted = await call("DELETE", `${KEYS}/${id}`);
    expect([deleted.statusCode, deleted.json()]).toEqual([200, { success: true }]);
    expect(await listed()).not.toContain(id);
  },
);

verifies("team-management:update:put", "changes name, rate and budget, and says when", async () => {
  const { call } = world();
  const { id } = await makeTeamKey();
  const reply = await call("PUT", `${KEYS}/${id}`, { body: { name: "renamed", rateLimit: 2, budgetCents: null } });
  expect(reply.json()).toMatchObject({
    apiKey: { id, name: "renamed", rateLimit: 2, budgetCents: null, updatedAt: "2026-03-01T12:00:00.000Z" },
  });
});

verifies(
  ["team-management:usage:period", "team-management:usage:limit-180-days"],
  "sums up a key's use over 30 days or a period, and looks no further back than 180 days",
  async () => {
    const { call } = world();
    const { id } = await makeTeamKey();
    const usual = await call("GET", `${KEYS}/${id}/usage`);
    expect(usual.json()).toMatchObject({
      api_key_id: id,
      period: { start: "2026-01-30T12:00:00.000Z", end: "2026-03-01T12:00:00.000Z" },
      total_cost_usd: 0,
      cost_breakdown: [],
    });
    const period = "start_date=2026-02-01&end_date=2026-02-02&group_by=day";
    expect((await call("GET", `${KEYS}/${id}/usage?${period}`)).json()).toMatchObject({
      period: { start: "2026-02-01T00:00:00.000Z", end: "2026-02-02T00:00:00.000Z" },
    });
    const tooFar = await call("GET", `${KEYS}/${id}/usage?start_date=2025-08-01`);
    expect(tooFar.statusCode).toBe(400);
    expect(tooFar.json<{ error: string }>().error).toContain("180 days");
    const unknownGroup = await call("GET", `${KEYS}/${id}/usage?group_by=week`);
    expect(unknownGroup.statusCode).toBe(400);
  },
);

verifies("team-management:rotate:new-secret", "lets the old secret work until it is revoked", async () => {
  const { call } = world();
  const { id, key: old } = await makeTeamKey();
  const { key: fresh } = (await call("POST", `${KEYS}/${id}/rotate`)).json<KeyReply>().apiKey;
  const works = async (key: string): Promise<boolean> =>
    (await call("GET", "/quarry/v1/me", { key })).statusCode === 200;
  expect([await works(old), await works(fresh)]).toEqual([true, true]);
  await call("POST", `${KEYS}/${id}/revoke-previous-secret`);
  expect([await works(old), await works(fresh)]).toEqual([false, true]);
});

verifies(
  ["team-management:errors:shape", "team-management:errors:other-team", "team-management:service-key:needed"],
  "answers a wrong id, another team and a key without the right with one error sentence",
  async () => {
    const { call, makeKey, makeTeam } = world();
    const { id } = await makeTeamKey();
    const stranger = await makeKey({ teamId: await makeTeam() });
    const agent = await makeKey({ scopes: ["search"] });
    const replies = [
      await call("GET", `${KEYS}/nothing`),
      await call("GET", `${KEYS}/${id}`, { key: stranger.secret }),
      await call("GET", KEYS, { key: agent.secret }),
      await call("GET", KEYS, { key: null }),
    ];
    expect(replies.map((reply) => reply.statusCode)).toEqual([404, 404, 403, 401]);
    for (const reply of replies) expect(reply.json<{ error: unknown }>().error).toEqual(expect.any(String));
  },
);
