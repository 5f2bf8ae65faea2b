import { AppError } from "@quarry/base";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import {
  authenticate,
  requireAccess,
  type Authenticated,
  type AuthMode,
  type CredentialCaches,
} from "./authenticate.ts";
import { createStreamEnder } from "./end-streams.ts";
import type { OriginFacts, OriginKind } from "./guard-origin.ts";
import { meterRequest, type MeterDeps } from "./meter-request.ts";
import { corsHeaders, PREFLIGHT_HEADERS } from "./response-headers.ts";
import { JSON_HEADERS } from "./send-reply.ts";

/** What decides whether a request gets in. */
export interface AdmitDeps {
  readonly auth: AuthMode;
  readonly caches: CredentialCaches;
  readonly guardOrigin: (facts: OriginFacts) => OriginKind;
  readonly meter: MeterDeps;
  /** Why a request met no route. */
  readonly explainMiss: (method: string, path: string) => AppError;
  readonly stopping: AbortSignal;
}

const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);
const STOPPING_RETRY_MS = 2_000;

/**
 * Checks every request before its body is read: where it comes from, who calls,
 * whether they may, and how often. Refusals are thrown for the error handler.
 */
export function admitRequests(app: FastifyInstance, deps: AdmitDeps): void {
  const follow = createStreamEnder(app);
  app.addHook("onRequest", async (request, reply) => {
    const originKind = deps.guardOrigin({
      host: hostOf(request),
      origin: request.headers.origin,
      localAddress: request.socket.localAddress,
    });
    void reply.headers(corsHeaders(originKind, request.headers.origin));
    if (originKind === "cross" && isPreflight(request)) return answerPreflight(reply);
    if (deps.stopping.aborted) {
      throw new AppError("unavailable", "the server is stopping; try again shortly", {
        retryable: true,
        retryAfterMs: STOPPING_RETRY_MS,
      });
    }
    if (request.url.includes("%00")) {
      throw new AppError("invalid_request", "the address holds the character U+0000, which no name has; leave it out");
    }
    // That there is no such route needs no key, and no look at the body.
    if (request.is404) throw deps.explainMiss(request.method, request.url.split("?", 1)[0] ?? "/");
    if (request.state === null) throw new AppError("internal", "a request was admitted before it was observed");
    const { route, access = route?.access ?? "all" } = request.routeOptions.config;
    // Clients name a type on every request; where no body is read it must not matter, however odd.
    if (route !== undefined && route.body === undefined) delete request.headers["content-type"];
    if (access === "open") return undefined;
    const { state } = request;
    const facts = { headers: request.headers, isSafe: SAFE_METHODS.has(request.method), originKind };
    const admit = async (): Promise<Authenticated | undefined> => {
      const authenticated = await authenticate(deps.auth, deps.caches, facts);
      state.authenticated ??= authenticated; // of a refused request too: its usage record names the key
      requireAccess(access, authenticated?.caller);
      return authenticated;
    };
    const authenticated = await admit();
    follow(request, reply, admit);
    if (authenticated !== undefined && route !== undefined) {
      void reply.headers({ ...meterRequest(deps.meter, route, authenticated) });
    }
    return undefined;
  });
}

/** The one Host; undefined when several were sent, of which Node shows the first. HTTP/2 has a pseudo-header for it. */
function hostOf(request: FastifyRequest): string | undefined {
  const authority: unknown = request.headers[":authority"];
  if (typeof authority === "string") return authority;
  const { rawHeaders } = request.raw;
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === "host");
  return hosts.length > 1 ? undefined : request.headers.host;
}

function isPreflight(request: FastifyRequest): boolean {
  return request.method === "OPTIONS" && request.headers["access-control-request-method"] !== undefined;
}

function answerPreflight(reply: FastifyReply): FastifyReply {
  return reply
    .code(200)
    .headers({ ...PREFLIGHT_HEADERS, ...JSON_HEADERS })
    .send("{}");
}
