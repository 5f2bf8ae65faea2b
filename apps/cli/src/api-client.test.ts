import net from "node:net";
import { AppError } from "@quarry/base";
import { expect, it } from "vitest";
import { z } from "zod";
import { callApi, probe } from "./api-client.ts";
import type { ApiRequest } from "./api-client.ts";
import { serveApi } from "./testing.ts";

const never = new AbortController().signal;
const get: ApiRequest = { method: "GET", path: "/thing" };
const anySchema = z.unknown();

async function failureOf(call: Promise<unknown>): Promise<AppError> {
  const error: unknown = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(AppError);
  return AppError.from(error);
}

it("sends method, path, query, key and JSON body, and checks the reply", async () => {
  const api = await serveApi(() => ({ body: { id: "one", more: true } }));
  const request: ApiRequest = {
    method: "POST",
    path: "/thing",
    query: { a: "x y", b: 2, c: undefined },
    body: { ü: 1 },
  };
  const reply = await callApi({ url: `${api.url}/`, key: "k" }, request, z.object({ id: z.string() }), never);
  expect(reply).toEqual({ id: "one" });
  expect(api.seen).toEqual([{ method: "POST", url: "/thing?a=x+y&b=2", authorization: "Bearer k", body: { ü: 1 } }]);
});

it.each([
  [400, "invalid_request"],
  [401, "unauthenticated"],
  [402, "budget_exceeded"],
  [403, "forbidden"],
  [404, "not_found"],
  [409, "conflict"],
  [429, "rate_limited"],
  [500, "upstream_failed"],
  [503, "unavailable"],
  [302, "upstream_failed"],
])("turns status %i into %s", async (status, code) => {
  const api = await serveApi(() => ({ status, body: { error: "no", requestId: "r1" } }));
  const error = await failureOf(callApi({ url: api.url, key: "k" }, get, anySchema, never));
  expect([error.code, error.details]).toEqual([code, { status, requestId: "r1" }]);
});

it.each([
  [{ requestId: "r", error: "what went wrong", tag: "T" }, "what went wrong"],
  [{ statusCode: 404, error: "Not Found", message: "no such webset" }, "no such webset"],
  [{ error: { type: "NOT_FOUND", message: "no such run" } }, "no such run"],
  ["<html>a proxy</html>", "answered with status 404"],
])("finds the sentence in the body of each family: %j", async (body, sentence) => {
  const api = await serveApi(() => ({ status: 404, body }));
  const error = await failureOf(callApi({ url: api.url, key: "k" }, get, anySchema, never));
  expect(error.message).toContain(sentence);
});

it("says how long to wait and where to find more", async () => {
  const body = { error: "too fast", requestId: "r" };
  const api = await serveApi(() => ({ status: 429, headers: { "retry-after": "3" }, body }));
  const error = await failureOf(callApi({ url: api.url, key: "k" }, get, anySchema, never));
  expect([error.message, error.retryAfterMs]).toEqual(["too fast; try again in 3 s", 3000]);
});

it("refuses what is not JSON, or not in the form it knows", async () => {
  const text = await serveApi(() => ({ body: "<html>" }));
  expect((await failureOf(callApi({ url: text.url, key: "k" }, get, anySchema, never))).message).toContain("JSON");
  const other = await serveApi(() => ({ body: { data: [{ id: 1 }] } }));
  const schema = z.object({ data: z.array(z.object({ id: z.string() })) });
  expect((await failureOf(callApi({ url: other.url, key: "k" }, get, schema, never))).message).toContain("(data.0.id)");
});

it("says so when nobody listens, when the answer breaks off, and when none comes", async () => {
  const unused = await unusedPort();
  const nobody = await failureOf(callApi({ url: `http://127.0.0.1:${unused}`, key: "k" }, get, anySchema, never));
  expect([nobody.code, nobody.message]).toEqual(["unavailable", expect.stringContaining("ECONNREFUSED")]);
  const breaking = await serveApi(() => (response) => {
    response.writeHead(200, { "content-length": "100" });
    response.write("{", () => response.destroy());
  });
  expect((await failureOf(callApi({ url: breaking.url, key: "k" }, get, anySchema, never))).message).toContain(
    "broke off",
  );
  const silent = await serveApi(() => () => undefined);
  const late = await failureOf(callApi({ url: silent.url, key: "k" }, { ...get, timeoutMs: 50 }, anySchema, never));
  expect([late.code, late.message]).toEqual(["timeout", expect.stringContaining("no answer within 0.05 s")]);
});

it("rejects as aborted, not as failed", async () => {
  const stop = new AbortController();
  const api = await serveApi(() => () => stop.abort());
  await expect(callApi({ url: api.url, key: "k" }, get, anySchema, stop.signal)).rejects.toThrow("aborted");
});

it("probes without a key and takes silence for an answer", async () => {
  const api = await serveApi(() => ({ status: 404 }));
  expect(await probe(`${api.url}/healthz`, 1000, never)).toBe(200);
  expect(await probe(`${api.url}/other`, 1000, never)).toBe(404);
  expect(api.seen[0]?.authorization).toBeUndefined();
  expect(await probe(`http://127.0.0.1:${await unusedPort()}/healthz`, 1000, never)).toBeUndefined();
});

/** A port that was free a moment ago. */
async function unusedPort(): Promise<number> {
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return typeof address === "object" && address !== null ? address.port : 0;
}
