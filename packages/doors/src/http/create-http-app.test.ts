import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import { sampleRoutes, useHttpApp, withHttpApp, type SampleEffects } from "../testing.ts";

const effects: SampleEffects = { made: [], gate: undefined, failure: undefined };
const world = useHttpApp({ routes: sampleRoutes(effects), maxBodyBytes: 1_000 });
const HEX_ID = /^[0-9a-f]{32}$/;

describe("what is accepted", () => {
  verifies("http:paths:duplicate-slashes", "tolerates duplicate slashes", async () => {
    const reply = await world().call("POST", "//search", { body: { query: "a" } });
    expect(reply.statusCode).toBe(200);
  });

  verifies("http:paths:websets-alias", "answers /v0 as /websets/v0", async () => {
    const replies = [
      await world().call("GET", "/websets/v0/websets/abc"),
      await world().call("GET", "/v0/websets/abc"),
    ];
    expect(replies.map((reply) => [reply.statusCode, reply.json<unknown>()])).toEqual([
      [200, { id: "abc" }],
      [200, { id: "abc" }],
    ]);
  });

  verifies(
    ["http:headers:json-type-without-body", "http:trap:empty-body"],
    "takes a JSON content type without a body on every method",
    async () => {
      const headers = { "content-type": "application/json" };
      const replies = [
        await world().call("GET", "/websets/v0/websets/a", { headers }),
        await world().call("POST", "/websets/v0/websets/a/cancel", { headers }),
        await world().call("POST", "/websets/v0/websets/a/cancel", { headers, body: "" }),
        await world().call("POST", "/websets/v0/websets/a/cancel", { headers, body: "{not json" }),
        await world().call("DELETE", "/quarry/v1/keys/none", { headers }),
      ];
      expect(replies.map((reply) => reply.statusCode)).toEqual([200, 200, 200, 200, 404]);
    },
  );

  it("reads JSON whatever curl calls it, and says so when it is something else", async () => {
    const types = [
      "application/json; charset=utf-8",
      "application/x-www-form-urlencoded",
      "text/plain",
      "application/ld+json",
    ];
    const send = (type: string) =>
      world().call("POST", "/search", { headers: { "content-type": type }, body: '{"query":"a"}' });
    expect((await Promise.all(types.map(send))).map((reply) => reply.statusCode)).toEqual(types.map(() => 200));
    const reply = await send("multipart/form-data; boundary=x");
    expect([reply.statusCode, reply.json()]).toEqual([
      415,
      expect.objectContaining({ error: "Invalid request body | Content-Type: expected application/json" }),
    ]);
  });

  verifies(
    ["http:trap:bare-question-mark", "http:trap:repeated-query-keys"],
    "reads repeated keys as a list, True as true, and a bare question mark as nothing",
    async () => {
      const read = async (query: string): Promise<unknown> =>
        (await world().call("GET", `/websets/v0/websets${query}`)).json();
      expect(await read("?")).toEqual({ limit: 25, expand: null, all: null });
      expect(await read("?expand=items&expand=searches&all=True&limit=3")).toEqual({
        limit: 3,
        expand: ["items", "searches"],
        all: true,
      });
    },
  );

  verifies(
    ["http:headers:unknown-accepted", "http:headers:exa-beta-accepted"],
    "takes headers it does not know",
    async () => {
      const headers = { "exa-beta": "a-2026-01-01,b", "x-exa-integration": "mcp", "x-anything": "1", "user-agent": "" };
      expect((await world().call("POST", "/search", { headers, body: { query: "a" } })).statusCode).toBe(200);
    },
  );

  it("hands a body over as bytes where a route asks for them, whatever its type", async () => {
    const reply = await world().call("PUT", "/upload", {
      headers: { "content-type": "text/csv; header" },
      body: "a,b",
    });
    expect(reply.json()).toEqual({ bytes: 3, mediaType: "text/csv" });
  });
});

