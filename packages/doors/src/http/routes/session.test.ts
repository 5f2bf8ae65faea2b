import { createSignInLink } from "@quarry/store";
import { verifies } from "@quarry/tests";
import { expect, it } from "vitest";
import { useHttpApp, withHttpApp, type HttpWorld } from "../../testing.ts";
import { signInUrl } from "./session.ts";

const world = useHttpApp();
const ownPage = { origin: "http://localhost:7700" };

async function signIn({ call, db, teamId, clock }: HttpWorld): Promise<string> {
  const { token } = await createSignInLink(db, { teamId, keyId: null }, clock.now());
  const reply = await call("GET", `/console/sign-in?token=${token}`, { key: null });
  return String(reply.headers["set-cookie"]).split(";")[0] ?? "";
}

verifies(
  ["security:browser:one-time-link", "security:browser:session-cookie"],
  "trades a link for a cookie that scripts and other sites cannot use, once",
  async () => {
    const { call, db, teamId, clock } = world();
    const { token } = await createSignInLink(db, { teamId, keyId: null }, clock.now());
    const path = signInUrl("", token);
    const replies = await Promise.all(Array.from({ length: 5 }, () => call("GET", path, { key: null })));
    const opened = replies.filter((reply) => reply.statusCode === 303);
    expect(opened).toHaveLength(1);
    expect(opened[0]?.headers).toMatchObject({
      location: "/console/",
      "set-cookie": expect.stringMatching(
        /^quarry_session=session_[0-9a-f]{48}; Path=\/; HttpOnly; SameSite=Strict; Expires=Sun, 08 Mar 2026 12:00:00 GMT$/,
      ) as string,
    });
    const refused = replies.find((reply) => reply.statusCode !== 303);
    expect([refused?.statusCode, refused?.json()]).toEqual([
      401,
      expect.objectContaining({
        tag: "INVALID_SIGN_IN_LINK",
        error: expect.stringContaining("used already") as string,
      }),
    ]);
    const page = await call("GET", path, { key: null, headers: { accept: "text/html" } });
    expect([page.statusCode, page.headers["content-type"]]).toEqual([401, "text/html; charset=utf-8"]);
  },
);

it("does not use a link up when something only looks at it with HEAD", async () => {
  const { call, db, teamId, clock } = world();
  const { token } = await createSignInLink(db, { teamId, keyId: null }, clock.now());
  await call("HEAD", `/console/sign-in?token=${token}`, { key: null });
  expect((await call("GET", `/console/sign-in?token=${token}`, { key: null })).statusCode).toBe(303);
});

it("lets a session read, and change things only from our own page", async () => {
  const { call } = world();
  const cookie = await signIn(world());
  const body = { name: "made in the console" };
  const make = (headers: Readonly<Record<string, string>>) =>
    call("POST", "/quarry/v1/keys", { key: null, headers: { cookie, ...headers }, body });
  expect((await call("GET", "/quarry/v1/me", { key: null, headers: { cookie } })).json()).toMatchObject({
    via: "session",
    scopes: ["all"],
  });
  expect([(await make(ownPage)).statusCode, (await make({})).statusCode]).toEqual([201, 403]);
  expect((await make({ origin: "http://localhost:5173" })).statusCode).toBe(403);
  expect((await call("GET", "/quarry/v1/me", { headers: { cookie }, key: "wrong" })).statusCode).toBe(401);
});

verifies("security:browser:sign-out", "signs out on the server and in the browser", async () => {
  const { call } = world();
  const cookie = await signIn(world());
  const headers = { cookie, ...ownPage };
  const out = await call("POST", "/quarry/v1/sign-out", { key: null, headers });
  expect([out.statusCode, out.json(), out.headers["set-cookie"]]).toEqual([
    200,
    { success: true },
    "quarry_session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0",
  ]);
  expect((await call("GET", "/quarry/v1/me", { key: null, headers })).statusCode).toBe(401);
});

