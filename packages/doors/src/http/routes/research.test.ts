import {
  appendResearchEvents,
  cancelResearch,
  claimJobs,
  moveResearchBy,
  RESEARCH_JOB,
  type Json,
  type NewResearchEvent,
} from "@quarry/store";
import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import { withHttpApp, type HttpWorld } from "../../testing.ts";
import { researchRoutes } from "./research.ts";

const NOW = new Date("2026-03-01T12:00:00.000Z");
const TIME = NOW.getTime();
const QUESTION = "When was the bridge opened?";

/** The research routes, with nobody at work: tests move the runs themselves. */
function withResearch(work: (world: HttpWorld) => Promise<void>): Promise<void> {
  return withHttpApp(work, ({ db }) => ({ routes: researchRoutes({ db, clock: { now: () => NOW } }) }));
}

async function begin(world: HttpWorld, body: object = { instructions: QUESTION }): Promise<string> {
  const reply = await world.call("POST", "/research/v1", { body });
  expect(reply.statusCode, reply.body).toBe(201);
  return reply.json<{ researchId: string }>().researchId;
}

async function look(world: HttpWorld, id: string, query = ""): Promise<Readonly<Record<string, unknown>>> {
  const reply = await world.call("GET", `/research/v1/${id}${query}`);
  expect(reply.statusCode).toBe(200);
  return reply.json<Record<string, unknown>>();
}

function move(world: HttpWorld, id: string, change: Omit<Parameters<typeof moveResearchBy>[2], "now">) {
  return world.db.transaction((tx) => moveResearchBy(tx, id, { ...change, now: NOW }));
}

const OPERATIONS: readonly Json[] = [
  { type: "think", content: "One question." },
  {
    type: "search",
    searchType: "auto",
    goal: "g",
    query: "bridge",
    results: [{ url: "https://a.example/" }],
    pageTokens: 0,
  },
  { type: "crawl", goal: "g", result: { url: "https://a.example/" }, pageTokens: 12 },
];
const EVENTS: readonly NewResearchEvent[] = [
  { event: { eventType: "research-definition", instructions: QUESTION } },
  ...OPERATIONS.map((data, index) => ({
    event: { eventType: "task-operation", planId: "plan_1", taskId: "task_1", operationId: `operation_${index}`, data },
    memory: { quotes: ["what the wire does not show"] },
  })),
];

