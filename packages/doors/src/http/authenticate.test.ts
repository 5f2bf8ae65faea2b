import { hasScope, scopeNames } from "@quarry/contract";
import { revokeKey, rotateKey } from "@quarry/store";
import { verifies } from "@quarry/tests";
import { expect, it } from "vitest";
import { sampleRoutes, useHttpApp, withHttpApp } from "../testing.ts";
import { RATE_LIMIT_PRESETS } from "./rate-limit.ts";

const routes = sampleRoutes({ made: [], gate: undefined, failure: undefined });
const world = useHttpApp({ routes });

async function statusWith(headers: Readonly<Record<string, string>>, url = "/quarry/v1/me"): Promise<number> {
  return (await world().call("GET", url, { key: null, headers })).statusCode;
}

verifies(
  ["http:auth:x-api-key", "http:auth:bearer", "http:auth:bearer-preferred", "http:auth:bearer-with-empty-x-api-key"],
  "takes the key as x-api-key or Bearer, and Bearer first",
  async () => {
    const { key } = world();
    const cases: readonly (readonly [Readonly<Record<string, string>>, number])[] = [
      [{ "x-api-key": key }, 200],
      [{ "x-api-key": ` ${key} ` }, 200],
      [{ authorization: `Bearer ${key}` }, 200],
      [{ authorization: `bearer   ${key}` }, 200],
      [{ authorization: `Bearer ${key}`, "x-api-key": "" }, 200],
      [{ authorization: `Bearer ${key}`, "x-api-key": "wrong" }, 200],
      [{ authorization: "Bearer wrong", "x-api-key": key }, 401],
      [{ authorization: "Bearer", "x-api-key": key }, 200],
      [{ authorization: "Basic abc" }, 401],
      [{ authorization: `Bearer ${key} x` }, 401],
      [{ "x-api-key": `${key}0` }, 401],
      [{ "x-api-key": "" }, 401],
      [{ "x-api-key": "\u00e9".repeat(10) }, 401],
      [{}, 401],
    ];
    const statuses = [];
    for (const [headers] of cases) statuses.push(await statusWith(headers));
    expect(statuses).toEqual(cases.map(([, status]) => status));
  },
);

verifies(["http:auth:missing-401", "http:auth:wrong-401"], "answers 401 in the shape of the family", async () => {
  const bodies = [];
  for (const url of ["/quarry/v1/me", "/websets/v0/websets", "/v0/websets"]) {
    const reply = await world().call("GET", url, { key: "qry_wrong" });
    expect(reply.statusCode).toBe(401);
    bodies.push(reply.json<unknown>());
  }
  const agent = await world().call("POST", "/agent/runs", { key: null, body: { query: "a" } });
  expect(agent.statusCode).toBe(401);
  const sentence = expect.stringContaining('send a valid one as "x-api-key: <key>"') as string;
  const websets = {
    statusCode: 401,
    timestamp: "2026-03-01T12:00:00.000Z",
    path: "/v0/websets",
    error: "Unauthorized",
    message: sentence,
  };
  expect([...bodies, agent.json<unknown>()]).toEqual([
    { requestId: expect.any(String) as string, error: sentence, tag: "INVALID_API_KEY" },
    websets,
    websets,
    {
      error: { type: "AUTHENTICATION_ERROR", code: "INVALID_API_KEY", message: sentence, detail: {} },
      requestId: expect.any(String) as string,
    },
  ]);
});

verifies(
  ["security:requests:open-routes", "security:requests:open-routes-exact"],
  "answers without a key on the routes the design lists, and on no other",
  async () => {
    const open = new Set<string>();
    const closed = new Set<string>();
    for (const { method, url } of world().mounted) {
      const reply = await world().call(method, url.replace(/:\w+/g, "x").replace("*", ""), { key: null, body: "{}" });
      (reply.body.includes("no API key was sent") ? closed : open).add(url);
    }
    expect([...open].sort()).toEqual([
      "/",
      "/.well-known/api-catalog",
      "/console",
      "/console/*",
      "/console/sign-in",
      "/docs",
      "/docs/*",
      "/healthz",
      "/llms.txt",
      "/openapi.json",
      "/quarry/v1/sign-in",
      "/readyz",
    ]);
    expect(closed.has("/metrics")).toBe(true);
    expect(closed.size).toBeGreaterThan(15);
  },
);

