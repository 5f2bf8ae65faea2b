import { AppError } from "@quarry/base";
import { expect, it } from "vitest";
import { createOriginGuard, type OriginFacts, type OriginPolicy } from "./guard-origin.ts";

const strict: OriginPolicy = { allowedHosts: [], corsOrigins: [] };

function judge(policy: OriginPolicy, facts: Partial<OriginFacts>): string {
  try {
    return createOriginGuard(policy)({ host: "localhost:7700", origin: undefined, localAddress: undefined, ...facts });
  } catch (error) {
    return error instanceof AppError ? error.code : "another error";
  }
}

it.each([
  ["localhost:7700", "none"],
  ["LOCALHOST", "none"],
  ["localhost.", "none"],
  ["app.localhost:7700", "none"],
  ["127.0.0.1:7700", "none"],
  ["127.9.9.9", "none"],
  ["[::1]:7700", "none"],
  ["evil.example", "forbidden"],
  ["evil.example:7700", "forbidden"],
  ["localhost.evil.example", "forbidden"],
  ["127.0.0.1.evil.example", "forbidden"],
  ["127.evil", "forbidden"],
  ["evillocalhost", "forbidden"],
  ["10.0.0.5:7700", "forbidden"],
  ["0.0.0.0:7700", "forbidden"],
  ["localhost:7700@evil.example", "invalid_request"],
  ["localhost/evil", "invalid_request"],
  ["local host", "invalid_request"],
  ["", "invalid_request"],
  [undefined, "invalid_request"],
])("host %j: %s", (host, verdict) => {
  expect(judge(strict, { host })).toBe(verdict);
});

it("answers to the address the connection came in at, to allowed hosts and to the public URL's", () => {
  expect(judge(strict, { host: "10.0.0.5:7700", localAddress: "::ffff:10.0.0.5" })).toBe("none");
  expect(judge(strict, { host: "[fe80::1]:7700", localAddress: "fe80::1%eth0" })).toBe("none");
  expect(judge({ ...strict, allowedHosts: ["Quarry.lan"] }, { host: "quarry.lan:7700" })).toBe("none");
  expect(judge({ ...strict, publicUrl: "https://quarry.example" }, { host: "quarry.example" })).toBe("none");
});

it.each([
  ["http://localhost:7700", "same"],
  ["http://LOCALHOST:7700", "same"],
  ["http://localhost:5173", "forbidden"],
  ["http://127.0.0.1:7700", "forbidden"],
  ["http://evil.example", "forbidden"],
  ["null", "forbidden"],
  ["", "forbidden"],
  ["file://localhost:7700", "forbidden"],
  ["chrome-extension://localhost:7700", "forbidden"],
])("origin %j of a call to localhost:7700: %s", (origin, verdict) => {
  expect(judge(strict, { origin })).toBe(verdict);
});

it.each([
  ["quarry.lan", "http://quarry.lan", "same"],
  ["quarry.lan", "https://quarry.lan", "same"],
  ["quarry.lan", "http://quarry.lan:80", "same"],
  ["quarry.lan", "https://quarry.lan:443", "same"],
  ["quarry.lan", "http://quarry.lan:443", "forbidden"],
  ["quarry.lan", "https://quarry.lan:80", "forbidden"],
  ["quarry.lan:80", "http://quarry.lan", "same"],
  ["quarry.lan:443", "https://quarry.lan", "same"],
  ["quarry.lan:80", "https://quarry.lan", "forbidden"],
  ["quarry.lan:443", "http://quarry.lan", "forbidden"],
  ["[::1]:7700", "http://[::1]:7700", "same"],
  ["[::1]:7700", "http://[::1]:7701", "forbidden"],
])("a call to %s from %s: %s", (host, origin, verdict) => {
  expect(judge({ ...strict, allowedHosts: ["quarry.lan"] }, { host, origin })).toBe(verdict);
});

it("says what is wrong: the host, or the page", () => {
  const detailsOf = (facts: Partial<OriginFacts>): unknown => {
    try {
      return createOriginGuard(strict)({ host: "localhost", origin: undefined, localAddress: undefined, ...facts });
    } catch (error) {
      return error instanceof AppError ? error.details : error;
    }
  };
  expect(detailsOf({ host: "evil.example" })).toEqual({ tag: "HOST_NOT_ALLOWED" });
  expect(detailsOf({ origin: "http://evil.example" })).toEqual({ tag: "ORIGIN_NOT_ALLOWED" });
});

it("takes the public URL's pages for its own, also behind a proxy that changes the host", () => {
  const policy = { ...strict, publicUrl: "https://quarry.example" };
  expect(judge(policy, { origin: "https://quarry.example" })).toBe("same");
  expect(judge(policy, { host: "quarry.example", origin: "https://quarry.example" })).toBe("same");
  expect(judge(policy, { origin: "https://quarry.example:8443" })).toBe("forbidden");
});

it("lets the named origins in, or all, as foreign ones", () => {
  expect(judge({ ...strict, corsOrigins: ["https://app.example"] }, { origin: "https://app.example" })).toBe("cross");
  expect(judge({ ...strict, corsOrigins: ["https://app.example"] }, { origin: "https://app.example.evil" })).toBe(
    "forbidden",
  );
  expect(judge({ ...strict, corsOrigins: ["*"] }, { origin: "null" })).toBe("cross");
});