it("signs in with a key, with that key's rights, as long as it works", async () => {
  const { call, makeKey } = world();
  const { key, secret } = await makeKey({ scopes: ["search"] });
  const reply = await call("POST", "/quarry/v1/sign-in", { key: null, headers: ownPage, body: { apiKey: secret } });
  expect(reply.json()).toMatchObject({ key: { id: key.id }, scopes: ["search"], via: "session" });
  const headers = { ...ownPage, cookie: String(reply.headers["set-cookie"]).split(";")[0] ?? "" };
  expect((await call("GET", "/quarry/v1/me", { key: null, headers })).statusCode).toBe(200);
  expect((await call("GET", "/quarry/v1/keys", { key: null, headers })).statusCode).toBe(403);
  await call("DELETE", `/quarry/v1/keys/${key.id}`);
  expect((await call("GET", "/quarry/v1/me", { key: null, headers })).statusCode).toBe(401);
  const wrong = await call("POST", "/quarry/v1/sign-in", { key: null, body: { apiKey: "wrong" } });
  expect(wrong.statusCode).toBe(401);
  const foreign = await call("POST", "/quarry/v1/sign-in", {
    key: null,
    headers: { origin: "https://evil.example" },
    body: { apiKey: secret },
  });
  expect(foreign.statusCode).toBe(403);
});

it("lets sessions end by themselves", async () => {
  await withHttpApp(async (own) => {
    const cookie = await signIn(own);
    own.clock.advance(7 * 24 * 3_600_000);
    expect((await own.call("GET", "/quarry/v1/me", { key: null, headers: { cookie } })).statusCode).toBe(401);
  });
});

it("makes links with the caller's rights, under the address others use, and marks cookies Secure there", async () => {
  await withHttpApp(
    async ({ call, makeKey }) => {
      const { secret } = await makeKey({ scopes: ["websets"] });
      const made = await call("POST", "/quarry/v1/sign-in-links", { key: secret });
      const { url } = made.json<{ url: string }>();
      expect(url).toMatch(/^https:\/\/quarry\.example\/console\/sign-in\?token=link_/);
      const path = url.replace("https://quarry.example", "");
      const opened = await call("GET", path, { key: null, headers: { host: "quarry.example" } });
      expect(opened.headers["set-cookie"]).toContain("; Secure");
      const cookie = String(opened.headers["set-cookie"]).split(";")[0] ?? "";
      const me = await call("GET", "/quarry/v1/me", { key: null, headers: { cookie } });
      expect(me.json()).toMatchObject({ scopes: ["websets"] });
    },
    { publicUrl: "https://quarry.example/" },
  );
});

it.each([
  [
    "a sign-in",
    async ({ call }: HttpWorld, apiKey: string) =>
      call("POST", "/quarry/v1/sign-in", { key: null, headers: ownPage, body: { apiKey } }),
  ],
  [
    "a sign-in link",
    async ({ call }: HttpWorld, key: string) => {
      const { url } = (await call("POST", "/quarry/v1/sign-in-links", { key })).json<{ url: string }>();
      const { pathname, search } = new URL(url);
      return call("GET", pathname + search, { key: null });
    },
  ],
])("ends a session that %s with a rotated key's old secret opened at the end of that secret's grace", (_, open) =>
  withHttpApp(async (own) => {
    const { call, makeKey, clock } = own;
    const { key, secret } = await makeKey({ scopes: ["search"] });
    await call("POST", `/quarry/v1/keys/${key.id}/rotate`, { body: { graceSeconds: 3_600 } });
    const reply = await open(own, secret);
    const cookie = String(reply.headers["set-cookie"]);
    expect(cookie).toContain("Expires=Sun, 01 Mar 2026 13:00:00 GMT");
    const look = async (): Promise<number> =>
      (await call("GET", "/quarry/v1/me", { key: null, headers: { cookie: cookie.split(";")[0] ?? "" } })).statusCode;
    expect(await look()).toBe(200);
    clock.advance(3_600_000);
    expect(await look()).toBe(401);
  }),
);

it("lets no link that the old secret made outlive its grace", () =>
  withHttpApp(async ({ call, makeKey, clock }) => {
    const { key, secret } = await makeKey();
    await call("POST", `/quarry/v1/keys/${key.id}/rotate`, { body: { graceSeconds: 60 } });
    const made = await call("POST", "/quarry/v1/sign-in-links", { key: secret });
    expect(made.json()).toMatchObject({ expiresAt: "2026-03-01T12:01:00.000Z" });
    clock.advance(60_000);
    const { pathname, search } = new URL(made.json<{ url: string }>().url);
    expect((await call("GET", pathname + search, { key: null })).statusCode).toBe(401);
  }));
