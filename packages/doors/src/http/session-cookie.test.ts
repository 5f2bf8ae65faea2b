import { expect, it } from "vitest";
import { endedSessionCookie, readSessionToken, sessionCookie } from "./session-cookie.ts";

it.each([
  ["quarry_session=session_1", "session_1"],
  ["a=b; quarry_session=session_1; c=d", "session_1"],
  ["quarry_session=; quarry_session=session_2", "session_2"],
  ["quarry_session=", undefined],
  ["quarry_session", undefined],
  ["other_session=session_1", undefined],
  ["", undefined],
  [undefined, undefined],
])("is read from %j as %j", (header, token) => {
  expect(readSessionToken(header)).toBe(token);
});

it("is out of reach of scripts and other sites, secure where the server is, and ends", () => {
  const expiresAt = new Date("2026-03-01T12:00:00.000Z");
  const ends = "Expires=Sun, 01 Mar 2026 12:00:00 GMT";
  expect(sessionCookie("session_1", { expiresAt, isHttps: true })).toBe(
    `quarry_session=session_1; Path=/; HttpOnly; SameSite=Strict; Secure; ${ends}`,
  );
  expect(sessionCookie("session_1", { expiresAt, isHttps: false })).toBe(
    `quarry_session=session_1; Path=/; HttpOnly; SameSite=Strict; ${ends}`,
  );
  expect(endedSessionCookie({ isHttps: true })).toBe(
    "quarry_session=; Path=/; HttpOnly; SameSite=Strict; Secure; Max-Age=0",
  );
});
