import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { appendResearchEvents, moveResearchBy, type NewResearchEvent } from "@quarry/store";
import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import { withHttpApp, type HttpWorld } from "../../testing.ts";
import { agentRunRoutes } from "./agent-runs.ts";
import { researchRoutes } from "./research.ts";
import { responseRoutes } from "./responses.ts";

const NOW = new Date("2026-03-01T12:00:00.000Z");
const QUERY = "When was the bridge opened?";

/** The routes, with nobody at work: tests move the runs themselves. */
function withRuns(work: (world: HttpWorld) => Promise<void>): Promise<void> {
  return withHttpApp(work, ({ db }) => {
    const deps = { db, clock: { now: () => NOW } };
    return { routes: [...agentRunRoutes(deps), ...responseRoutes(deps), ...researchRoutes(deps)] };
  });
}

async function begin(world: HttpWorld, more: object = {}): Promise<string> {
  const reply = await world.call("POST", "/agent/runs", { body: { query: QUERY, ...more } });
  expect(reply.statusCode, reply.body).toBe(200);
  return reply.json<{ id: string }>().id;
}

async function look(world: HttpWorld, path: string): Promise<Readonly<Record<string, unknown>>> {
  const reply = await world.call("GET", path);
  expect(reply.statusCode, reply.body).toBe(200);
  return reply.json<Record<string, unknown>>();
}

const EVENTS: readonly NewResearchEvent[] = [
  { event: { eventType: "research-definition", instructions: QUERY } },
  {
    event: {
      eventType: "task-operation",
      planId: "plan_1",
      taskId: "task_1",
      operationId: "operation_1",
      data: { type: "search", searchType: "auto", query: "bridge", results: [], pageTokens: 0 },
    },
  },
  {
    event: {
      eventType: "task-operation",
      planId: "plan_1",
      taskId: "task_1",
      operationId: "operation_2",
      data: { type: "crawl", result: { url: "https://a.example/" }, pageTokens: 9 },
    },
  },
];
const GROUNDING = [
  { field: "opened", citations: [{ url: "https://a.example/", title: "A" }], confidence: "high" as const },
];
const RESULT = {
  output: { content: '{"opened":"1883"}', parsed: { opened: "1883" } },
  costDollars: { total: 0.02, numSearches: 1, numPages: 1, reasoningTokens: 2_500 },
  citations: [{ id: "https://a.example/", url: "https://a.example/", title: "A", snippet: "It opened in 1883." }],
  grounding: GROUNDING,
  stopReason: "schema_satisfied",
};

async function complete(world: HttpWorld, id: string, stopReason = "schema_satisfied"): Promise<void> {
  await world.db.transaction(async (tx) => {
    await moveResearchBy(tx, id, { move: "start", now: NOW });
    await appendResearchEvents(tx, id, 0, EVENTS, NOW);
    await moveResearchBy(tx, id, { move: "complete", output: { ...RESULT, stopReason }, now: NOW });
  });
}

