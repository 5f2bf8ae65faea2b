import { AppError } from "@quarry/base";
import { meSchema, signInLinkSchema, signInSchema, signOutReplySchema, type Caller } from "@quarry/contract";
import { createSession, createSignInLink, endSession, getTeam, redeemSignInLink, type Credential } from "@quarry/store";
import { z } from "zod";
import { bytesReply, jsonReply, redirectReply, type Reply } from "../reply.ts";
import { defineRoute, type RequestContext, type Route } from "../route.ts";
import { endedSessionCookie, readSessionToken, sessionCookie } from "../session-cookie.ts";
import type { IdentityDeps } from "./identity-deps.ts";

/** What the session routes need. */
export interface SessionDeps extends IdentityDeps {
  readonly findKey: (secret: string) => Promise<Credential | undefined>;
  /** Whether the browser reached us by https, through a proxy in front. */
  readonly isHttps: (host: string | undefined) => boolean;
}

const tag = "Session";

/** Who is calling; signing a browser in and out. */
export function sessionRoutes(deps: SessionDeps): readonly Route[] {
  const isHttps = (context: RequestContext): boolean => deps.isHttps(context.headers.host);
  return [
    defineRoute({
      name: "getMe",
      method: "GET",
      path: "/quarry/v1/me",
      tag,
      summary: "Say who is calling: team, key and scopes",
      access: "any",
      response: meSchema,
      handle: (_, { caller }) => describeCaller(deps, caller),
    }),
    defineRoute({
      name: "signIn",
      method: "POST",
      path: "/quarry/v1/sign-in",
      tag,
      summary: "Open a browser session with a key",
      access: "open",
      body: signInSchema,
      response: meSchema,
      handle: async ({ body }, context) => {
        const credential = await deps.findKey(body.apiKey);
        if (credential === undefined) {
          throw new AppError("unauthenticated", "the API key is unknown, expired or revoked; check it and try again");
        }
        const { key, teamId, validUntil: until } = credential;
        const session = await createSession(deps.db, { teamId, keyId: key?.id ?? null, until }, deps.clock.now());
        const caller: Caller = {
          teamId,
          keyId: key?.id ?? null,
          name: key?.name ?? "console",
          scopes: key?.scopes ?? ["all"],
          via: "session",
        };
        const cookie = sessionCookie(session.token, { ...session, isHttps: isHttps(context) });
        return jsonReply(await describeCaller(deps, caller), { headers: { "set-cookie": cookie } });
      },
    }),
    defineRoute({
      name: "signOut",
      method: "POST",
      path: "/quarry/v1/sign-out",
      tag,
      summary: "End the browser session",
      access: "any",
      response: signOutReplySchema,
      handle: async (_, context) => {
        const token = readSessionToken(context.headers.cookie);
        if (token !== undefined) await endSession(deps.db, token);
        deps.forgetCredentials();
        const cookie = endedSessionCookie({ isHttps: isHttps(context) });
        return jsonReply({ success: true }, { headers: { "set-cookie": cookie } });
      },
    }),
    defineRoute({
      name: "createSignInLink",
      method: "POST",
      path: "/quarry/v1/sign-in-links",
      tag,
      summary: "Make a link that signs a browser in once",
      description: "The session has the rights of the calling key. The link lasts 15 minutes.",
      access: "any",
      status: 201,
      creates: "secret",
      response: signInLinkSchema,
      handle: async (_, { caller, baseUrl }) => {
        const link = await createSignInLink(deps.db, caller, deps.clock.now());
        return { url: signInUrl(baseUrl, link.token), expiresAt: link.expiresAt.toISOString() };
      },
    }),
    defineRoute({
      name: "openSignInLink",
      method: "GET",
      path: "/console/sign-in",
      tag,
      summary: "Open the console by a one-time link",
      access: "open",
      hidden: true,
      query: z.object({ token: z.string().max(200) }),
      response: z.unknown(),
      handle: async ({ query }, context) => {
        const session = await redeemSignInLink(deps.db, query.token, deps.clock.now());
        if (session === undefined) return refuseLink(context);
        const cookie = sessionCookie(session.token, { ...session, isHttps: isHttps(context) });
        return redirectReply("/console/", { "set-cookie": cookie });
      },
    }),
  ];
}

/** The address that a person opens to sign in with a link's token. */
export function signInUrl(baseUrl: string, token: string): string {
  return `${baseUrl}/console/sign-in?token=${encodeURIComponent(token)}`;
}

/** A person is looking at this, so it is a page, unless a program asked for something else. */
function refuseLink(context: RequestContext): Reply {
  const sentence = "This sign-in link was used already or has expired.";
  const advice =
    "Ask for a new one: the server prints one at every start, and POST /quarry/v1/sign-in-links makes one.";
  if (context.headers.accept?.includes("text/html") !== true) {
    throw new AppError("unauthenticated", `${sentence} ${advice}`, { details: { tag: "INVALID_SIGN_IN_LINK" } });
  }
  return bytesReply(
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>Quarry</title><h1>${sentence}</h1><p>${advice}</p></html>`,
    { mediaType: "text/html; charset=utf-8", status: 401 },
  );
}

async function describeCaller(deps: SessionDeps, caller: Caller): Promise<z.input<typeof meSchema>> {
  return {
    team: await getTeam(deps.db, caller.teamId),
    key: { id: caller.keyId, name: caller.name },
    scopes: [...caller.scopes],
    via: caller.via,
  };
}
