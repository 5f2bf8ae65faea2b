import { AppError, sleep } from "@quarry/base";
import {
  absentable,
  pagingQuery,
  PRICE_LISTS,
  queryBoolean,
  queryList,
  type ContentsReplyBody,
  type Scope,
  type SearchError,
  type SearchReplyBody,
} from "@quarry/contract";
import { embedPages, indexWords, ingestPages, type PageToIngest } from "@quarry/ingest";
import { fakeCrawlDeps, type FakeWeb } from "@quarry/ingest/testing";
import { createFakeEmbedder } from "@quarry/models";
import { createFetchLive, createSentenceScorer, type SearchDeps } from "@quarry/search";
import { makeWorld } from "@quarry/search/testing";
import {
  createKey,
  createTeam,
  createFirstKey,
  ensureFirstTeam,
  findOwnUrls,
  findTextParts,
  findTexts,
  type ApiKey,
  type Database,
} from "@quarry/store";
import { withDatabase } from "@quarry/store/testing";
import { fastify, type FastifyInstance, type InjectOptions, type LightMyRequestResponse } from "fastify";
import { afterAll, beforeAll } from "vitest";
import { z } from "zod";
import { createHttpApp, type HttpAppDeps } from "./http/create-http-app.ts";
import { createMetrics } from "./http/metrics.ts";
import { eventStreamReply } from "./http/reply.ts";
import { defineRoute, rawBodySchema, type Route } from "./http/route.ts";
import { judgedQueryRoutes } from "./http/routes/console-judged-queries.ts";
import { searchRoutes, type SearchRoutesDeps } from "./http/routes/search.ts";
import { snapshotRoutes } from "./http/routes/snapshots.ts";
import { fakeClock, type FakeClock } from "./testing-clock.ts";

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
  /** Every method and path that Fastify really has, however it came to be mounted. */
  readonly mounted: readonly { readonly method: string; readonly url: string }[];
}