describe("an agent run", () => {
  verifies(
    ["agent-runs:create:run", "agent-runs:create:fields", "agent-runs:get:run"],
    "begins queued with all that was asked, and is read by its id",
    () =>
      withRuns(async (world) => {
        const request = {
          query: QUERY,
          systemPrompt: "Be brief.",
          input: { data: [{ name: "Brooklyn Bridge" }], exclusion: [{ name: "Manhattan Bridge" }] },
          outputSchema: { type: "object", properties: { opened: { type: "string" } } },
          effort: "high",
          budget: { maxCostDollars: 2, maxDurationSeconds: 600 },
          metadata: { ticket: "7" },
        };
        const id = await begin(world, request);
        expect(id).toMatch(/^agent_run_[0-9a-z]{26}$/);
        expect(await look(world, `/agent/runs/${id}`)).toEqual({
          id,
          object: "agent_run",
          status: "queued",
          stopReason: null,
          createdAt: NOW.toISOString(),
          completedAt: null,
          request,
          output: null,
          usage: { agentComputeUnits: 0, searches: 0, emails: 0, phoneNumbers: 0 },
          costDollars: { total: 0, agentCompute: 0, search: 0, emails: 0, phoneNumbers: 0 },
        });
        const [row] = await world.db.query<{ model: string; instructions: string }>(
          "SELECT model, instructions FROM research WHERE id = $1",
          [id],
        );
        expect(row).toEqual({
          model: "exa-research-pro",
          instructions: "When was the bridge opened:\n- Brooklyn Bridge",
        });
        const unknown = await world.call("GET", "/agent/runs/agent_run_none");
        expect([unknown.statusCode, unknown.json()]).toMatchObject([
          404,
          { error: { type: "NOT_FOUND", code: "RUN_NOT_FOUND" } },
        ]);
      }),
  );

  verifies(
    ["agent-runs:create:unknown-data-source", "agent-runs:create:previous-not-completed"],
    "refuses what it lacks, a schema that is none, and a previous run that is not there or not completed",
    () =>
      withRuns(async (world) => {
        const open = await begin(world);
        const cases: readonly (readonly [object, number, string])[] = [
          [{ dataSources: [{ provider: "fiber" }] }, 400, "INVALID_DATA_SOURCE"],
          [{ outputSchema: { type: "nothing" } }, 400, "INVALID_OUTPUT_SCHEMA"],
          [{ previousRunId: open }, 409, "PREVIOUS_RUN_NOT_COMPLETED"],
          [{ previousRunId: "agent_run_none" }, 404, "PREVIOUS_RUN_NOT_FOUND"],
          [{ query: " " }, 400, "INVALID_REQUEST"],
          [{ budget: { maxCostDollars: 0 } }, 400, "INVALID_REQUEST"],
        ];
        for (const [more, status, code] of cases) {
          const reply = await world.call("POST", "/agent/runs", { body: { query: QUERY, ...more } });
          expect([reply.statusCode, reply.json()], code).toMatchObject([status, { error: { code } }]);
        }
        await complete(world, open);
        const next = await begin(world, { query: "Who built it?", previousRunId: open });
        const [row] = await world.db.query<{ instructions: string }>(
          "SELECT instructions FROM research WHERE id = $1",
          [next],
        );
        expect(row?.instructions).toBe(`Who built it (${QUERY})`);
      }),
  );

  verifies(
    ["agent-runs:run:stop-reason", "agent-runs:run:grounding", "agent-runs:run:cost"],
    "says what it came to, why it ended, what each field rests on, and what was used",
    () =>
      withRuns(async (world) => {
        for (const stopReason of ["schema_satisfied", "budget_reached", "time_limit_reached", "stopped"]) {
          const id = await begin(world);
          await complete(world, id, stopReason);
          expect(await look(world, `/agent/runs/${id}`)).toMatchObject({
            status: "completed",
            stopReason,
            completedAt: NOW.toISOString(),
            output: { text: '{"opened":"1883"}', structured: { opened: "1883" }, grounding: GROUNDING },
            usage: { agentComputeUnits: 2.5, searches: 1 },
            costDollars: { total: 0.02 },
          });
        }
        const failed = await begin(world);
        await world.db.transaction((tx) => moveResearchBy(tx, failed, { move: "fail", error: "no /mayor", now: NOW }));
        expect(await look(world, `/agent/runs/${failed}`)).toMatchObject({
          status: "failed",
          stopReason: "error",
          error: { message: "no /mayor" },
        });
      }),
  );

  verifies(
    ["agent-runs:list:paged", "agent-runs:delete:marker", "agent-runs:cancel:run", "agent-runs:stop:early"],
    "is listed apart from research, cancelled, asked to stop, and deleted",
    () =>
      withRuns(async (world) => {
        const ids: string[] = [];
        for (let count = 0; count < 3; count += 1) {
          ids.unshift(await begin(world));
          world.clock.advance(1_000);
        }
        await world.call("POST", "/research/v1", { body: { instructions: QUERY } });
        const first = await look(world, "/agent/runs?limit=2");
        expect(first).toMatchObject({ object: "list", hasMore: true, data: [{ id: ids[0] }, { id: ids[1] }] });
        const cursor = String(first["nextCursor"]);
        expect(await look(world, `/agent/runs?limit=2&cursor=${cursor}`)).toMatchObject({
          hasMore: false,
          nextCursor: null,
          data: [{ id: ids[2] }],
        });
        expect((await look(world, "/research/v1"))["data"]).toHaveLength(1);
        const [one = "", two = "", three = ""] = ids;
        const canceled = await world.call("POST", `/agent/runs/${one}/cancel`);
        expect(canceled.json()).toMatchObject({ status: "cancelled", stopReason: "cancelled" });
        expect((await world.call("POST", `/agent/runs/${one}/cancel`)).json()).toEqual(canceled.json());
        expect((await world.call("POST", `/agent/runs/${two}/stop`)).json()).toMatchObject({ status: "queued" });
        const [row] = await world.db.query<{ at: Date }>("SELECT stop_asked_at AS at FROM research WHERE id = $1", [
          two,
        ]);
        expect(row?.at).toEqual(NOW);
        expect((await world.call("DELETE", `/agent/runs/${three}`)).json()).toEqual({
          id: three,
          object: "agent_run.deleted",
          deleted: true,
        });
        expect((await world.call("GET", `/agent/runs/${three}`)).statusCode).toBe(404);
      }),
  );

  verifies(
    ["agent-runs:events:list", "agent-runs:events:last-event-id", "agent-runs:create:sse"],
    "tells its events, whole, in pages, or streamed and from where a client left",
    () =>
      withRuns(async (world) => {
        const id = await begin(world);
        await complete(world, id);
        const listed = await look(world, `/agent/runs/${id}/events`);
        expect(listed).toMatchObject({
          object: "list",
          hasMore: false,
          data: [
            { id: "1", event: "agent_run.created", data: { status: "queued", output: null } },
            { id: "2", event: "agent_run.started", data: { status: "running" } },
            { id: "4", event: "search_trace", data: { text: "bridge", callId: "operation_1", tool: "search" } },
            { id: "5", event: "source.added", data: { source: { url: "https://a.example/" } } },
            { id: "6", event: "agent_run.completed", data: { id, status: "completed" } },
          ],
        });
        const page = await look(world, `/agent/runs/${id}/events?limit=2`);
        const rest = await look(world, `/agent/runs/${id}/events?cursor=${String(page["nextCursor"])}`);
        expect(rest["data"]).toHaveLength(3);
        const stream = async (headers: Readonly<Record<string, string>>): Promise<readonly string[]> => {
          const reply = await world.call("GET", `/agent/runs/${id}/events`, {
            headers: { accept: "text/event-stream", "x-api-key": world.key, ...headers },
          });
          return reply.body.split("\n\n").filter((frame) => frame !== "");
        };
        const frames = await stream({});
        expect(frames).toHaveLength(5);
        for (const frame of frames) expect(frame).toMatch(/^id: \d+\nevent: [a-z_.]+\ndata: \{.*\}$/);
        expect(await stream({ "last-event-id": "4" })).toEqual(frames.slice(3));
      }),
  );
});