describe("what is refused", () => {
  verifies(
    [
      "http:errors:invalid-body-tag",
      "http:errors:invalid-json",
      "http:errors:quarry-shape",
      "http:errors:invalid-query-tag",
      "http:paging:limit-range",
    ],
    "answers wrong input with 400, the field and what was expected",
    async () => {
      const cases: readonly (readonly [string, string, unknown, string, RegExp])[] = [
        ["POST", "/search", "{", "INVALID_REQUEST_BODY", /^Invalid request body \| Invalid JSON at the end/],
        ["POST", "/search", '{"query":"a",}', "INVALID_REQUEST_BODY", /line 1, column 14/],
        [
          "POST",
          "/search",
          "",
          "INVALID_REQUEST_BODY",
          /^Invalid request body \| Validation error: query: expected a string, received nothing$/,
        ],
        ["POST", "/search", "null", "INVALID_REQUEST_BODY", /query: expected a string/],
        ["POST", "/search", "[]", "INVALID_REQUEST_BODY", /expected an object, received a list/],
        ["POST", "/search", { query: 5 }, "INVALID_REQUEST_BODY", /query: expected a string, received 5/],
        [
          "POST",
          "/search",
          { query: "a", numResults: 101 },
          "INVALID_REQUEST_BODY",
          /numResults: expected at most 100, received 101/,
        ],
        [
          "GET",
          "/quarry/v1/keys?limit=0",
          undefined,
          "INVALID_REQUEST_QUERY",
          /limit: expected at least 1, received 0/,
        ],
        ["GET", "/quarry/v1/keys?limit=101", undefined, "INVALID_REQUEST_QUERY", /limit: expected at most 100/],
        [
          "GET",
          "/quarry/v1/keys?limit=1&limit=2",
          undefined,
          "INVALID_REQUEST_QUERY",
          /limit: expected a number, received a list/,
        ],
        [
          "GET",
          "/quarry/v1/usage?groupBy=week",
          undefined,
          "INVALID_REQUEST_QUERY",
          /groupBy\[0\]: expected one of "hour"/,
        ],
        [
          "GET",
          "/quarry/v1/usage?groupBy=day,month",
          undefined,
          "INVALID_REQUEST_QUERY",
          /at most one of hour, day, month/,
        ],
        ["GET", "/quarry/v1/usage?from=yesterday", undefined, "INVALID_REQUEST_QUERY", /from: expected/],
      ];
      for (const [method, url, body, tag, message] of cases) {
        const reply = await world().call(method, url, { body });
        expect([reply.statusCode, reply.json()]).toEqual([
          400,
          { requestId: expect.stringMatching(HEX_ID) as string, error: expect.stringMatching(message) as string, tag },
        ]);
      }
    },
  );

  verifies("http:paging:bad-cursor", "refuses a cursor that is not ours and says what to pass", async () => {
    for (const cursor of ["x", "e30", "%20", "W10"]) {
      const reply = await world().call("GET", `/quarry/v1/keys?cursor=${cursor}`);
      expect([reply.statusCode, reply.json<{ error: string }>().error]).toEqual([
        400,
        expect.stringContaining("pass nextCursor of the page before"),
      ]);
    }
  });

  it("takes null for an optional field as absent", async () => {
    const reply = await world().call("POST", "/search", { body: { query: "a", numResults: null } });
    expect(reply.json()).toMatchObject({ numResults: null });
  });

  verifies("http:errors:body-too-large", "answers a body over the limit with 413 and the limit", async () => {
    const replies = [
      await world().call("POST", "/search", { body: { query: "a".repeat(2_000) } }),
      await world().call("PUT", "/upload", { body: "a".repeat(65) }),
    ];
    expect(replies.map((reply) => [reply.statusCode, reply.json<{ error: string }>().error])).toEqual([
      [413, "the request body is larger than the 1000 bytes allowed here; send less at once"],
      [413, "the request body is larger than the 64 bytes allowed here; send less at once"],
    ]);
  });

  verifies(
    ["http:errors:unknown-route", "http:errors:wrong-method"],
    "answers unknown routes with 404 and wrong methods with 405, in the family's shape",
    async () => {
      const searchMiss = await world().call("GET", "/serch", { key: null });
      expect([searchMiss.statusCode, searchMiss.json()]).toEqual([
        404,
        {
          requestId: expect.stringMatching(HEX_ID) as string,
          error: expect.stringContaining("POST /search?") as string,
          tag: "NOT_FOUND",
        },
      ]);
      const websetsMiss = await world().call("DELETE", "/websets/v0/websets");
      expect([websetsMiss.statusCode, websetsMiss.headers["allow"], websetsMiss.json()]).toEqual([
        405,
        "GET, POST",
        {
          statusCode: 405,
          timestamp: "2026-03-01T12:00:00.000Z",
          path: "/v0/websets",
          error: "Method Not Allowed",
          message: "DELETE is not possible on /websets/v0/websets; use GET or POST",
        },
      ]);
      const agentMiss = await world().call("GET", "/agent/nope");
      expect([agentMiss.statusCode, agentMiss.json<{ error: unknown }>().error]).toEqual([
        404,
        { type: "NOT_FOUND", code: "NOT_FOUND", message: expect.any(String) as string, detail: {} },
      ]);
    },
  );

  it("answers a malformed percent-encoding with 400", async () => {
    for (const url of ["/%zz", "/websets/v0/websets/%E0%A4%A", "/agent/%"]) {
      const reply = await world().call("GET", url);
      expect([reply.statusCode, reply.headers["x-content-type-options"]]).toEqual([400, "nosniff"]);
      expect(reply.body).toContain("percent-encoding");
    }
  });

  verifies(
    ["http:errors:internal-without-stack", "security:errors:no-stack-or-path"],
    "hides what went wrong inside",
    async () => {
      const reply = await world().call("GET", "/failure");
      expect([reply.statusCode, reply.json()]).toEqual([
        500,
        {
          requestId: expect.stringMatching(HEX_ID) as string,
          error: "something went wrong on the server",
          tag: "INTERNAL_ERROR",
        },
      ]);
    },
  );
});

