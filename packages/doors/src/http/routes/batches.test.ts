import { createBatchJobHandler, createBatchSweepHandler, type OperationReply } from "@quarry/answer";
import { AppError } from "@quarry/base";
import { searchSchema, type BatchWire } from "@quarry/contract";
import { BATCH_JOB, getResearch, moveResearchBy, readUsage, revokeKey } from "@quarry/store";
import { verifies } from "@quarry/tests";
import { runDueJobs } from "@quarry/websets/testing";
import { fastify } from "fastify";
import { describe, expect } from "vitest";
import { z } from "zod";
import { withHttpApp, type CallOptions, type HttpWorld } from "../../testing.ts";
import { createRouteCaller } from "../call-route.ts";
import { defineRoute } from "../route.ts";
import { agentRunRoutes } from "./agent-runs.ts";
import { batchRoutes } from "./batches.ts";

/** Behind the database's own time, so that jobs without a time of theirs are due. */
const NOW = new Date(Date.now() + 60_000);
const DAY_MS = 24 * 60 * 60 * 1000;
const BETA = { "exa-beta": "x, batches-2026-06-06" };

interface BatchWorld extends HttpWorld {
  readonly ask: (method: string, url: string, options?: CallOptions) => ReturnType<HttpWorld["call"]>;
  /** Runs the jobs that are due, `ms` after the start. */
  readonly work: (ms?: number) => Promise<void>;
  readonly searched: readonly string[];
}

/** Batches over a search that answers at once, and agent runs that nobody works on: tests end those themselves. */
function withBatches(test: (world: BatchWorld) => Promise<void>): Promise<void> {
  const searched: string[] = [];
  let now = NOW;
  const clock = { now: () => now };
  const search = defineRoute({
    name: "search",
    method: "POST",
    path: "/search",
    tag: "Search",
    summary: "Search",
    access: "search",
    body: searchSchema,
    response: z.object({ results: z.array(z.string()) }),
    handle: ({ body: { query } }, { addUsage }) => {
      searched.push(query);
      if (query === "busy" && searched.filter((word) => word === "busy").length < 3) {
        throw new AppError("unavailable", "too many searches at once; try again", { retryable: true });
      }
      addUsage({ costDollars: 0.005 });
      return Promise.resolve({ results: [query.toUpperCase()] });
    },
  });
  return withHttpApp(
    async (world) => {
      const callRoute = createRouteCaller(
        { clock, log: fastify({ logger: false }).log, baseUrl: () => "http://here" },
        [search, ...agentRunRoutes({ db: world.db, clock })],
      );
      const handlers = {
        [BATCH_JOB]: createBatchJobHandler({
          database: world.db,
          clock,
          call: async (name, input, signal) => (await callRoute(name, input, signal)) as OperationReply,
        }),
      };
      await test({
        ...world,
        searched,
        ask: (method, url, options) => world.call(method, url, { headers: BETA, ...options }),
        work: async (ms = 0) => {
          now = new Date(NOW.getTime() + ms);
          await runDueJobs(world.db, handlers, now);
        },
      });
    },
    ({ db }) => ({ routes: batchRoutes({ database: db, clock }), clock }),
  );
}

async function begin(world: BatchWorld, requests: readonly (readonly [string, string, object])[]): Promise<BatchWire> {
  const body = {
    requests: requests.map(([customId, url, asked]) => ({ customId, method: "POST", url, body: asked })),
    metadata: { by: "test" },
  };
  const reply = await world.ask("POST", "/batches", { body });
  expect(reply.statusCode, reply.body).toBe(200);
  return reply.json<BatchWire>();
}

async function look(world: BatchWorld, id: string): Promise<BatchWire> {
  return (await world.ask("GET", `/batches/${id}`)).json<BatchWire>();
}

async function readResults(world: BatchWorld, { resultsUrl }: BatchWire): Promise<readonly unknown[]> {
  const { pathname, search } = new URL(resultsUrl ?? "http://none/");
  const reply = await world.call("GET", pathname + search, { key: null });
  expect([reply.statusCode, reply.headers["content-type"]]).toEqual([200, "application/jsonl"]);
  return reply.body
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as unknown);
}

