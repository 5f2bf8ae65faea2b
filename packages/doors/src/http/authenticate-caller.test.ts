import type { ApiKey, Credential } from "@quarry/store";
import { describe, expect, it } from "vitest";
import { fakeClock } from "../testing-clock.ts";
import { authenticate, requireAccess, type AuthFacts } from "./authenticate.ts";
import { createCredentialCache, type CredentialCache } from "./credential-cache.ts";

const key: ApiKey = {
  id: "key_1",
  teamId: "team_1",
  name: "agent",
  hint: "…abcd",
  scopes: ["search"],
  budgetDollars: null,
  spentDollars: 0,
  rateLimitPerSecond: null,
  createdAt: new Date(0),
  updatedAt: new Date(0),
  lastUsedAt: null,
  expiresAt: null,
  revokedAt: null,
  previousSecretExpiresAt: null,
};
const ofKey: Credential = { teamId: "team_1", key, validUntil: null };
const ofLink: Credential = { teamId: "team_1", key: null, validUntil: null };

function cacheOf(known: Readonly<Record<string, Credential>>): CredentialCache {
  return createCredentialCache(fakeClock(), (secret) => Promise.resolve(known[secret]));
}

const caches = { keys: cacheOf({ good: ofKey }), sessions: cacheOf({ token: ofLink, ofKey }) };

function callWith(headers: AuthFacts["headers"], facts: Partial<AuthFacts> = {}): ReturnType<typeof authenticate> {
  return authenticate({ mode: "key" }, caches, { headers, isSafe: true, originKind: "none", ...facts });
}

describe("a caller", () => {
  it("with a key is its team's, under the key's name and with its scopes", async () => {
    expect(await callWith({ "x-api-key": "good" })).toEqual({
      caller: { teamId: "team_1", keyId: "key_1", name: "agent", scopes: ["search"], via: "key" },
      credential: ofKey,
      secret: "good",
    });
  });

  it("with the session of the printed link may do everything, as the console", async () => {
    expect(await callWith({ cookie: "quarry_session=token" })).toEqual({
      caller: { teamId: "team_1", keyId: null, name: "console", scopes: ["all"], via: "session" },
      credential: ofLink,
      secret: "token",
    });
  });

  it("with the session of a key may do what the key may", async () => {
    const found = await callWith({ cookie: "quarry_session=ofKey" });
    expect(found?.caller).toMatchObject({ keyId: "key_1", scopes: ["search"], via: "session" });
  });

  it("is nobody without a key and a session, or with a session that is unknown", async () => {
    expect(await callWith({})).toBeUndefined();
    expect(await callWith({ "x-api-key": " " })).toBeUndefined();
    expect(await callWith({ cookie: "quarry_session=old" })).toBeUndefined();
    expect(await callWith({ cookie: "quarry_session=old" }, { isSafe: false })).toBeUndefined();
  });

  it("that shows a wrong key is refused, whatever its session", async () => {
    await expect(callWith({ "x-api-key": "bad", cookie: "quarry_session=token" })).rejects.toMatchObject({
      code: "unauthenticated",
      message: expect.stringContaining("unknown, expired or revoked") as string,
    });
  });

  it.each([
    ["reads from nowhere", true, "none", true],
    ["reads from another page", true, "cross", true],
    ["changes from our page", false, "same", true],
    ["changes from nowhere", false, "none", false],
    ["changes from another page", false, "cross", false],
  ] as const)("by a session %s", async (_, isSafe, originKind, isLetIn) => {
    const called = callWith({ cookie: "quarry_session=token" }, { isSafe, originKind });
    if (isLetIn) expect((await called)?.caller.via).toBe("session");
    else await expect(called).rejects.toMatchObject({ code: "forbidden", details: { tag: "ORIGIN_NOT_ALLOWED" } });
  });

  it("by a key may change things from any page that is let in", async () => {
    expect(await callWith({ "x-api-key": "good" }, { isSafe: false, originKind: "cross" })).toBeDefined();
  });

  it("is anybody where no key is asked for", async () => {
    const facts = { headers: { "x-api-key": "bad" }, isSafe: false, originKind: "none" } as const;
    expect(await authenticate({ mode: "none", teamId: "team_2" }, caches, facts)).toEqual({
      caller: { teamId: "team_2", keyId: null, name: "no key needed", scopes: ["all"], via: "none" },
      credential: undefined,
      secret: "",
    });
  });

  it.each([
    [{ authorization: "Bearer good" }, true],
    [{ authorization: "bearer  good " }, true],
    [{ authorization: "Bearer good", "x-api-key": "bad" }, true],
    [{ authorization: "Basic good" }, false],
    [{ authorization: "xBearer good" }, false],
    [{ "x-api-key": " good " }, true],
    [{ "x-api-key": ["good", "bad"] }, true], // as Node gives a header that was sent twice
  ])("with %j: %j", async (headers, isKnown) => {
    expect((await callWith(headers)) !== undefined).toBe(isKnown);
  });
});

describe("access", () => {
  const caller = { teamId: "team_1", keyId: "key_1", name: "agent", scopes: ["search"], via: "key" } as const;

  it("is open to nobody in particular, to any caller, or to those with the scope", () => {
    expect(() => requireAccess("open", undefined)).not.toThrow();
    expect(() => requireAccess("any", { ...caller, scopes: [] })).not.toThrow();
    expect(() => requireAccess("search", caller)).not.toThrow();
    expect(() => requireAccess("admin", { ...caller, scopes: ["all"] })).not.toThrow();
  });

  it("is refused to nobody, and without the scope", () => {
    for (const access of ["any", "search"] as const) {
      expect(() => requireAccess(access, undefined)).toThrow("no API key was sent");
    }
    let refusal: unknown;
    try {
      requireAccess("admin", caller);
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toMatchObject({ code: "forbidden", details: { tag: "INSUFFICIENT_SCOPE" } });
  });
});
