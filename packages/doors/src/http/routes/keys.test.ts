import { verifies } from "@quarry/tests";
import { expect, it } from "vitest";
import { useHttpApp } from "../../testing.ts";

const world = useHttpApp();

interface KeyReply {
  readonly id: string;
  readonly key: string;
}

async function makeKey(body: object = { name: "my agent" }): Promise<KeyReply> {
  const reply = await world().call("POST", "/quarry/v1/keys", { body });
  expect(reply.statusCode).toBe(201);
  return reply.json<KeyReply>();
}

verifies(
  [
    "keys:routes:quarry-v1-keys",
    "http:ids:ulid-with-prefix",
    "http:dates:iso-milliseconds",
    "keys:lifecycle:create",
    "keys:lifecycle:list-without-secret",
    "keys:lifecycle:revoke",
  ],
  "makes, shows, changes, rotates and revokes a key, and shows each secret once",
  async () => {
    const { call } = world();
    const made = await makeKey({ name: "my agent", scopes: ["admin"], budgetDollars: 5, expiresAt: "2027-01-01" });
    const { key: secret, ...shown } = made;
    expect(shown).toEqual({
      id: expect.stringMatching(/^apikey_[0-9a-z]{26}$/) as string,
      object: "api_key",
      name: "my agent",
      hint: `…${secret.slice(-4)}`,
      scopes: ["admin"],
      status: "active",
      budgetDollars: 5,
      spentDollars: 0,
      rateLimitPerSecond: null,
      createdAt: "2026-03-01T12:00:00.000Z",
      lastUsedAt: null,
      expiresAt: "2027-01-01T00:00:00.000Z",
      revokedAt: null,
      previousSecretExpiresAt: null,
    });
    expect((await call("GET", `/quarry/v1/keys/${made.id}`)).json()).toEqual(shown);
    expect((await call("GET", "/quarry/v1/keys")).body).not.toContain(secret);

    const changed = await call("PATCH", `/quarry/v1/keys/${made.id}`, { body: { name: "n", budgetDollars: null } });
    expect(changed.json()).toEqual({ ...shown, name: "n", budgetDollars: null });

    const rotated = (await call("POST", `/quarry/v1/keys/${made.id}/rotate`)).json<KeyReply>();
    expect(rotated.key).not.toBe(secret);
    expect((await call("GET", "/quarry/v1/me", { key: secret })).statusCode).toBe(401);
    expect((await call("GET", "/quarry/v1/me", { key: rotated.key })).statusCode).toBe(200);

    const revoked = await call("DELETE", `/quarry/v1/keys/${made.id}`);
    expect(revoked.json()).toMatchObject({ id: made.id, status: "revoked", revokedAt: "2026-03-01T12:00:00.000Z" });
    expect((await call("GET", "/quarry/v1/me", { key: rotated.key })).statusCode).toBe(401);
    expect((await call("PATCH", `/quarry/v1/keys/${made.id}`, { body: { name: "x" } })).statusCode).toBe(409);
  },
);

it("keeps the old secret for the grace that was asked for", async () => {
  const { call, clock } = world();
  const made = await makeKey();
  await call("POST", `/quarry/v1/keys/${made.id}/rotate`, { body: { graceSeconds: 60 } });
  expect((await call("GET", "/quarry/v1/me", { key: made.key })).statusCode).toBe(200);
  clock.advance(60_000);
  expect((await call("GET", "/quarry/v1/me", { key: made.key })).statusCode).toBe(401);
  clock.advance(-60_000);
});

it("gives what a key of Exa can do unless told otherwise", async () => {
  expect(await makeKey()).toMatchObject({ scopes: ["search", "research", "websets"] });
});

it("never lets a key hand out, or take over, more than it may do itself", async () => {
  const { call, makeKey: makeOther } = world();
  const strong = await makeOther({ scopes: ["all"] });
  const { secret } = await makeOther({ scopes: ["admin", "search"] });
  const attempts = [
    await call("POST", "/quarry/v1/keys", { key: secret, body: { name: "x", scopes: ["tools"] } }),
    await call("POST", "/quarry/v1/keys", { key: secret, body: { name: "x" } }),
    await call("POST", `/quarry/v1/keys/${strong.key.id}/rotate`, { key: secret }),
    await call("PATCH", `/quarry/v1/keys/${strong.key.id}`, { key: secret, body: { name: "x" } }),
    await call("POST", "/team-management/api-keys", { key: secret, body: {} }),
  ];
  expect(attempts.map((reply) => [reply.statusCode, reply.json<{ tag: string }>().tag])).toEqual(
    attempts.map(() => [403, "INSUFFICIENT_SCOPE"]),
  );
  const fine = await call("POST", "/quarry/v1/keys", { key: secret, body: { name: "x", scopes: ["search"] } });
  expect(fine.statusCode).toBe(201);
});

