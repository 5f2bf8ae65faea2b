import { expect, it } from "vitest";
import { z } from "zod";
import { createRouteFinder } from "./find-route.ts";
import { defineRoute, type Route } from "./route.ts";

function route(method: Route["method"], path: string): Route {
  return defineRoute({
    name: `${method} ${path}`,
    method,
    path,
    tag: "Test",
    summary: "A test",
    access: "open",
    response: z.unknown(),
    handle: () => Promise.resolve({}),
  });
}

const explain = createRouteFinder([
  route("POST", "/search"),
  route("POST", "/findSimilar"),
  route("GET", "/quarry/v1/keys/:id"),
  route("DELETE", "/quarry/v1/keys/:id"),
  route("GET", "/websets/v0/websets"),
]);

it.each([
  ["GET", "/serach", "there is no GET /serach; did you mean POST /search?"],
  ["POST", "/findsimilar", "there is no POST /findsimilar; did you mean POST /findSimilar?"],
  ["GET", "/websets/v0/webset", "there is no GET /websets/v0/webset; did you mean GET /websets/v0/websets?"],
  ["GET", "/nothing/like/it", "there is no GET /nothing/like/it; see /docs for all routes"],
])("%s %s: %s", (method, path, message) => {
  const error = explain(method, path);
  expect([error.code, error.message, error.details]).toEqual(["not_found", message, {}]);
});

it("names the methods when only the method is wrong, on the alias too", () => {
  const error = explain("PATCH", "/quarry/v1/keys/apikey_1");
  expect(error.message).toBe("PATCH is not possible on /quarry/v1/keys/apikey_1; use GET or DELETE");
  expect(error.details).toEqual({ status: 405, tag: "METHOD_NOT_ALLOWED", headers: { allow: "GET, DELETE" } });
  expect(explain("POST", "/v0/websets").details).toMatchObject({ headers: { allow: "GET" } });
});

it("answers a path of any length quickly and briefly", () => {
  const started = performance.now();
  const error = explain("GET", `/${"a".repeat(16_000)}`);
  expect(performance.now() - started).toBeLessThan(100);
  expect(error.message.length).toBeLessThan(300);
});
