import { SpanStatusCode, trace, type Span, type Tracer } from "@opentelemetry/api";
import { createSignInLink } from "@quarry/store";
import { verifies } from "@quarry/tests";
import { fastify } from "fastify";
import { expect, it } from "vitest";
import { sampleRoutes, withHttpApp } from "../testing.ts";

const routes = sampleRoutes({ made: [], gate: undefined, failure: undefined });

verifies(
  "server:logs:json-with-request-id",
  "logs one line per request, with its id and without any secret",
  async () => {
    const lines: string[] = [];
    const stream = { write: (line: string) => lines.push(line) };
    await withHttpApp(
      async ({ call, db, teamId, clock, key }) => {
        const { token } = await createSignInLink(db, { teamId, keyId: null }, clock.now());
        const made = await call("POST", "/quarry/v1/keys", { body: { name: "a" } });
        await call("GET", `/console/sign-in?token=${token}`, { key: null });
        await call("POST", "/quarry/v1/sign-in", { key: null, body: { apiKey: key } });
        await call("GET", "/quarry/v1/me", { key: null, headers: { authorization: `Bearer ${key}` } });
        const failed = await call("GET", "/failure");
        const secrets = [key, token, made.json<{ key: string }>().key].map((secret) => secret.replace(/^\w+_/, ""));
        expect(secrets.filter((secret) => lines.some((line) => line.includes(secret)))).toEqual([]);
        const records = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
        expect(
          records.filter((record) => record["msg"] === "request").map((record) => [record["route"], record["status"]]),
        ).toEqual([
          ["/quarry/v1/keys", 201],
          ["/console/sign-in", 303],
          ["/quarry/v1/sign-in", 200],
          ["/quarry/v1/me", 200],
          ["/failure", 500],
        ]);
        const ofFailure = records.filter((record) => record["reqId"] === failed.headers["x-request-id"]);
        expect(ofFailure.map((record) => record["msg"])).toEqual(["something went wrong on the server", "request"]);
        expect(JSON.stringify(ofFailure[0])).toContain("secret detail at"); // what the caller must not see, we must
      },
      { routes, log: fastify({ logger: { level: "info", stream } }).log },
    );
  },
);

it("makes a server span per request, named by the route, when an SDK is registered", async () => {
  const spans: { name: string; attributes: Record<string, unknown>; failed: boolean; ended: boolean }[] = [];
  const tracer = {
    startSpan: (name: string, options: { attributes: Record<string, unknown> }) => {
      const record = { name, attributes: { ...options.attributes }, failed: false, ended: false };
      spans.push(record);
      return {
        setAttribute: (key: string, value: unknown) => (record.attributes[key] = value),
        setStatus: ({ code }: { code: SpanStatusCode }) => (record.failed = code === SpanStatusCode.ERROR),
        end: () => (record.ended = true),
      } as unknown as Span;
    },
  } as unknown as Tracer;
  trace.setGlobalTracerProvider({ getTracer: () => tracer });
  try {
    await withHttpApp(
      async ({ call }) => {
        await call("GET", "/quarry/v1/keys/apikey_1?x=secret");
        await call("GET", "/failure");
      },
      { routes },
    );
  } finally {
    trace.disable();
  }
  expect(spans).toEqual([
    {
      name: "GET /quarry/v1/keys/:id",
      attributes: {
        "http.request.method": "GET",
        "http.route": "/quarry/v1/keys/:id",
        "url.path": "/quarry/v1/keys/apikey_1",
        "http.response.status_code": 404,
      },
      failed: false,
      ended: true,
    },
    {
      name: "GET /failure",
      attributes: {
        "http.request.method": "GET",
        "http.route": "/failure",
        "url.path": "/failure",
        "http.response.status_code": 500,
      },
      failed: true,
      ended: true,
    },
  ]);
});