verifies(
  ["security:teams:not-found-not-forbidden", "security:teams:no-leak-in-lists", "security:teams:cursor-of-other-team"],
  "answers 404 for another team's key on every route, and lists none of them",
  async () => {
    const { call, makeTeam, makeKey: makeOther } = world();
    const teamId = await makeTeam();
    const { secret } = await makeOther({ teamId });
    const mine = await makeKey();
    const attempts = [
      await call("GET", `/quarry/v1/keys/${mine.id}`, { key: secret }),
      await call("PATCH", `/quarry/v1/keys/${mine.id}`, { key: secret, body: { name: "x" } }),
      await call("POST", `/quarry/v1/keys/${mine.id}/rotate`, { key: secret }),
      await call("DELETE", `/quarry/v1/keys/${mine.id}?force=true`, { key: secret }),
      await call("GET", `/team-management/api-keys/${mine.id}`, { key: secret }),
      await call("GET", `/team-management/api-keys?api_key_id=${mine.id}`, { key: secret }),
      await call("PUT", `/team-management/api-keys/${mine.id}`, { key: secret, body: { name: "x" } }),
      await call("DELETE", `/team-management/api-keys/${mine.id}`, { key: secret }),
      await call("POST", `/team-management/api-keys/${mine.id}/rotate`, { key: secret }),
      await call("POST", `/team-management/api-keys/${mine.id}/revoke-previous-secret`, { key: secret }),
      await call("GET", `/team-management/api-keys/${mine.id}/usage`, { key: secret }),
    ];
    expect(attempts.map((reply) => reply.statusCode)).toEqual(attempts.map(() => 404));
    const page = (await call("GET", "/quarry/v1/keys?limit=1")).json<{ nextCursor: string }>();
    const lists = [
      await call("GET", "/quarry/v1/keys", { key: secret }),
      await call("GET", `/quarry/v1/keys?cursor=${page.nextCursor}`, { key: secret }),
      await call("GET", "/team-management/api-keys", { key: secret }),
      await call("GET", "/quarry/v1/events", { key: secret }),
    ];
    for (const list of lists) {
      expect(list.statusCode).toBe(200);
      expect(list.body).not.toContain(mine.id);
    }
    expect((await call("GET", "/quarry/v1/me", { key: mine.key })).statusCode).toBe(200);
  },
);

verifies("keys:last-key:kept", "warns before the last managing key goes", async () => {
  const { call, makeTeam, makeKey: makeOther } = world();
  const { key, secret } = await makeOther({ teamId: await makeTeam() });
  const refused = await call("DELETE", `/quarry/v1/keys/${key.id}`, { key: secret });
  expect([refused.statusCode, refused.json<{ tag: string }>().tag]).toEqual([409, "LAST_ADMIN_KEY"]);
  const forced = await call("DELETE", `/quarry/v1/keys/${key.id}?force=True`, { key: secret });
  expect(forced.statusCode).toBe(200);
});

verifies(
  ["http:paging:shape", "http:paging:last-page", "http:paging:newest-first", "http:paging:stable-under-inserts"],
  "pages from the newest on, also while keys are added",
  async () => {
    const { call, makeTeam, makeKey: makeOther, clock } = world();
    const teamId = await makeTeam();
    const ids: string[] = [];
    let secret = "";
    const add = async (): Promise<void> => {
      clock.advance(1);
      const made = await makeOther({ teamId });
      ids.unshift(made.key.id);
      secret = made.secret;
    };
    for (let count = 0; count < 5; count += 1) await add();
    const expected = [...ids];
    const seen: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const query: string = cursor === "" ? "" : `&cursor=${cursor}`;
      const reply = await call("GET", `/quarry/v1/keys?limit=2${query}`, { key: secret });
      const page = reply.json<{ data: { id: string }[]; hasMore: boolean; nextCursor: string | null }>();
      expect(Object.keys(page)).toEqual(["data", "hasMore", "nextCursor"]);
      expect(page.hasMore).toBe(page.nextCursor !== null);
      seen.push(...page.data.map(({ id }) => id));
      cursor = page.nextCursor;
      await add();
    }
    expect(seen).toEqual(expected);
  },
);
