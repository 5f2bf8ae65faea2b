import { once } from "node:events";
import { connect } from "node:net";
import { createServer, request as httpRequest, type IncomingMessage, type Server } from "node:http";
import { text } from "node:stream/consumers";
import { AppError } from "@quarry/base";
import { readUsage } from "@quarry/store";
import { verifies } from "@quarry/tests";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { sampleRoutes, useHttpApp, withHttpApp, type SampleEffects } from "../testing.ts";
import { defineRoute } from "./route.ts";

const effects: SampleEffects = { made: [], gate: undefined, failure: undefined };
const world = useHttpApp({ routes: sampleRoutes(effects) });

afterEach(() => {
  effects.made.length = 0;
  effects.gate = undefined;
  effects.failure = undefined;
});

function create(idempotencyKey: string, body: unknown = { title: "a" }, key = world().key) {
  return world().call("POST", "/websets/v0/websets", { key, headers: { "idempotency-key": idempotencyKey }, body });
}

describe("Idempotency-Key", () => {
  verifies(
    ["http:idempotency:same-body", "http:idempotency:other-body"],
    "answers the same again for the same body, and 409 for another",
    async () => {
      const [first, again] = [await create("k1"), await create("k1")];
      expect([first.statusCode, again.statusCode, again.body]).toEqual([201, 201, first.body]);
      expect([first.headers["idempotent-replayed"], again.headers["idempotent-replayed"]]).toEqual([undefined, "true"]);
      expect(again.headers["content-type"]).toBe("application/json; charset=utf-8");
      expect(effects.made).toHaveLength(1);
      const other = await create("k1", { title: "b" });
      expect([other.statusCode, other.json<{ message: string }>().message]).toEqual([
        409,
        "this Idempotency-Key was used before with another request; use a new key for a new request",
      ]);
      await create("k1b");
      expect(effects.made).toHaveLength(2);
    },
  );

  verifies("http:idempotency:concurrent", "has one effect when a hundred come at once, and one body", async () => {
    let open: () => void = () => undefined;
    effects.gate = new Promise((resolve) => (open = resolve));
    const calls = Array.from({ length: 100 }, () => create("k2"));
    setTimeout(open, 50);
    const replies = await Promise.all(calls);
    expect(effects.made).toHaveLength(1);
    expect(new Set(replies.map((reply) => `${reply.statusCode} ${reply.body}`)).size).toBe(1);
    expect(replies[0]?.statusCode).toBe(201);
  });

  it("runs again after a refusal, with a new id; after a failure, with the same one", async () => {
    effects.failure = new AppError("conflict", "the name is taken");
    expect((await create("k3")).statusCode).toBe(409);
    effects.failure = new Error("crash");
    expect((await create("k3")).statusCode).toBe(500);
    expect((await create("k3")).statusCode).toBe(201);
    const [refused, failed, done] = effects.made;
    expect(refused).not.toBe(failed);
    expect(failed).toBe(done);
  });

  it("goes on after the process died half-way, and makes the same thing", async () => {
    const { db } = world();
    effects.gate = new Promise(() => undefined); // the first attempt never ends
    void create("k4");
    while (effects.made.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await db.query("UPDATE idempotent_requests SET lease_until = now() - interval '1 s' WHERE reply_status IS NULL");
    effects.gate = undefined;
    await withHttpApp(
      // Another process on the same database, so that the first one's memory does not help.
      async (other) => {
        const reply = await other.call("POST", "/websets/v0/websets", {
          key: world().key,
          headers: { "idempotency-key": "k4" },
          body: { title: "a" },
        });
        expect(reply.statusCode).toBe(201);
      },
      { db, routes: sampleRoutes(effects) },
    );
    expect(effects.made).toHaveLength(2);
    expect(new Set(effects.made).size).toBe(1);
  });

  it("waits for the first also when another process carries it out", async () => {
    let open: () => void = () => undefined;
    effects.gate = new Promise((resolve) => (open = resolve));
    const first = create("k8");
    while (effects.made.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await withHttpApp(
      async (other) => {
        const headers = { "idempotency-key": "k8" };
        const second = other.call("POST", "/v0/websets", { key: world().key, headers, body: { title: "a" } });
        setTimeout(open, 100);
        const replies = await Promise.all([first, second]);
        expect(replies[1].body).toBe(replies[0].body);
        expect(replies.map((reply) => reply.headers["idempotent-replayed"])).toEqual([undefined, "true"]);
      },
      { db: world().db, routes: sampleRoutes(effects) },
    );
    expect(effects.made).toHaveLength(1);
  });

  it("keeps teams apart, and refuses keys that cannot be used", async () => {
    const { makeTeam, makeKey } = world();
    const { secret } = await makeKey({ teamId: await makeTeam() });
    const [mine, theirs] = [await create("k5"), await create("k5", { title: "other" }, secret)];
    expect([mine.statusCode, theirs.statusCode]).toEqual([201, 201]);
    const wrong = [await create("x".repeat(256)), await create("a b"), await create("k6", { title: 5 })];
    expect(wrong.map((reply) => reply.statusCode)).toEqual([400, 400, 400]);
    expect((await create("k6")).statusCode).toBe(201);
  });

  it("shows a secret again only to the key that asked first, and keeps it sealed", async () => {
    const { call, db, makeKey } = world();
    const make = (key?: string) =>
      call("POST", "/quarry/v1/keys", {
        headers: { "idempotency-key": "k7" },
        body: { name: "a" },
        ...(key === undefined ? {} : { key }),
      });
    const [first, again] = [await make(), await make()];
    expect([first.statusCode, again.body]).toEqual([201, first.body]);
    const [{ dump } = { dump: "" }] = await db.query<{ dump: string }>(
      "SELECT string_agg(encode(reply_body, 'escape'), '') AS dump FROM idempotent_requests",
    );
    expect(dump).toContain("webset_");
    expect(dump).not.toContain(first.json<{ key: string }>().key);
    const { secret } = await makeKey();
    expect((await make(secret)).statusCode).toBe(409);
  });

  verifies("http:idempotency:every-creating-post", "is honoured by every POST that creates", async () => {
    const { call } = world();
    const { paths } = (await call("GET", "/openapi.json")).json<{
      paths: Record<string, { post?: { operationId: string; parameters: { name: string }[]; responses: object } }>;
    }>();
    const creating = Object.values(paths).flatMap(({ post }) =>
      post?.parameters.some(({ name }) => name === "Idempotency-Key") === true ? [post.operationId] : [],
    );
    const created = Object.values(paths).flatMap(({ post }) =>
      post !== undefined && "201" in post.responses ? [post.operationId] : [],
    );
    expect(creating).toEqual(expect.arrayContaining(created));
    expect(creating).toEqual(expect.arrayContaining(["createKey", "createTeamApiKey", "createSignInLink"]));
  });
});

verifies(
  "http:usage:every-request",
  "writes key, endpoint, status, latency, tokens and cost of every request",
  async () => {
    await withHttpApp(
      async ({ call, db, makeKey, teamId, clock, app }) => {
        const { key, secret } = await makeKey({ scopes: ["search"] });
        await call("POST", "/search", { key: secret, body: { query: "a" } });
        await call("POST", "/search", { key: secret, body: {} });
        await call("GET", "/quarry/v1/keys", { key: secret });
        await call("GET", "/quarry/v1/keys", { key: null });
        await call("GET", "/healthz", { key: secret });
        await app.close();
        clock.advance(1);
        const rows = await readUsage(db, { teamId, from: new Date(0), to: clock.now(), groupBy: ["key", "endpoint"] });
        expect(rows).toEqual([
          expect.objectContaining({
            keyId: key.id,
            endpoint: "POST /search",
            requests: 2,
            errors: 1,
            tokens: 3,
            costDollars: 0.25,
          }),
          expect.objectContaining({
            keyId: key.id,
            endpoint: "GET /quarry/v1/keys",
            requests: 1,
            errors: 1,
            tokens: 0,
            costDollars: 0,
          }),
        ]);
        expect(rows.every((row) => row.latencyMs.max > 0 && row.latencyMs.max < 60_000)).toBe(true);
      },
      { routes: sampleRoutes(effects) },
    );
  },
);

verifies(
  ["http:usage:own-team", "http:usage:grouped"],
  "shows the caller's team alone, also what was just used",
  async () => {
    const { call, makeTeam, makeKey, clock } = world();
    const { secret } = await makeKey({ teamId: await makeTeam() });
    await call("GET", "/quarry/v1/me", { key: secret });
    clock.advance(1);
    const reply = await call("GET", "/quarry/v1/usage?groupBy=day,endpoint", { key: secret });
    expect(reply.json()).toEqual({
      from: "2026-01-30T12:00:00.001Z",
      to: "2026-03-01T12:00:00.001Z",
      groupBy: ["day", "endpoint"],
      data: [
        {
          periodStart: "2026-03-01T00:00:00.000Z",
          endpoint: "GET /quarry/v1/me",
          requests: 1,
          errors: 0,
          tokens: 0,
          costDollars: 0,
          latencyMs: expect.any(Object) as object,
        },
      ],
      total: { requests: 1, errors: 0, tokens: 0, costDollars: 0 },
    });
  },
);

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

describe("over a real connection", () => {
  async function listen(): Promise<number> {
    const { app } = world();
    if (!app.server.listening) await app.listen({ host: "127.0.0.1", port: 0 });
    return portOf(app.server);
  }

  async function startRun(query: string, port: number): Promise<IncomingMessage> {
    const outgoing = httpRequest({
      port,
      method: "POST",
      path: "/agent/runs",
      headers: { "x-api-key": world().key, "content-type": "application/json" },
    });
    outgoing.end(JSON.stringify({ query }));
    const [reply] = (await once(outgoing, "response")) as [IncomingMessage];
    return reply;
  }

  verifies("http:trap:streams-are-200", "streams events, and a failure as the last of them", async () => {
    const port = await listen();
    const fine = await startRun("a", port);
    expect([fine.statusCode, fine.headers["content-type"]]).toEqual([200, "text/event-stream; charset=utf-8"]);
    expect(await text(fine)).toMatch(/^data: \{"id":"agent_run_[0-9a-z]{26}"\}\n\n$/);
    const failed = await startRun("fail", port);
    expect(failed.statusCode).toBe(200);
    expect(await text(failed)).toMatch(/\n\ndata: \{"failed":"the model went away"\}\n\n$/);
  });

  it("tells the handler when the client leaves", async () => {
    let left: (() => void) | undefined;
    const gone = new Promise<void>((resolve) => (left = resolve));
    const route = defineRoute({
      name: "wait",
      method: "GET",
      path: "/wait",
      tag: "Sample",
      summary: "Wait",
      access: "any",
      response: z.object({}),
      handle: async (_, { signal }) => {
        // On a busy machine the client may have left before we got here.
        if (!signal.aborted) await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
        left?.();
        return {};
      },
    });
    await withHttpApp(
      async ({ app, key }) => {
        await app.listen({ host: "127.0.0.1", port: 0 });
        const port = portOf(app.server);
        const outgoing = httpRequest({ port, path: "/wait", headers: { "x-api-key": key } });
        outgoing.on("error", () => undefined); // our own doing, below
        outgoing.end();
        while (app.server.connections === 0) await new Promise((resolve) => setTimeout(resolve, 5));
        setTimeout(() => outgoing.destroy(), 50);
        await gone;
      },
      { routes: [route] },
    );
  });

  verifies(
    "server:stop:refuses-new",
    "ends streams when it stops, refuses new requests, lets other requests finish, and keeps their usage",
    async () => {
      const own: SampleEffects = { made: [], gate: undefined, failure: undefined };
      let open: () => void = () => undefined;
      own.gate = new Promise((resolve) => (open = resolve));
      await withHttpApp(
        async ({ app, key, db, teamId, clock }) => {
          await app.listen({ host: "127.0.0.1", port: 0 });
          const port = portOf(app.server);
          const send = (path: string, body: object): Promise<IncomingMessage> =>
            new Promise((resolve, reject) => {
              const headers = { "x-api-key": key, connection: "close" };
              const outgoing = httpRequest({ port, method: "POST", path, headers }, resolve);
              outgoing.on("error", reject);
              outgoing.end(JSON.stringify(body));
            });
          const stream = await send("/agent/runs", { query: "forever" });
          const slow = send("/v0/websets", { title: "a" });
          while (own.made.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
          const closed = app.close();
          expect(await text(stream)).toContain("agent_run_");
          // A listener of its own, as the server has one, still takes requests at this moment.
          const front = createServer((request, response) => app.routing(request, response)).listen(0, "127.0.0.1");
          await once(front, "listening");
          const outgoing = httpRequest({ port: portOf(front), path: "/quarry/v1/me", agent: false }).end();
          const [refused] = (await once(outgoing, "response")) as [IncomingMessage];
          expect([refused.statusCode, refused.headers["retry-after"]]).toEqual([503, "2"]);
          expect(await text(refused)).toContain("the server is stopping");
          front.close();
          open();
          expect((await slow).statusCode).toBe(201);
          (await slow).resume();
          await closed;
          clock.advance(1);
          const rows = await readUsage(db, { teamId, from: new Date(0), to: clock.now(), groupBy: ["endpoint"] });
          expect(rows.map((row) => row.endpoint).sort()).toEqual(["POST /agent/runs", "POST /websets/v0/websets"]);
        },
        { routes: sampleRoutes(own) },
      );
    },
  );

  it.each([
    ["garbage", "this is not http\r\n\r\n", 400],
    ["huge headers", `GET / HTTP/1.1\r\nHost: localhost\r\nx: ${"a".repeat(20_000)}\r\n\r\n`, 431],
    ["no Host", "GET /healthz HTTP/1.1\r\n\r\n", 400],
    ["two Hosts", "GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n", 400],
    ["an old protocol without Host", "GET /healthz HTTP/1.0\r\n\r\n", 400],
    [
      "an absolute address",
      "GET http://localhost/healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
      200,
    ],
    ["a wrong length", "POST /search HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n", 400],
    ["an unknown method", "PROPFIND / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", 405],
  ])("answers %s clearly", async (_, bytes, status) => {
    const socket = connect(await listen(), "127.0.0.1");
    socket.end(bytes);
    const answer = await text(socket);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.[01] ${status} `));
    const body = answer.slice(answer.indexOf("{"), answer.lastIndexOf("}") + 1);
    expect(Object.keys(JSON.parse(body) as object)).toEqual(
      status === 200 ? ["status"] : ["requestId", "error", "tag"],
    );
  });
});
