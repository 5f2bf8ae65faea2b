import { request as httpRequest, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { errorSchemas } from "@quarry/contract";
import { verifies } from "@quarry/tests";
import fc from "fast-check";
import { expect } from "vitest";
import { sampleRoutes, withHttpApp } from "../testing.ts";
import { familyOfPath } from "./error-family.ts";
import { rewriteUrl } from "./rewrite-url.ts";

const REQUESTS = 600;

/** Values that break parsers, in places where they can stand. */
const nasty = fc.oneof(
  fc.constantFrom(
    "",
    "0",
    "-1",
    "null",
    "true",
    "__proto__",
    "constructor",
    "a".repeat(5_000),
    "' OR 1=1 --",
    "%00",
    "\u0000",
    "a\u0000b",
    "../../etc/passwd",
  ),
  fc.string({ unit: "binary", maxLength: 40 }),
);
const body = fc.oneof(
  fc.json(),
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.constantFrom(
    "",
    "{",
    "[",
    "nul",
    '{"name":',
    "[".repeat(50_000),
    '{"__proto__":{"a":1}}',
    "\ufeff{}",
    "a".repeat(70_000),
  ),
  fc
    .record({ name: fc.jsonValue(), scopes: fc.jsonValue(), query: fc.jsonValue(), title: fc.jsonValue() })
    .map((value) => JSON.stringify(value)),
);
const headerValue = nasty.map((value) => value.replace(/[^\t\x20-\x7e\x80-\xff]/g, "?"));
const headers = fc.dictionary(
  fc.constantFrom(
    "content-type",
    "idempotency-key",
    "accept",
    "cookie",
    "x-anything",
    "exa-beta",
    "authorization",
    "if-none-match",
    "traceparent",
    "last-event-id",
    "expect-ct",
  ),
  headerValue,
  { maxKeys: 3 },
);
const query = fc.oneof(
  fc.constant(""),
  fc.constant("?"),
  fc
    .array(
      fc.tuple(fc.constantFrom("limit", "cursor", "groupBy", "from", "to", "force", "types", "token", "x"), nasty),
      { maxLength: 4 },
    )
    .map((pairs) => `?${pairs.map(([name, value]) => `${name}=${encodeLoosely(value)}`).join("&")}`),
);
const anyMethod = fc.constantFrom("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "PROPFIND");

/** Mostly well encoded, sometimes as a careless client would: anything that HTTP can carry. */
function encodeLoosely(value: string): string {
  const encoded = encodeURIComponent(value.toWellFormed());
  return value.length % 5 === 0 ? encoded.replace(/%(?=2)/g, "%") + (value.length % 2 === 0 ? "%" : "") : encoded;
}

verifies(
  ["http:errors:error-is-string", "http:trap:error-bodies-are-objects", "http:trap:never-204"],
  "survives random bodies, headers, queries and paths on every route, always in the family's shape",
  async () => {
    const seed = Date.now() % 2_147_483_647;
    console.log(`fuzz seed ${seed}`);
    await withHttpApp(
      async ({ app, call, key }) => {
        await app.listen({ host: "127.0.0.1", port: 0 });
        const address = app.server.address();
        const port = typeof address === "object" && address !== null ? address.port : 0;
        const { paths } = (await call("GET", "/openapi.json")).json<{ paths: Record<string, object> }>();
        const operations = Object.entries(paths)
          .filter(([path]) => path !== "/failure") // it is there to fail
          .flatMap(([path, item]) => Object.keys(item).map((method) => ({ method: method.toUpperCase(), path })));
        const fill = (pattern: string, value: string): string => pattern.replace(/\{\w+\}/g, encodeLoosely(value));
        const target = fc.oneof(
          {
            weight: 8,
            arbitrary: fc
              .tuple(fc.constantFrom(...operations), nasty)
              .map(([{ method, path }, value]) => ({ method, path: fill(path, value) })),
          },
          {
            weight: 1,
            arbitrary: fc
              .tuple(anyMethod, fc.constantFrom(...operations), nasty)
              .map(([method, { path }, value]) => ({ method, path: fill(path, value) })),
          },
          {
            weight: 1,
            arbitrary: fc.record({
              method: anyMethod,
              path: fc.oneof(
                nasty.map((value) => `/${encodeLoosely(value)}`),
                fc.constantFrom(
                  "//search",
                  "/websets//v0/websets",
                  "/v0/websets/%E0%A4%A",
                  "/agent/%",
                  "*",
                  "/docs/../x",
                ),
              ),
            }),
          },
        );
        const send = (one: {
          method: string;
          url: string;
          headers: Record<string, string>;
          body: string;
          withKey: boolean;
        }): Promise<IncomingMessage> =>
          new Promise((resolve, reject) => {
            const outgoing = httpRequest(
              {
                port,
                agent: false,
                method: one.method,
                path: one.url,
                headers: {
                  ...(one.withKey ? { "x-api-key": key } : {}),
                  "content-type": "application/json",
                  ...one.headers,
                  host: "localhost",
                  "content-length": Buffer.byteLength(one.body),
                },
              },
              resolve,
            );
            outgoing.on("error", reject);
            outgoing.end(one.body);
          });
        await fc.assert(
          fc.asyncProperty(
            target,
            query,
            headers,
            body,
            fc.nat(9),
            async ({ method, path }, asked, given, sent, luck) => {
              const url = `${path}${asked}`;
              const reply = await send({ method, url, headers: given, body: sent, withKey: luck > 0 });
              const status = reply.statusCode ?? 0;
              const answer = await text(reply);
              expect([status === 204, status === 202, status >= 500, status === 0]).toEqual([
                false,
                false,
                false,
                false,
              ]);
              expect(reply.headers["x-request-id"]).toMatch(/^([0-9a-f]{32}|req_[0-9a-z]{26})$/);
              expect(reply.headers["x-content-type-options"]).toBe("nosniff");
              if (status >= 400 && method !== "HEAD") {
                const family = familyOfPath(rewriteUrl(url));
                expect(errorSchemas[family].safeParse(JSON.parse(answer)).error).toBeUndefined();
                expect(answer).not.toMatch(/\.ts:\d|node_modules|at \w+ \(/);
              }
            },
          ),
          { seed, numRuns: REQUESTS },
        );
        expect((await call("GET", "/quarry/v1/me")).statusCode).toBe(200);
      },
      { routes: sampleRoutes({ made: [], gate: undefined, failure: undefined }), maxBodyBytes: 64_000 },
    );
  },
  60_000,
);