verifies("keys:fields:scopes", "lets each scope into its own routes and no others", async () => {
  const asked = [
    ["POST", "/search", "search"],
    ["GET", "/websets/v0/websets", "websets"],
    ["PUT", "/upload", "index"],
    ["GET", "/quarry/v1/keys", "admin"],
    ["GET", "/metrics", "admin"],
  ] as const;
  for (const scope of scopeNames) {
    const { secret } = await world().makeKey({ scopes: [scope] });
    for (const [method, url, needed] of asked) {
      const reply = await world().call(method, url, {
        key: secret,
        body: method === "GET" ? undefined : { query: "a" },
      });
      expect([scope, url, reply.statusCode]).toEqual([scope, url, hasScope([scope], needed) ? 200 : 403]);
      if (reply.statusCode === 403 && url === "/search")
        expect(reply.json()).toMatchObject({ tag: "INSUFFICIENT_SCOPE" });
    }
  }
});

verifies(
  "keys:fields:expiry",
  "refuses a key from the moment it expires, and an old secret after its grace",
  async () => {
    const { db, teamId, clock, call } = world();
    const { key, secret } = await world().makeKey();
    await rotateKey(db, teamId, key.id, { graceMs: 60_000, now: clock.now() });
    expect((await call("GET", "/quarry/v1/me", { key: secret })).statusCode).toBe(200);
    clock.advance(60_000);
    expect((await call("GET", "/quarry/v1/me", { key: secret })).statusCode).toBe(401);
  },
);

it("learns of a key that another process revoked within seconds", async () => {
  const { db, teamId, clock, call } = world();
  const { key, secret } = await world().makeKey();
  expect((await call("GET", "/quarry/v1/me", { key: secret })).statusCode).toBe(200);
  await revokeKey(db, teamId, key.id, { now: clock.now(), evenIfLast: false });
  clock.advance(5_000);
  expect((await call("GET", "/quarry/v1/me", { key: secret })).statusCode).toBe(401);
});

it("knows a busy key without a query, in well under 0.2 ms", async () => {
  const { authenticate } = await import("./authenticate.ts");
  const { createCredentialCache } = await import("./credential-cache.ts");
  const { findKeyCredential } = await import("@quarry/store");
  const { db, clock, key } = world();
  let queries = 0;
  const keys = createCredentialCache(clock, (secret) => {
    queries += 1;
    return findKeyCredential(db, secret);
  });
  const facts = { headers: { "x-api-key": key }, isSafe: true, originKind: "none" } as const;
  const rounds = 2_000;
  await authenticate({ mode: "key" }, { keys, sessions: keys }, facts);
  const started = performance.now();
  for (let round = 0; round < rounds; round += 1) await authenticate({ mode: "key" }, { keys, sessions: keys }, facts);
  expect((performance.now() - started) / rounds).toBeLessThan(0.2);
  expect(queries).toBe(1);
});

it("asks for no key with QUARRY_AUTH=none, and still refuses foreign hosts and pages", async () => {
  await withHttpApp(
    async ({ call, teamId }) => {
      const me = await call("GET", "/quarry/v1/me", { key: null });
      expect(me.json()).toEqual({
        team: { id: teamId, name: "Default team" },
        key: { id: null, name: "no key needed" },
        scopes: ["all"],
        via: "none",
      });
      const foreign = await call("POST", "/search", {
        key: null,
        headers: { origin: "http://evil.example" },
        body: { query: "a" },
      });
      const rebound = await call("GET", "/quarry/v1/me", { key: null, headers: { host: "evil.example" } });
      expect([foreign.statusCode, rebound.statusCode]).toEqual([403, 403]);
    },
    ({ teamId }) => ({ auth: { mode: "none", teamId }, routes }),
  );
});