describe("a research task on the wire", () => {
  verifies(
    [
      "research:dto:pending",
      "research:create:model-default",
      "research:create:models",
      "research:create:output-schema",
    ],
    "is pending with what was asked alone, under the default model or a named one",
    () =>
      withResearch(async (world) => {
        const id = await begin(world);
        const common = { researchId: id, createdAt: TIME, status: "pending", model: "exa-research" };
        expect(await look(world, id, "?events=true")).toEqual({ ...common, instructions: QUESTION });
        const outputSchema = { type: "object", properties: { opened: { type: "string" } } };
        for (const model of ["exa-research-fast", "exa-research", "exa-research-pro"]) {
          const named = await begin(world, { instructions: QUESTION, model, outputSchema });
          expect(await look(world, named)).toMatchObject({ status: "pending", model, outputSchema });
        }
      }),
  );

  verifies("research:create:old-output-form", "takes output.schema and inferSchema of older clients", () =>
    withResearch(async (world) => {
      const schema = { type: "object", properties: { opened: { type: "string" } } };
      const old = await begin(world, { instructions: QUESTION, output: { schema } });
      expect(await look(world, old)).toMatchObject({ outputSchema: schema });
      const inferred = await begin(world, { instructions: QUESTION, output: { inferSchema: true } });
      expect(await look(world, inferred)).not.toHaveProperty("outputSchema");
      const broken = { instructions: QUESTION, output: { schema: { type: "nothing" } } };
      const refused = await world.call("POST", "/research/v1", { body: broken });
      expect([refused.statusCode, refused.json()]).toMatchObject([400, { tag: "INVALID_JSON_SCHEMA" }]);
    }),
  );

  verifies(
    ["research:dto:running", "research:events:operations"],
    "shows the events of a running task when asked, with their operations, and nothing of what it remembers",
    () =>
      withResearch(async (world) => {
        const id = await begin(world);
        await move(world, id, { move: "start" });
        await world.db.transaction((tx) => appendResearchEvents(tx, id, 0, EVENTS, NOW));
        const common = { researchId: id, createdAt: TIME };
        expect(await look(world, id)).toEqual({
          ...common,
          status: "running",
          model: "exa-research",
          instructions: QUESTION,
        });
        expect((await look(world, id, "?events=true"))["events"]).toEqual(
          EVENTS.map(({ event }) => ({ ...(event as object), ...common })),
        );
      }),
  );

  verifies(
    ["research:dto:canceled", "research:dto:failed", "research:dto:content-is-json-text", "research:dto:cost"],
    "tells how it ended: cancelled, failed with a sentence, or completed with content, cost and citations",
    () =>
      withResearch(async (world) => {
        const canceled = await begin(world);
        await cancelResearch(world.db, world.teamId, canceled, NOW);
        expect(await look(world, canceled)).toMatchObject({ status: "canceled", finishedAt: TIME });
        const failed = await begin(world);
        await move(world, failed, { move: "fail", error: "the sources do not support /mayor" });
        expect(await look(world, failed)).toMatchObject({
          status: "failed",
          finishedAt: TIME,
          error: "the sources do not support /mayor",
        });
        const done = await begin(world, { instructions: QUESTION, outputSchema: { type: "object" } });
        await move(world, done, { move: "start" });
        const costDollars = { total: 0.01, numSearches: 2, numPages: 1, reasoningTokens: 40 };
        const output = { content: '{"opened":"1883"}', parsed: { opened: "1883" } };
        await move(world, done, { move: "complete", output: { output, costDollars, citations: [] } });
        expect(await look(world, done)).toEqual({
          researchId: done,
          createdAt: TIME,
          finishedAt: TIME,
          status: "completed",
          model: "exa-research",
          instructions: QUESTION,
          outputSchema: { type: "object" },
          output,
          costDollars,
          citations: [],
        });
        expect(JSON.parse(output.content)).toEqual(output.parsed);
      }),
  );

  verifies("research:list:paged", "lists ten newest first, one to fifty on a word, and the rest behind a cursor", () =>
    withResearch(async (world) => {
      const ids: string[] = [];
      for (let count = 0; count < 12; count += 1) {
        ids.unshift(await begin(world));
        world.clock.advance(1_000);
      }
      const list = async (query: string) =>
        (await world.call("GET", `/research/v1${query}`)).json<{
          data: { researchId: string }[];
          hasMore: boolean;
          nextCursor: string | null;
        }>();
      const first = await list("");
      expect(first.data.map(({ researchId }) => researchId)).toEqual(ids.slice(0, 10));
      expect(first.hasMore).toBe(true);
      const rest = await list(`?cursor=${first.nextCursor ?? ""}&limit=50`);
      expect(rest).toMatchObject({ hasMore: false, nextCursor: null });
      expect(rest.data.map(({ researchId }) => researchId)).toEqual(ids.slice(10));
      for (const limit of [0, 51]) {
        expect((await world.call("GET", `/research/v1?limit=${limit}`)).statusCode).toBe(400);
      }
    }),
  );

  verifies(
    ["research:run:15-per-key", "http:limits:research-15"],
    "runs fifteen of a key at once; the sixteenth waits as pending",
    () =>
      withResearch(async (world) => {
        const ids: string[] = [];
        for (let count = 0; count < 16; count += 1) ids.push(await begin(world));
        const { secret } = await world.makeKey();
        const other = await world.call("POST", "/research/v1", { body: { instructions: QUESTION }, key: secret });
        const wish = { kinds: [RESEARCH_JOB], workerId: "worker", limit: 100, leaseMs: 60_000 };
        const claimed = await claimJobs(world.db, wish);
        const started = claimed.map(({ payload }) => (payload as { researchId: string }).researchId);
        expect(started.sort()).toEqual([...ids.slice(0, 15), other.json<{ researchId: string }>().researchId].sort());
        expect(await look(world, ids[15] ?? "")).toMatchObject({ status: "pending" });
      }),
  );
});

it("takes a further wish once, of its own team alone, while the task is under way", () =>
  withResearch(async (world) => {
    const id = await begin(world);
    const steer = (body: object, key?: string, of = id) =>
      world.call("POST", `/quarry/v1/research/${of}/steer`, { body, ...(key !== undefined && { key }) });
    const wish = { instructions: "  And what does it span?  " };
    for (const time of ["first", "again"]) {
      const taken = await steer(wish);
      expect([time, taken.statusCode]).toEqual([time, 200]);
      expect(taken.json()).toMatchObject({ researchId: id, instructions: `${QUESTION}\n\nAnd what does it span?` });
    }
    const { secret } = await world.makeKey({ teamId: await world.makeTeam() });
    expect((await steer(wish, secret)).statusCode).toBe(404);
    expect((await steer(wish, undefined, "research_none")).statusCode).toBe(404);
    for (const wrong of [{}, { instructions: "  " }, { instructions: 7 }, { instructions: "x".repeat(50_001) }]) {
      const refused = await steer(wrong);
      expect([refused.statusCode, refused.body]).toEqual([400, expect.stringContaining("instructions")]);
    }
    const long = await steer({ instructions: "x".repeat(49_990) });
    expect([long.statusCode, long.body]).toEqual([400, expect.stringContaining("all wishes together")]);
    await cancelResearch(world.db, world.teamId, id, NOW);
    expect((await steer({ instructions: "What did it cost?" })).statusCode).toBe(409);
  }));