describe("what every reply carries", () => {
  verifies(
    [
      "http:reply:request-id-header",
      "http:reply:request-id-in-body",
      "http:reply:json-utf8",
      "security:headers:no-sniff",
    ],
    "an id, a media type, and headers against sniffing and framing",
    async () => {
      const replies = [
        await world().call("POST", "/search", { body: { query: "a" } }),
        await world().call("POST", "/search", { body: {} }),
        await world().call("GET", "/healthz", { key: null }),
        await world().call("GET", "/nowhere"),
      ];
      for (const reply of replies) {
        expect(reply.headers).toMatchObject({
          "content-type": "application/json; charset=utf-8",
          "x-request-id": expect.stringMatching(HEX_ID) as string,
          "x-content-type-options": "nosniff",
          "x-frame-options": "DENY",
          "referrer-policy": "no-referrer",
          "cache-control": "no-store",
          "content-security-policy": expect.stringContaining("frame-ancestors 'none'") as string,
        });
        const { requestId } = reply.json<{ requestId?: string }>();
        if (requestId !== undefined) expect(requestId).toBe(reply.headers["x-request-id"]);
      }
    },
  );

  verifies("http:reply:websets-request-id", "an id with the prefix req_ for websets", async () => {
    for (const url of ["/websets/v0/websets", "/v0/websets", "/v0/nope"]) {
      expect((await world().call("GET", url)).headers["x-request-id"]).toMatch(/^req_[0-9a-z]{26}$/);
    }
  });
});

describe("browsers", () => {
  verifies(
    ["security:requests:cors-off", "security:requests:origin-checked"],
    "sends no CORS header and refuses foreign pages",
    async () => {
      for (const [method, url] of [
        ["GET", "/healthz"],
        ["GET", "/docs/"],
        ["GET", "/openapi.json"],
        ["POST", "/search"],
        ["GET", "/quarry/v1/me"],
        ["GET", "/nowhere"],
        ["OPTIONS", "/search"],
      ] as const) {
        const headers = { origin: "https://evil.example", "access-control-request-method": "POST" };
        const reply = await world().call(method, url, { headers });
        expect([url, reply.statusCode, reply.headers["access-control-allow-origin"]]).toEqual([url, 403, undefined]);
      }
      const own = await world().call("GET", "/quarry/v1/me", { headers: { origin: "http://localhost:7700" } });
      expect([own.statusCode, own.headers["access-control-allow-origin"]]).toEqual([200, undefined]);
    },
  );

  verifies("security:requests:host-checked", "refuses a foreign Host on every route", async () => {
    for (const url of [
      "/",
      "/healthz",
      "/readyz",
      "/docs/",
      "/openapi.json",
      "/console/",
      "/metrics",
      "/quarry/v1/me",
      "/nowhere",
    ]) {
      const reply = await world().call("GET", url, { headers: { host: "rebound.example:7700" } });
      expect([url, reply.statusCode]).toEqual([url, 403]);
      expect(reply.body).toContain("QUARRY_PUBLIC_URL");
    }
  });

  verifies(
    "http:trap:cors-switch",
    "with CORS on, lets the named origin read replies and send the clients' headers",
    async () => {
      await withHttpApp(
        async ({ call }) => {
          const headers = { origin: "https://app.example" };
          const preflight = await call("OPTIONS", "/search", {
            key: null,
            headers: { ...headers, "access-control-request-method": "POST" },
          });
          expect(preflight.statusCode).toBe(200);
          expect(preflight.headers["access-control-allow-origin"]).toBe("https://app.example");
          for (const name of ["x-api-key", "content-type", "exa-beta", "idempotency-key"]) {
            expect(preflight.headers["access-control-allow-headers"]).toContain(name);
          }
          expect(preflight.headers["access-control-allow-credentials"]).toBeUndefined();
          const replies = [
            await call("POST", "/search", { headers, body: { query: "a" } }),
            await call("POST", "/search", { headers, key: null }),
            await call("POST", "/search", { headers: { origin: "https://other.example" }, body: { query: "a" } }),
          ];
          expect(replies.map((reply) => [reply.statusCode, reply.headers["access-control-allow-origin"]])).toEqual([
            [200, "https://app.example"],
            [401, "https://app.example"],
            [403, undefined],
          ]);
        },
        { routes: sampleRoutes(effects), corsOrigins: ["https://app.example"] },
      );
    },
  );

  it("refuses to open CORS to callers that need no key", async () => {
    await expect(
      withHttpApp(
        () => Promise.resolve(),
        ({ teamId }) => ({ auth: { mode: "none", teamId }, corsOrigins: ["*"] }),
      ),
    ).rejects.toThrow("QUARRY_AUTH=none");
  });
});
