import { AppError, makeId, makeRequestId, type Clock } from "@quarry/base";
import type { Health, Readiness } from "@quarry/contract";
import { findKeyCredential, findSessionCredential, writeUsage, type Database } from "@quarry/store";
import { fastify, LogController, type FastifyBaseLogger, type FastifyInstance } from "fastify";
import type { AuthMode } from "./authenticate.ts";
import { acceptBodies } from "./accept-bodies.ts";
import { answerSocketError } from "./answer-socket-error.ts";
import { createCredentialCache } from "./credential-cache.ts";
import { familyOfPath } from "./error-family.ts";
import { createRouteFinder } from "./find-route.ts";
import { createOriginGuard } from "./guard-origin.ts";
import { createIdempotency } from "./idempotency.ts";
import type { Metrics } from "./metrics.ts";
import { mountRoute } from "./mount-route.ts";
import { observeRequests } from "./observe-requests.ts";
import { buildOpenApi } from "./openapi.ts";
import { createRateLimiter, type RateLimits } from "./rate-limit.ts";
import { admitRequests } from "./admit-requests.ts";
import { rewriteUrl } from "./rewrite-url.ts";
import type { Route } from "./route.ts";
import { consoleRoutes } from "./routes/console.ts";
import { docsRoutes } from "./routes/docs.ts";
import { eventRoutes } from "./routes/events.ts";
import { readGuides, type Guides } from "./routes/guides.ts";
import { healthRoutes } from "./routes/health.ts";
import { keyRoutes } from "./routes/keys.ts";
import { llmsTxtRoutes } from "./routes/llms-txt.ts";
import { sessionRoutes } from "./routes/session.ts";
import { teamManagementRoutes } from "./routes/team-management.ts";
import { usageRoutes } from "./routes/usage.ts";
import { sendError } from "./send-error.ts";
import { UsageRecorder } from "./usage-recorder.ts";

/** Everything the HTTP door needs from outside. */
export interface HttpAppDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: FastifyBaseLogger;
  readonly version: string;
  readonly auth: AuthMode;
  /** `health` mounts /healthz, /readyz, health and metrics alone: a worker answers for itself and serves no API. */
  readonly serves: "everything" | "health";
  /** The endpoints of the other rooms. Keys, usage, health, documentation and console are mounted by themselves. */
  readonly routes: readonly Route[];
  /** Host names and addresses this server answers to, beside loopback and the public URL's. */
  readonly allowedHosts: readonly string[];
  /** Under which address others reach the server (QUARRY_PUBLIC_URL). */
  readonly publicUrl?: string | undefined;
  /** Origins whose pages may call; "*" for any; none by default. */
  readonly corsOrigins: readonly string[];
  readonly rateLimits: RateLimits;
  readonly metrics: Metrics;
  readonly readiness: () => Promise<Readiness> | Readiness;
  readonly health: () => Promise<Omit<Health, "status">>;
  /** The built console; without it /console/ says that it is not built. */
  readonly consoleDirectory?: string | undefined;
  /** The guides, as Markdown; without them /docs/ has the API alone. */
  readonly docsDirectory?: string | undefined;
  readonly maxBodyBytes?: number | undefined;
  /** Checks every JSON reply against its route's schema: for tests. */
  readonly checkResponses?: boolean | undefined;
}

const DEFAULT_MAX_BODY_BYTES = 4 * 1024 * 1024;
/** Ids may be whole URLs. */
const MAX_PARAMETER_CHARACTERS = 4_096;

/**
 * Builds the HTTP door: every route, with host and origin checks, keys, limits,
 * usage, idempotency and errors in the shape of the family. The caller listens
 * and closes; closing ends event streams, lets other requests finish, and writes
 * the usage that is left.
 */