describe("a batch", () => {
  verifies(
    ["batches:create:batch", "batches:get:batch", "batches:results:jsonl"],
    "does searches and agent runs in the background and gives a line for each",
    () =>
      withBatches(async (world) => {
        const made = await begin(world, [
          ["one", "/search", { query: "plums" }],
          ["bad", "/search", { query: "" }],
          ["run", "/agent/runs", { query: "When was the bridge opened?" }],
          ["late", "/search", { query: "busy" }],
          ["stream", "/agent/runs", { query: "q", previousRunId: "agent_run_none" }],
        ]);
        expect(made).toEqual({
          id: expect.stringMatching(/^batch_/) as string,
          object: "batch",
          status: "in_progress",
          requestCounts: { total: 5, completed: 0, failed: 0 },
          createdAt: NOW.toISOString(),
          expiresAt: null,
          endedAt: null,
          resultsUrl: null,
          metadata: { by: "test" },
        });
        await world.work();
        expect((await look(world, made.id)).requestCounts).toEqual({ total: 5, completed: 1, failed: 2 });
        await world.work(2_000);
        await world.work(4_000);
        expect(await look(world, made.id)).toMatchObject({ status: "in_progress", requestCounts: { completed: 2 } });
        const list = await world.db.query<{ run_id: string }>(
          "SELECT run_id FROM batch_requests WHERE custom_id = 'run'",
        );
        const runId = list[0]?.run_id ?? "";
        await world.db.transaction(async (tx) => {
          await moveResearchBy(tx, runId, { move: "start", now: NOW });
          const output = { output: { content: "1883" }, costDollars: { total: 0 } };
          await moveResearchBy(tx, runId, { move: "complete", output, now: NOW });
        });
        await world.work(6_000);
        const done = await look(world, made.id);
        expect(done).toMatchObject({
          status: "completed",
          requestCounts: { total: 5, completed: 3, failed: 2 },
          endedAt: new Date(NOW.getTime() + 6_000).toISOString(),
          expiresAt: new Date(NOW.getTime() + 6_000 + 7 * DAY_MS).toISOString(),
        });
        expect(await readResults(world, done)).toEqual([
          { customId: "one", response: { statusCode: 200, body: { results: ["PLUMS"] } } },
          {
            customId: "bad",
            response: { statusCode: 400, body: expect.objectContaining({ tag: "INVALID_REQUEST_BODY" }) as object },
          },
          {
            customId: "run",
            response: {
              statusCode: 200,
              body: expect.objectContaining({
                id: runId,
                status: "completed",
                output: expect.anything() as object,
              }) as object,
            },
          },
          { customId: "late", response: { statusCode: 200, body: { results: ["BUSY"] } } },
          {
            customId: "stream",
            response: {
              statusCode: 404,
              body: expect.objectContaining({
                error: expect.objectContaining({ code: "PREVIOUS_RUN_NOT_FOUND" }) as object,
              }) as object,
            },
          },
        ]);
        expect(world.searched).toEqual(["plums", "busy", "busy", "busy"]);
        const [use] = await readUsage(world.db, {
          teamId: world.teamId,
          from: NOW,
          to: new Date(NOW.getTime() + DAY_MS),
          groupBy: [],
        });
        expect(use?.costDollars).toBeCloseTo(0.01, 6);
      }),
  );

  verifies(["batches:beta:required"], "is refused without the beta header, whatever is asked", () =>
    withBatches(async (world) => {
      const { id } = await begin(world, [["one", "/search", { query: "plums" }]]);
      const calls: readonly (readonly [string, string])[] = [
        ["GET", "/batches"],
        ["GET", `/batches/${id}`],
        ["POST", `/batches/${id}/cancel`],
        ["DELETE", `/batches/${id}`],
      ];
      for (const [method, url] of calls) {
        const reply = await world.call(method, url, { headers: { "exa-beta": "another" } });
        expect([reply.statusCode, reply.json<{ tag: string }>().tag]).toEqual([403, "FEATURE_DISABLED"]);
      }
      const body = { requests: [{ customId: "a", method: "POST", url: "/search", body: { query: "x" } }] };
      expect((await world.call("POST", "/batches", { body })).statusCode).toBe(403);
      expect(await look(world, id)).toMatchObject({ status: "in_progress" });
    }),
  );

  verifies(["batches:create:batch"], "wants each customId once, known urls, and something to do", () =>
    withBatches(async (world) => {
      const one = { customId: "a", method: "POST", url: "/search", body: { query: "x" } };
      for (const [requests, message] of [
        [[], "requests"],
        [[one, one], "requests[1].customId"],
        [[{ ...one, url: "/answer" }], "requests[0].url"],
        [[{ ...one, method: "GET" }], "requests[0].method"],
      ] as const) {
        const reply = await world.ask("POST", "/batches", { body: { requests } });
        expect([reply.statusCode, reply.json<{ error: string }>().error]).toEqual([
          400,
          expect.stringContaining(message),
        ]);
      }
      const again = { ...BETA, "idempotency-key": "once" };
      const replies = await Promise.all(
        [1, 2].map(() => world.ask("POST", "/batches", { body: { requests: [one] }, headers: again })),
      );
      const ids = replies.map((reply) => reply.json<BatchWire>().id);
      expect(ids[0]).toBe(ids[1]);
    }),
  );

  verifies(["batches:list:batches"], "is listed, completed ones by themselves in the order of their expiry", () =>
    withBatches(async (world) => {
      const first = await begin(world, [["one", "/search", { query: "plums" }]]);
      await world.work(500);
      const second = await begin(world, [["one", "/search", { query: "pears" }]]);
      await world.work(1_000);
      const open = await begin(world, [["one", "/search", { query: "figs" }]]);
      const ids = async (query: string): Promise<readonly string[]> => {
        const found: string[] = [];
        for (let cursor: string | null | undefined; cursor !== null;) {
          const next = cursor === undefined ? "" : `&cursor=${encodeURIComponent(cursor)}`;
          const reply = await world.ask("GET", `/batches?limit=1${query}${next}`);
          const page = reply.json<{ object: string; data: BatchWire[]; nextCursor: string | null }>();
          expect(page.object).toBe("list");
          found.push(...page.data.map(({ id }) => id));
          cursor = page.nextCursor;
        }
        return found;
      };
      expect(await ids("")).toEqual([open.id, second.id, first.id]);
      expect(await ids("&status=completed")).toEqual([first.id, second.id]);
      expect((await world.ask("GET", "/batches?status=cancelled")).statusCode).toBe(400);
      const foreign = await world.makeKey({ teamId: await world.makeTeam() });
      const others = await world.ask("GET", "/batches", {
        key: foreign.secret,
        headers: { ...BETA, "x-api-key": foreign.secret },
      });
      expect(others.json<{ data: unknown[] }>().data).toEqual([]);
    }),
  );

  verifies(["batches:cancel:batch", "batches:delete:running-409"], "is cancelled, and deleted once it is over", () =>
    withBatches(async (world) => {
      const { id } = await begin(world, [
        ["one", "/search", { query: "plums" }],
        ["run", "/agent/runs", { query: "When was the bridge opened?" }],
      ]);
      await world.work();
      expect((await world.ask("DELETE", `/batches/${id}`)).statusCode).toBe(409);
      expect((await world.ask("POST", `/batches/${id}/cancel`)).json<BatchWire>().status).toBe("cancelling");
      expect((await world.ask("DELETE", `/batches/${id}`)).statusCode).toBe(409);
      await world.work(2_000);
      const over = await look(world, id);
      expect(over).toMatchObject({ status: "cancelled", requestCounts: { total: 2, completed: 1, failed: 1 } });
      const lines = (await readResults(world, over)) as readonly { readonly error?: { readonly code: string } }[];
      expect(lines[1]?.error?.code).toBe("CANCELLED");
      const [row] = await world.db.query<{ run_id: string }>("SELECT run_id FROM batch_requests WHERE number = 2");
      expect((await getResearch(world.db, world.teamId, row?.run_id ?? "")).status).toBe("canceled");
      expect((await world.ask("POST", `/batches/${id}/cancel`)).json<BatchWire>().status).toBe("cancelled");
      expect((await world.ask("DELETE", `/batches/${id}`)).json()).toEqual({
        id,
        object: "batch.deleted",
        deleted: true,
      });
      expect((await world.ask("GET", `/batches/${id}`)).statusCode).toBe(404);
    }),
  );

  verifies(["batches:results:jsonl"], "keeps its results for a week, behind a link that cannot be guessed", () =>
    withBatches(async (world) => {
      const { id } = await begin(world, [["one", "/search", { query: "plums" }]]);
      await world.work();
      const { pathname, search } = new URL((await look(world, id)).resultsUrl ?? "");
      const wrong = search.replace(/signature=./, (start) => (start.endsWith("0") ? "signature=1" : "signature=0"));
      expect((await world.call("GET", pathname + wrong, { key: null })).statusCode).toBe(403);
      await world.work(3_600_000);
      expect((await world.call("GET", pathname + search, { key: null })).statusCode).toBe(410);
      await world.work(7 * DAY_MS);
      expect(await look(world, id)).toMatchObject({ status: "expired", resultsUrl: null });
      const sweep = createBatchSweepHandler({
        database: world.db,
        clock: { now: () => new Date(NOW.getTime() + 7 * DAY_MS) },
      });
      const complete = () => Promise.resolve({ kind: "job-completion" as const, jobId: "job" });
      await sweep({ complete } as unknown as Parameters<typeof sweep>[0]);
      expect(await world.db.query("SELECT 1 FROM batch_requests")).toEqual([]);
    }),
  );

  verifies(["batches:results:jsonl"], "does nothing more in the name of a key that was revoked", () =>
    withBatches(async (world) => {
      const { key, secret } = await world.makeKey({ scopes: ["search"] });
      const body = { requests: [{ customId: "a", method: "POST", url: "/search", body: { query: "x" } }] };
      const made = await world.ask("POST", "/batches", {
        body,
        headers: { ...BETA, "x-api-key": secret },
        key: secret,
      });
      await revokeKey(world.db, world.teamId, key.id, { now: NOW, evenIfLast: false });
      await world.work();
      const over = await look(world, made.json<BatchWire>().id);
      expect(over.requestCounts).toEqual({ total: 1, completed: 0, failed: 1 });
      expect(await readResults(world, over)).toEqual([
        { customId: "a", error: { code: "INVALID_API_KEY", message: expect.any(String) as string } },
      ]);
      expect(world.searched).toEqual([]);
    }),
  );
});