/** What a call sends beside method and address. */
export interface CallOptions {
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Runs `work` against an app on a database of its own; both are gone afterwards. */
export function withHttpApp<T>(
  work: (world: HttpWorld) => Promise<T>,
  change:
    Partial<HttpAppDeps> | ((world: { readonly db: Database; readonly teamId: string }) => Partial<HttpAppDeps>) = {},
): Promise<T> {
  return withDatabase(async (db) => {
    const clock = fakeClock();
    const { teamId } = await ensureFirstTeam(db, { now: clock.now() });
    const key = (await createFirstKey(db, teamId, clock.now())) ?? "";
    const app = createHttpApp({
      db,
      clock,
      log: fastify({ logger: false }).log,
      version: "0.0.0-test",
      auth: { mode: "key" },
      serves: "everything",
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
      mounted: listMounted(app),
    };
    try {
      return await work(world);
    } finally {
      await app.close();
    }
  });
}

/** What the sample routes did, for tests that ask how often. */
export interface SampleEffects {
  readonly made: string[];
  /** Holds back the handlers of `POST /websets/v0/websets` while it is a promise. */
  gate: Promise<void> | undefined;
  /** Thrown once by the next `POST /websets/v0/websets`. */
  failure: Error | undefined;
}

/** A team's search: its app, and a web of its own that pages are fetched from. */
export interface SearchWorld extends HttpWorld {
  /** Keeps documents and puts them into the index, for the first team unless another is named. */
  readonly add: (documents: readonly GivenDocument[], teamId?: string) => Promise<void>;
  /** The answer of a route, which must be JSON, with its status. */
  readonly post: (path: string, body: unknown, options?: CallOptions) => Promise<PostAnswer>;
  /** URLs that were fetched, in order. */
  readonly asked: readonly string[];
}

/** A document for a search world: text, or HTML. */
export interface GivenDocument {
  readonly url: string;
  readonly text?: string;
  readonly html?: string;
  readonly title?: string;
  readonly author?: string;
  readonly category?: string;
  readonly publishedAt?: Date;
  readonly fetchedAt?: Date;
}

/** A JSON answer of the search family: what there is of these depends on the route and the status. */
export interface PostAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: SearchReplyBody & Pick<ContentsReplyBody, "statuses"> & SearchError;
}

/** Runs `work` with the search routes on a real index; the web is a fake one. Call it inside a test. */
export async function withSearchApp(
  work: (world: SearchWorld) => Promise<void>,
  options: {
    readonly web?: FakeWeb;
    readonly limits?: SearchRoutesDeps["limits"];
    readonly change?: (deps: SearchDeps) => Partial<SearchDeps>;
  } = {},
): Promise<void> {
  const { index, embedQuery } = await makeWorld();
  const embedder = createFakeEmbedder();
  let crawl: ReturnType<typeof fakeCrawlDeps> | undefined;
  await withHttpApp(
    async (world) => {
      const { db, teamId: ownTeamId } = world;
      const { signal } = new AbortController();
      await work({
        ...world,
        asked: crawl?.asked ?? [],
        add: async (documents, teamId = ownTeamId) => {
          if (crawl !== undefined) {
            await ingestPages(
              crawl,
              documents.map((document) => toPage(document, teamId, world.clock.now())),
            );
          }
          while ((await indexWords({ database: db, index }, signal)) > 0);
          while ((await embedPages({ database: db, index, embedder }, signal)).pages > 0);
        },
        post: async (path, body, call) => {
          const reply = await world.call("POST", path, { body, ...call });
          return { status: reply.statusCode, headers: reply.headers, body: reply.json<PostAnswer["body"]>() };
        },
      });
    },
    ({ db }) => {
      crawl = fakeCrawlDeps(db, options.web ?? (() => undefined));
      const deps: SearchDeps = {
        index,
        embedQuery,
        database: db,
        snapshots: crawl.snapshots,
        readPage: crawl.readPage,
        now: crawl.now,
        findOwnUrls: (teamId, urls) => findOwnUrls(db, teamId, urls),
        readTexts: (pages) => findTexts(db, pages),
        readParts: (pages, size) => findTextParts(db, pages, size),
        fetchLive: createFetchLive({ ...crawl, allows: crawl.robots.allows }),
        scoreSentences: createSentenceScorer(() => index.termStatistics()),
      };
      const search = { ...deps, ...options.change?.(deps) };
      const { limits } = options;
      return {
        routes: [
          ...searchRoutes({ search, prices: PRICE_LISTS.exa, ...(limits === undefined ? {} : { limits }) }),
          ...snapshotRoutes({ db, snapshots: crawl.snapshots }),
          ...judgedQueryRoutes({ db, search, clock: { now: crawl.now } }),
        ],
      };
    },
  );
}

function toPage(document: GivenDocument, teamId: string, now: Date): PageToIngest {
  const { url, text, html = "", fetchedAt = now, title, author, category, publishedAt } = document;
  const contentType = "text/html; charset=utf-8";
  return {
    teamId,
    url,
    source: "api",
    fetchedAt,
    given: { title, author, category, publishedAt },
    content: text === undefined ? { kind: "bytes", bytes: Buffer.from(html), contentType } : { kind: "text", text },
  };
}

/** One small route per family and kind of reply. */
export function sampleRoutes(effects: SampleEffects): readonly Route[] {
  const shared = { tag: "Sample", summary: "A sample" } as const;
  return [
    defineRoute({
      ...shared,
      name: "sampleSearch",
      method: "POST",
      path: "/search",
      access: "search",
      meter: "search",
      body: z.object({ query: z.string().min(1), numResults: absentable(z.int().max(100)) }),
      response: z.object({ requestId: z.string(), numResults: z.int().nullable() }),
      handle: ({ body }, context) => {
        context.addUsage({ tokens: 3, costDollars: 0.25 });
        return Promise.resolve({ requestId: context.requestId, numResults: body.numResults ?? null });
      },
    }),
    defineRoute({
      ...shared,
      name: "sampleListWebsets",
      method: "GET",
      path: "/websets/v0/websets",
      access: "websets",
      query: z.object({
        ...pagingQuery({ max: 100, default: 25 }),
        expand: queryList(z.string()).optional(),
        all: queryBoolean().optional(),
      }),
      response: z.object({ limit: z.int(), expand: z.array(z.string()).nullable(), all: z.boolean().nullable() }),
      handle: ({ query }) =>
        Promise.resolve({ limit: query.limit, expand: query.expand ?? null, all: query.all ?? null }),
    }),
    defineRoute({
      ...shared,
      name: "sampleCreateWebset",
      method: "POST",
      path: "/websets/v0/websets",
      access: "websets",
      status: 201,
      creates: true,
      meter: "websets",
      body: z.object({ title: z.string() }),
      response: z.object({ id: z.string(), title: z.string() }),
      handle: async ({ body }, { newId }) => {
        const id = newId("webset");
        effects.made.push(id);
        await effects.gate;
        const { failure } = effects;
        effects.failure = undefined;
        if (failure !== undefined) throw failure;
        return { id, title: body.title };
      },
    }),
    defineRoute({
      ...shared,
      name: "sampleGetWebset",
      method: "GET",
      path: "/websets/v0/websets/:webset",
      access: "websets",
      params: z.object({ webset: z.string() }),
      response: z.object({ id: z.string() }),
      handle: ({ params }) => Promise.resolve({ id: params.webset }),
    }),
    defineRoute({
      ...shared,
      name: "sampleCancelWebset",
      method: "POST",
      path: "/websets/v0/websets/:webset/cancel",
      access: "websets",
      params: z.object({ webset: z.string() }),
      response: z.object({ id: z.string() }),
      handle: ({ params }) => Promise.resolve({ id: params.webset }),
    }),
    defineRoute({
      ...shared,
      name: "sampleRun",
      method: "POST",
      path: "/agent/runs",
      access: "research",
      creates: true,
      body: z.object({ query: z.string() }),
      response: z.unknown(),
      replyMediaType: "text/event-stream",
      handle: ({ body }, { newId, streamSignal }) =>
        Promise.resolve(
          eventStreamReply(countUp(newId("agent_run"), body.query, streamSignal), {
            errorFrame: (error) => `data: ${JSON.stringify({ failed: error.message })}\n\n`,
          }),
        ),
    }),
    defineRoute({
      ...shared,
      name: "sampleUpload",
      method: "PUT",
      path: "/upload",
      access: "index",
      bodyKind: "bytes",
      maxBodyBytes: 64,
      body: rawBodySchema,
      response: z.object({ bytes: z.int(), mediaType: z.string() }),
      handle: ({ body }) => Promise.resolve({ bytes: body.bytes.length, mediaType: body.mediaType }),
    }),
    defineRoute({
      ...shared,
      name: "sampleFailure",
      method: "GET",
      path: "/failure",
      access: "any",
      response: z.object({}),
      handle: () => Promise.reject(new Error("secret detail at file.ts:12")),
    }),
  ];
}

/** One frame at once; `forever` then waits for the signal, `fail` fails, anything else ends. */
async function* countUp(id: string, query: string, signal: AbortSignal): AsyncGenerator<string> {
  yield `data: ${JSON.stringify({ id })}\n\n`;
  if (query === "fail") throw new AppError("upstream_failed", "the model went away");
  if (query === "forever") await sleep(60_000, signal).catch(() => undefined); // aborted: the stream ends
}

/** As `withHttpApp`, one for all tests of a file; call the result inside a test. */
export function useHttpApp(change: Parameters<typeof withHttpApp>[1] = {}): () => HttpWorld {
  let world: HttpWorld | undefined;
  let finish: (() => void) | undefined;
  let running: Promise<void> | undefined;
  beforeAll(async () => {
    await new Promise<void>((resolve, reject) => {
      running = withHttpApp(async (made) => {
        world = made;
        resolve();
        await new Promise<void>((done) => (finish = done));
      }, change);
      running.catch(reject);
    });
  });
  afterAll(async () => {
    finish?.();
    await running;
  });
  return () => {
    if (world === undefined) throw new Error("call the world inside a test");
    return world;
  };
}

/** Reads Fastify's own picture of its routes: a tree of path pieces, each line with its methods. */
function listMounted(app: FastifyInstance): readonly { readonly method: string; readonly url: string }[] {
  const pieces: string[] = [];
  return app
    .printRoutes({ commonPrefix: false })
    .split("\n")
    .flatMap((line) => {
      const match = /^([│ ]*)[├└]── (\S*)(?: \((.*)\))?$/.exec(line);
      if (match === null) return [];
      const [, indent = "", piece = "", methods = ""] = match;
      pieces.splice(indent.length / 4, Infinity, piece);
      const url = pieces.join("").replace(/([^/])\*$/, "$1/*"); // the picture leaves the slash out
      return methods === "" ? [] : methods.split(", ").map((method) => ({ method, url }));
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
