import type { Scope } from "@quarry/contract";
import { createKey, createTeam, ensureFirstTeam, type ApiKey, type Database } from "@quarry/store";
import { withDatabase } from "@quarry/store/testing";
import { fastify, type FastifyInstance, type InjectOptions, type LightMyRequestResponse } from "fastify";
import { createHttpApp, type HttpAppDeps } from "./http/create-http-app.ts";
import { createMetrics } from "./http/metrics.ts";

/** A clock that moves only when told to. */
export interface FakeClock {
  readonly now: () => Date;
  readonly advance: (milliseconds: number) => void;
}

/** The smallest whole server: a database, one team with a key that may do everything, and the app. */
export interface HttpWorld {
  readonly app: FastifyInstance;
  readonly db: Database;
  readonly clock: FakeClock;
  readonly teamId: string;
  /** The team's key, with every scope. */
  readonly key: string;
  /** Sends a request with that key, unless other headers are given. */
  readonly call: (method: string, url: string, options?: CallOptions) => Promise<LightMyRequestResponse>;
  readonly makeKey: (options?: {
    readonly teamId?: string;
    readonly scopes?: readonly Scope[];
    readonly budgetDollars?: number;
  }) => Promise<{ readonly key: ApiKey; readonly secret: string }>;
  readonly makeTeam: () => Promise<string>;
}

/** What a call sends beside method and address. */
export interface CallOptions {
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Starts at a fixed instant, so that dates in expectations can be literal. */
export function fakeClock(start = "2026-03-01T12:00:00.000Z"): FakeClock {
  let now = new Date(start).getTime();
  return {
    now: () => new Date(now),
    advance: (milliseconds) => {
      now += milliseconds;
    },
  };
}

/** Runs `work` against an app on a database of its own; both are gone afterwards. */
export function withHttpApp<T>(
  work: (world: HttpWorld) => Promise<T>,
  change:
    Partial<HttpAppDeps> | ((world: { readonly db: Database; readonly teamId: string }) => Partial<HttpAppDeps>) = {},
): Promise<T> {
  return withDatabase(async (db) => {
    const clock = fakeClock();
    const { teamId, newKey } = await ensureFirstTeam(db, { now: clock.now() });
    const key = newKey ?? "";
    const app = createHttpApp({
      db,
      clock,
      log: fastify({ logger: false }).log,
      version: "0.0.0-test",
      auth: { mode: "key" },
      routes: [],
      allowedHosts: [],
      corsOrigins: [],
      rateLimits: {},
      metrics: createMetrics(),
      readiness: () => ({ status: "ready", waitingFor: [] }),
      health: () => Promise.resolve({ version: "0.0.0-test", role: "all", uptimeSeconds: 1, components: [] }),
      checkResponses: true,
      ...(typeof change === "function" ? change({ db, teamId }) : change),
    });
    const world: HttpWorld = {
      app,
      db,
      clock,
      teamId,
      key,
      call: (method, url, options = {}) => app.inject(toInjection(method, url, { key, ...options })),
      makeKey: ({ teamId: owner = teamId, ...wanted } = {}) =>
        createKey(db, owner, { name: "test key", scopes: ["all"], ...wanted }, clock.now()),
      makeTeam: () => createTeam(db, "Another team", clock.now()),
    };
    try {
      return await work(world);
    } finally {
      await app.close();
    }
  });
}

function toInjection(method: string, url: string, options: CallOptions): InjectOptions {
  const { key, headers = {}, body } = options;
  return {
    method,
    url,
    headers: {
      host: "localhost:7700",
      ...(key == null ? {} : { "x-api-key": key }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { payload: typeof body === "string" ? body : JSON.stringify(body) }),
  };
}
