import { AppError } from "@quarry/base";
import { errorSchemas } from "@quarry/contract";
import { verifies } from "@quarry/tests";
import { expect, it } from "vitest";
import { describeError } from "./error-body.ts";
import { familyOfPath } from "./error-family.ts";
import { ERROR_TABLE } from "./error-table.ts";

const request = {
  requestId: "0123456789abcdef0123456789abcdef",
  path: "/websets/v0/websets/abc",
  now: new Date("2026-02-08T10:00:00.000Z"),
};

verifies("http:errors:search-shape", "writes an error of the search family", () => {
  expect(describeError("search", new AppError("not_found", "no such page"), request)).toEqual({
    status: 404,
    headers: {},
    body: { requestId: request.requestId, error: "no such page", tag: "NOT_FOUND" },
  });
});

verifies(
  ["http:errors:websets-shape", "http:errors:details-for-validation"],
  "writes an error of the websets family, with the refused fields",
  () => {
    const error = new AppError("invalid_request", "count: expected a number", {
      details: { issues: [{ path: "count", message: "expected a number" }] },
    });
    expect(describeError("websets", error, request)).toEqual({
      status: 400,
      headers: {},
      body: {
        statusCode: 400,
        timestamp: "2026-02-08T10:00:00.000Z",
        path: "/v0/websets/abc",
        error: "Bad Request",
        message: "count: expected a number",
        details: [{ path: "count", message: "expected a number" }],
      },
    });
  },
);

verifies("http:errors:agent-envelope", "writes an error of the agent family", () => {
  const error = new AppError("not_found", "no such run", { details: { agentCode: "RUN_NOT_FOUND" } });
  expect(describeError("agent", error, request).body).toEqual({
    error: { type: "NOT_FOUND", code: "RUN_NOT_FOUND", message: "no such run", detail: {} },
    requestId: request.requestId,
  });
});

verifies(["http:errors:overload-tag", "http:limits:retry-after"], "tells when to come back, in whole seconds", () => {
  const error = new AppError("unavailable", "too busy", { retryAfterMs: 1_200 });
  expect(describeError("search", error, request)).toEqual({
    status: 503,
    headers: { "retry-after": "2" },
    body: { requestId: request.requestId, error: "too busy", tag: "SERVICE_OVERLOADED" },
  });
});

it("keeps the published status and tag of every code", () => {
  expect(
    Object.fromEntries(Object.entries(ERROR_TABLE).map(([code, wire]) => [code, [wire.status, wire.tag]])),
  ).toEqual({
    invalid_request: [400, "INVALID_REQUEST"],
    unauthenticated: [401, "INVALID_API_KEY"],
    budget_exceeded: [402, "API_KEY_BUDGET_EXCEEDED"],
    forbidden: [403, "FORBIDDEN"],
    not_found: [404, "NOT_FOUND"],
    conflict: [409, "CONFLICT"],
    gone: [410, "GONE"],
    too_large: [413, "REQUEST_TOO_LARGE"],
    unprocessable: [422, "UNPROCESSABLE_REQUEST"],
    rate_limited: [429, "RATE_LIMIT_EXCEEDED"],
    canceled: [499, "CLIENT_CLOSED_REQUEST"],
    internal: [500, "INTERNAL_ERROR"],
    upstream_failed: [502, "UPSTREAM_FAILED"],
    unavailable: [503, "SERVICE_OVERLOADED"],
    timeout: [504, "TIMEOUT"],
  });
});

it("fits its own schema for every code and family", () => {
  for (const code of Object.keys(ERROR_TABLE) as (keyof typeof ERROR_TABLE)[]) {
    for (const family of ["search", "websets", "agent"] as const) {
      const { body } = describeError(family, new AppError(code, "a sentence"), request);
      expect(errorSchemas[family].safeParse(body).error).toBeUndefined();
    }
  }
});

it.each([
  ["/search", "search"],
  ["/quarry/v1/keys", "search"],
  ["/websets/v0/websets?x=1", "websets"],
  ["/v0", "websets"],
  ["/v0/websets", "websets"],
  ["/v0x", "search"],
  ["/agent/runs", "agent"],
  ["/agents", "search"],
  ["/monitors", "search"],
])("puts %s into the family %s", (path, family) => {
  expect(familyOfPath(path)).toBe(family);
});