describe("a response in OpenAI's form", () => {
  verifies(
    ["openai:responses:background", "openai:responses:get-and-cancel", "openai:responses:previous"],
    "answers at once in the background, is read and cancelled by its id, and goes on from another",
    () =>
      withRuns(async (world) => {
        const post = (body: object) => world.call("POST", "/responses", { body });
        const made = await post({ model: "exa-agent", input: QUERY, background: true, instructions: "Be brief." });
        const { id } = made.json<{ id: string }>();
        expect(made.json()).toMatchObject({
          object: "response",
          status: "queued",
          instructions: "Be brief.",
          output: [],
        });
        expect(id).toMatch(/^resp_agent_run_/);
        await complete(world, id.slice("resp_".length));
        expect(await look(world, `/responses/${id}`)).toMatchObject({
          id,
          status: "completed",
          output_text: '{"opened":"1883"}',
          output: [
            {
              type: "message",
              role: "assistant",
              content: [{ type: "output_text", annotations: [{ type: "url_citation", url: "https://a.example/" }] }],
            },
          ],
        });
        const next = await post({ input: "Who built it?", background: true, previous_response_id: id });
        expect(next.json()).toMatchObject({ previous_response_id: id });
        const canceled = await world.call("POST", `/responses/${next.json<{ id: string }>().id}/cancel`);
        expect(canceled.json()).toMatchObject({ status: "cancelled" });
        expect((await post({ input: [{ role: "assistant", content: "Hello." }] })).statusCode).toBe(400);
        expect((await world.call("GET", "/responses/resp_none")).statusCode).toBe(404);
      }),
  );

  it("keeps no half-done reply for an Idempotency-Key: a retry waits for the same run", () =>
    withRuns(async (world) => {
      await world.app.listen({ host: "127.0.0.1", port: 0 });
      const { port } = world.app.server.address() as AddressInfo;
      const headers = { "x-api-key": world.key, "idempotency-key": "one", "content-type": "application/json" };
      const ask = () => {
        const request = httpRequest({ port, method: "POST", path: "/responses", headers, agent: false });
        request.end(JSON.stringify({ input: QUERY }));
        return request;
      };
      const left = ask().on("error", () => undefined); // being cut off is what it is for
      const runs = async () => (await look(world, "/agent/runs"))["data"] as readonly { readonly id: string }[];
      await expect.poll(async () => (await runs()).length).toBe(1);
      left.destroy();
      const isClaimed =
        "SELECT 1 FROM idempotent_requests WHERE lease_until > clock_timestamp() AND reply_status IS NULL";
      await expect.poll(async () => (await world.db.query(isClaimed)).length).toBe(0);
      const [run, ...more] = await runs();
      const again = once(ask(), "response") as Promise<[IncomingMessage]>;
      await complete(world, run?.id ?? "");
      const [reply] = await again;
      expect(await json(reply)).toMatchObject({ id: `resp_${run?.id}`, status: "completed" });
      expect([more, (await runs()).length]).toEqual([[], 1]);
    }));
});