verifies(
  ["http:limits:preset-exa-2026-02", "http:limits:429-tag", "http:limits:retry-after", "http:limits:per-key"],
  "slows a key over its limit and no other, and says when to come back",
  async () => {
    await withHttpApp(
      async ({ call, makeKey, clock }) => {
        const other = await makeKey();
        const search = (key?: string) =>
          call("POST", "/search", { body: { query: "a" }, ...(key === undefined ? {} : { key }) });
        const replies = [];
        for (let count = 0; count < 6; count += 1) replies.push(await search());
        expect(replies.map((reply) => [reply.statusCode, reply.headers["ratelimit-remaining"]])).toEqual([
          [200, "4"],
          [200, "3"],
          [200, "2"],
          [200, "1"],
          [200, "0"],
          [429, "0"],
        ]);
        const refused = replies.at(-1);
        expect(refused?.headers).toMatchObject({ "retry-after": "1", "ratelimit-limit": "5", "ratelimit-reset": "1" });
        expect(refused?.json()).toMatchObject({ tag: "RATE_LIMIT_EXCEEDED" });
        expect((await search(other.secret)).statusCode).toBe(200);
        expect((await call("POST", "/websets/v0/websets", { body: { title: "a" } })).headers["ratelimit-limit"]).toBe(
          "5",
        );
        clock.advance(200);
        expect((await search()).statusCode).toBe(200);
      },
      { routes, rateLimits: RATE_LIMIT_PRESETS["exa-2026-02"] },
    );
  },
);

verifies("http:limits:preset-exa", "allows ten searches a second with the preset exa", async () => {
  await withHttpApp(
    async ({ call }) => {
      const statuses = [];
      for (let count = 0; count < 11; count += 1) {
        statuses.push((await call("POST", "/search", { body: { query: "a" } })).statusCode);
      }
      expect(statuses).toEqual([...Array.from({ length: 10 }, () => 200), 429]);
      expect(
        (await call("POST", "/websets/v0/websets", { body: { title: "a" } })).headers["ratelimit-limit"],
      ).toBeUndefined();
    },
    { routes, rateLimits: RATE_LIMIT_PRESETS.exa },
  );
});

verifies("http:limits:unlimited-by-default", "limits nothing by default, but honours a key's own limit", async () => {
  const replies = [];
  for (let count = 0; count < 30; count += 1)
    replies.push(await world().call("POST", "/search", { body: { query: "a" } }));
  expect(new Set(replies.map((reply) => reply.statusCode))).toEqual(new Set([200]));
  expect(replies[0]?.headers["ratelimit-limit"]).toBeUndefined();
  const slow = await world().call("POST", "/quarry/v1/keys", { body: { name: "slow", rateLimitPerSecond: 2 } });
  const { key } = slow.json<{ key: string }>();
  const statuses = [];
  for (let count = 0; count < 3; count += 1) {
    statuses.push((await world().call("POST", "/search", { key, body: { query: "a" } })).statusCode);
  }
  expect(statuses).toEqual([200, 200, 429]);
});

verifies(
  ["keys:budget:exceeded", "keys:budget:reset-or-raised"],
  "refuses metered work of a key that has spent its budget, until it is raised",
  async () => {
    const { call, makeKey } = world();
    const { key, secret } = await makeKey({ budgetDollars: 0.5 });
    const search = () => call("POST", "/search", { key: secret, body: { query: "a" } });
    const statuses = [];
    for (let count = 0; count < 3; count += 1) statuses.push((await search()).statusCode);
    expect(statuses).toEqual([200, 200, 402]);
    expect((await search()).json()).toMatchObject({ tag: "API_KEY_BUDGET_EXCEEDED" });
    expect((await call("GET", "/quarry/v1/me", { key: secret })).statusCode).toBe(200);
    await call("GET", "/quarry/v1/usage"); // writes what is waiting
    expect((await search()).statusCode).toBe(402);
    const raised = await call("PATCH", `/quarry/v1/keys/${key.id}`, { body: { budgetDollars: 10 } });
    expect(raised.json()).toMatchObject({ budgetDollars: 10, spentDollars: 0.5 });
    expect((await search()).statusCode).toBe(200);
  },
);