export function createHttpApp(deps: HttpAppDeps): FastifyInstance {
  requireSafeSettings(deps);
  const stopping = new AbortController();
  const caches = {
    keys: createCredentialCache(deps.clock, (secret) => findKeyCredential(deps.db, secret)),
    sessions: createCredentialCache(deps.clock, (token) => findSessionCredential(deps.db, token)),
  };
  const forgetCredentials = (): void => {
    caches.keys.forgetAll();
    caches.sessions.forgetAll();
  };
  const lostUsage = deps.metrics.counter("quarry_usage_records_lost_total", "Usage records that could not be kept.");
  const recorder = new UsageRecorder({
    log: deps.log,
    onLost: (count) => lostUsage.add({}, count),
    write: async (records) => {
      await writeUsage(deps.db, records);
      if (records.some((record) => record.costDollars !== 0)) forgetCredentials(); // what keys have spent has changed
    },
  });

  const identity = { db: deps.db, clock: deps.clock, forgetCredentials };
  const publicUrl = deps.publicUrl?.replace(/(?<!\/)\/+$/, "");
  let reading: Promise<Guides> | undefined;
  const guides = (): Promise<Guides> => {
    reading ??= readGuides(deps.docsDirectory).catch((error: unknown) => {
      reading = undefined; // no descriptor was left, say: the next one reads them
      throw error;
    });
    return reading;
  };
  const everything = (): readonly Route[] => [
    ...deps.routes,
    ...keyRoutes(identity),
    ...teamManagementRoutes({ ...identity, recorder }),
    ...usageRoutes({ ...identity, recorder }),
    ...eventRoutes(identity),
    ...sessionRoutes({ ...identity, findKey: (secret) => caches.keys.get(secret), isHttps: httpsCheck(publicUrl) }),
    ...docsRoutes({ openApiDocument: () => buildOpenApi(routes, { version: deps.version, publicUrl }), guides }),
    ...llmsTxtRoutes({ guides }),
    ...consoleRoutes({ directory: deps.consoleDirectory }),
  ];
  const routes: readonly Route[] = [...(deps.serves === "everything" ? everything() : []), ...healthRoutes(deps)];
  requireDistinct(routes);

  const app = fastify({
    loggerInstance: deps.log,
    logController: new LogController({ disableRequestLogging: true }), // observeRequests writes the one line
    genReqId: (raw) => (familyOfPath(raw.url ?? "") === "websets" ? makeId("req") : makeRequestId()),
    rewriteUrl: (raw) => rewriteUrl(raw.url ?? "/"),
    exposeHeadRoutes: false,
    return503OnClosing: false, // admitRequests says it in the family's shape
    forceCloseConnections: "idle",
    clientErrorHandler: answerSocketError,
    http: { requireHostHeader: false }, // admitRequests refuses with a body
    frameworkErrors: (error, request, reply) => {
      void sendError(deps.clock, request, reply, error);
    },
    routerOptions: { maxParamLength: MAX_PARAMETER_CHARACTERS },
  });
  app.decorateRequest("state", null);
  acceptBodies(app);
  observeRequests(app, { metrics: deps.metrics, clock: deps.clock, recorder });
  admitRequests(app, {
    auth: deps.auth,
    caches,
    guardOrigin: createOriginGuard(deps),
    meter: { rateLimits: deps.rateLimits, limiter: createRateLimiter(deps.clock), usage: recorder },
    explainMiss: createRouteFinder(routes),
    stopping: stopping.signal,
  });

  app.setErrorHandler((error, request, reply) => sendError(deps.clock, request, reply, error));
  const mount = {
    answerOnce: createIdempotency(deps.db, deps.log),
    clock: deps.clock,
    baseUrlOf: (request: { readonly host: string }) => publicUrl ?? `http://${request.host}`,
    stopping: stopping.signal,
    maxBodyBytes: deps.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES,
    checkResponses: deps.checkResponses ?? false,
  };
  for (const route of routes) mountRoute(app, mount, route);

  app.addHook("preClose", () => {
    stopping.abort(new AppError("unavailable", "the server stops"));
    return Promise.resolve();
  });
  app.addHook("onClose", () => recorder.close());
  return app;
}

/** Without a key, an open CORS policy would let any page of the web use this server. */
function requireSafeSettings(deps: HttpAppDeps): void {
  if (deps.auth.mode === "none" && deps.corsOrigins.length > 0) {
    throw new AppError(
      "invalid_request",
      "QUARRY_CORS_ORIGINS cannot be used with QUARRY_AUTH=none: pages of other origins would need no key",
    );
  }
}

function requireDistinct(routes: readonly Route[]): void {
  const names = new Set<string>();
  for (const { name } of routes) {
    if (names.has(name)) throw new AppError("internal", `two routes are called ${name}`);
    names.add(name);
  }
}

/** Whether a request to `host` came by https: only the proxy in front at the public URL speaks it. */
function httpsCheck(publicUrl: string | undefined): (host: string | undefined) => boolean {
  const url = publicUrl === undefined ? undefined : new URL(publicUrl);
  return (host) => url?.protocol === "https:" && host === url.host;
}
