import { makeId } from "@quarry/base";
import type {
  AgentMonitorBacktestWire,
  AgentMonitorChangesWire,
  AgentMonitorEntitiesWire,
  AgentMonitorWire,
} from "@quarry/contract";
import { AGENT_BACKTEST_JOB, AGENT_MONITOR_JOB } from "@quarry/store";
import { verifies } from "@quarry/tests";
import {
  createAgentBacktestHandler,
  createAgentMonitorHandler,
  JUDGES,
  type AgentMonitorJobDeps,
} from "@quarry/websets";
import { runDueJobs } from "@quarry/websets/testing";
import { describe, expect } from "vitest";
import { withHttpApp, type HttpWorld } from "../../testing.ts";
import { agentMonitorRoutes } from "./agent-monitors.ts";

/** Behind the database's own time, so that jobs without a time of theirs are due. */
const NOW = new Date(Date.now() + 60_000);
const HOUR_MS = 3_600_000;

interface MonitorWorld extends HttpWorld {
  /** The pages of the web, by their address; a test changes them. */
  readonly web: Record<string, string>;
  /** What was stored an hour before the start. */
  readonly past: Record<string, string>;
  /** Runs what is due `ms` after the start. */
  readonly work: (ms?: number) => Promise<void>;
}

function withMonitors(test: (world: MonitorWorld) => Promise<void>): Promise<void> {
  let now = NOW;
  const clock = { now: () => now };
  const web: Record<string, string> = {
    "https://acme.example/": "Acme Robotics was founded in 2011. Acme Robotics has 120 employees.",
    "https://bolt.example/": "Bolt Works makes bolts. You can reach Bolt Works at hello@bolt.example.",
  };
  const past: Record<string, string> = { "https://acme.example/": "Acme Robotics has 80 employees." };
  return withHttpApp(
    async (world) => {
      const deps: AgentMonitorJobDeps = {
        database: world.db,
        clock,
        newId: (prefix) => makeId(prefix, now),
        llm: undefined,
        judges: JUDGES,
        findPages: ({ includeDomains }) =>
          Promise.resolve(Object.keys(web).filter((url) => includeDomains?.includes(new URL(url).hostname) ?? false)),
        readPages: ({ urls, asOf }) =>
          Promise.resolve(
            urls.flatMap((url) => {
              const text = (asOf instanceof Date ? past : web)[url];
              const page = { url, title: "A page", snapshotId: null, extractorVersion: "1", structured: [] };
              return text === undefined ? [] : [{ ...page, text }];
            }),
          ),
      };
      const handlers = {
        [AGENT_MONITOR_JOB]: createAgentMonitorHandler(deps),
        [AGENT_BACKTEST_JOB]: createAgentBacktestHandler(deps),
      };
      const work = async (ms = 0): Promise<void> => {
        now = new Date(NOW.getTime() + ms);
        await runDueJobs(world.db, handlers, now);
      };
      await test({ ...world, web, past, work });
    },
    ({ db }) => ({
      routes: agentMonitorRoutes({ database: db, clock, newId: (prefix) => makeId(prefix, now) }),
      clock,
    }),
  );
}

const ACME = { name: "Acme Robotics", domain: "acme.example" };
const BOLT = { name: "Bolt Works", domain: "bolt.example", description: "A maker of bolts" };
const EMPLOYEES = { name: "employees", description: "number of employees", type: "number" };
const BODY = {
  cadence: "12h",
  entities: [ACME],
  fields: [EMPLOYEES, { name: "founded", description: "year in which it was founded", type: "static" }],
};

async function begin(world: MonitorWorld, body: object = BODY): Promise<AgentMonitorWire> {
  const reply = await world.call("POST", "/agent/monitors", { body });
  expect(reply.statusCode, reply.body).toBe(200);
  return reply.json<AgentMonitorWire>();
}

async function read<T>(world: MonitorWorld, path: string): Promise<T> {
  const reply = await world.call("GET", path);
  expect(reply.statusCode, reply.body).toBe(200);
  return reply.json<T>();
}

describe("an agent monitor", () => {
  verifies(["agent-monitors:create:monitor"], "is made of cadence, entities and fields, and looked at soon", () =>
    withMonitors(async (world) => {
      const made = await begin(world);
      expect(made).toEqual({
        id: expect.stringMatching(/^agent_monitor_/) as string,
        object: "agent_monitor",
        status: "creating",
        cadence: "12h",
        fields: [
          { id: "field_1", name: "employees", description: "number of employees", mode: "dynamic", type: "number" },
          {
            id: "field_2",
            name: "founded",
            description: "year in which it was founded",
            mode: "static",
            type: "string",
          },
        ],
        entityCount: 1,
        version: 0,
        createdAt: NOW.toISOString(),
        lastRefreshAt: null,
        refresh: { state: "idle" },
        creation: { state: "running", entitiesProcessed: 0, entitiesTotal: 1, startedAt: NOW.toISOString() },
        usage: { totalAcus: 0, lastRefreshAcus: 0 },
      });
      await world.work();
      expect(await read(world, `/agent/monitors/${made.id}`)).toMatchObject({
        status: "active",
        lastRefreshAt: NOW.toISOString(),
        creation: { state: "idle" },
      });
      for (const [change, field] of [
        [{ cadence: "5h" }, "cadence"],
        [{ entities: [ACME, { ...ACME, name: "Other" }] }, "entities[1].domain"],
        [{ entities: [{ name: "A", domain: "https://acme.example/" }] }, "entities[0].domain"],
        [{ fields: [{ ...EMPLOYEES, type: "object" }] }, "fields[0].type"],
        [{ fields: [{ ...EMPLOYEES, type: "static", mode: "dynamic" }] }, "fields[0].type"],
        [{ fields: [] }, "fields"],
      ] as const) {
        const refused = await world.call("POST", "/agent/monitors", { body: { ...BODY, ...change } });
        expect([refused.statusCode, refused.json<{ error: { message: string } }>().error.message]).toEqual([
          400,
          expect.stringContaining(field),
        ]);
      }
    }),
  );

  verifies(["agent-monitors:create:idempotency"], "is made once for an Idempotency-Key", () =>
    withMonitors(async (world) => {
      const headers = { "idempotency-key": "monitor-1" };
      const replies = await Promise.all(
        [1, 2].map(() => world.call("POST", "/agent/monitors", { body: BODY, headers })),
      );
      const [one, two] = replies.map((reply) => reply.json<AgentMonitorWire>().id);
      expect(one).toBe(two);
      expect((await read<{ data: unknown[] }>(world, "/agent/monitors")).data).toHaveLength(1);
      const other = { ...BODY, cadence: "7d" };
      expect((await world.call("POST", "/agent/monitors", { body: other, headers })).statusCode).toBe(409);
    }),
  );

  verifies(
    ["agent-monitors:entities:add-and-list"],
    "lists entities with what their pages say, each value with its quote, also those added later",
    () =>
      withMonitors(async (world) => {
        const { id } = await begin(world);
        await world.work();
        const contact = { name: "contact", description: "e-mail address", type: "email" };
        expect(
          (await world.call("POST", `/agent/monitors/${id}/entities`, { body: { entities: [BOLT, ACME] } })).json(),
        ).toMatchObject({ entityCount: 2, status: "active" });
        await world.work(1_000);
        const list = await read<AgentMonitorEntitiesWire>(world, `/agent/monitors/${id}/entities`);
        expect(list).toMatchObject({
          object: "list",
          hasMore: false,
          data: [
            {
              entity: { name: "Acme Robotics", domain: "acme.example" },
              contents: {
                field_1: {
                  value: 120,
                  citations: [
                    { url: "https://acme.example/", note: expect.stringContaining("120 employees") as string },
                  ],
                  updatedAt: NOW.toISOString(),
                },
              },
            },
            { entity: { name: "Bolt Works" } },
          ],
        });
        expect(Object.keys(list.data[1]?.contents ?? {})).not.toContain("field_1");
        const withMail = await begin(world, { ...BODY, entities: [BOLT], fields: [contact] });
        await world.work(2_000);
        const mails = await read<AgentMonitorEntitiesWire>(world, `/agent/monitors/${withMail.id}/entities?limit=1`);
        expect(mails.data[0]?.contents["field_1"]?.value).toBe("hello@bolt.example");
        const changedSince = async (since: string): Promise<readonly unknown[]> =>
          (await read<AgentMonitorEntitiesWire>(world, `/agent/monitors/${id}/entities?since=${since}`)).data;
        expect(await changedSince(new Date(NOW.getTime() + 500).toISOString())).toEqual([]);
        expect(await changedSince("0")).toMatchObject([{ entity: { name: "Acme Robotics" } }]);
      }),
  );

  verifies(["agent-monitors:changes:since"], "lists what changed since a version or a moment, once each", () =>
    withMonitors(async (world) => {
      const { id } = await begin(world, { ...BODY, fields: [EMPLOYEES] });
      await world.work();
      await world.work(12 * HOUR_MS); // nothing new
      const first = await read<AgentMonitorChangesWire>(world, `/agent/monitors/${id}/changes`);
      expect(first).toMatchObject({
        object: "list",
        hasMore: false,
        version: 1,
        data: [
          {
            type: "content.upserted",
            entity: { name: "Acme Robotics", domain: "acme.example" },
            field: { id: "field_1", name: "employees" },
            content: { value: 120 },
            version: 1,
            createdAt: NOW.toISOString(),
          },
        ],
      });
      world.web["https://acme.example/"] = "Acme Robotics has 150 employees.";
      await world.work(24 * HOUR_MS);
      const cursor = encodeURIComponent(first.nextCursor ?? "");
      const moment = new Date(NOW.getTime() + HOUR_MS).toISOString();
      for (const query of [`cursor=${cursor}`, "since=1", `since=${moment}`]) {
        const next = await read<AgentMonitorChangesWire>(world, `/agent/monitors/${id}/changes?${query}`);
        expect(next).toMatchObject({ version: 2, data: [{ version: 2, content: { value: 150 } }] });
        expect(next.data).toHaveLength(1);
      }
      expect((await read<AgentMonitorChangesWire>(world, `/agent/monitors/${id}/changes?since=2`)).data).toEqual([]);
      delete world.web["https://acme.example/"];
      await world.work(36 * HOUR_MS); // a page that is gone takes no value with it
      expect((await read<AgentMonitorChangesWire>(world, `/agent/monitors/${id}/changes?since=2`)).data).toEqual([]);
    }),
  );

  verifies(["agent-monitors:backtest:run"], "looks back: a back-test reads pages as they were stored then", () =>
    withMonitors(async (world) => {
      const body = {
        entities: [ACME, BOLT],
        fields: [EMPLOYEES],
        startTime: new Date(NOW.getTime() - 48 * HOUR_MS).toISOString(),
        endTime: new Date(NOW.getTime() - HOUR_MS).toISOString(),
      };
      const reply = await world.call("POST", "/agent/monitors/backtest", { body });
      const made = reply.json<AgentMonitorBacktestWire>();
      expect(made).toMatchObject({ object: "agent_monitor.backtest", status: "running", endTime: body.endTime });
      await world.work();
      const path = `/agent/monitors/backtest/${made.id}`;
      expect(await read(world, path)).toMatchObject({
        status: "completed",
        data: [
          {
            name: "Acme Robotics",
            contents: { employees: { value: 80, citations: [{ url: "https://acme.example/" }] } },
          },
        ],
        failedEntities: [{ name: "Bolt Works" }],
      });
      await world.work(25 * HOUR_MS);
      expect((await world.call("GET", path)).statusCode).toBe(404);
      const turned = { ...body, startTime: body.endTime, endTime: body.startTime };
      expect((await world.call("POST", "/agent/monitors/backtest", { body: turned })).statusCode).toBe(400);
    }),
  );

  verifies(["agent-monitors:delete:marker"], "is deleted with a marker, for its own team only", () =>
    withMonitors(async (world) => {
      const { id } = await begin(world);
      const foreign = await world.makeKey({ teamId: await world.makeTeam() });
      const refused = await world.call("DELETE", `/agent/monitors/${id}`, { key: foreign.secret });
      expect([refused.statusCode, refused.json<{ error: { code: string } }>().error.code]).toEqual([
        404,
        "MONITOR_NOT_FOUND",
      ]);
      const reply = await world.call("DELETE", `/agent/monitors/${id}`);
      expect(reply.json()).toEqual({ id, object: "agent_monitor.deleted", deleted: true });
      await world.work();
      expect((await world.call("GET", `/agent/monitors/${id}`)).statusCode).toBe(404);
      expect(await world.db.query("SELECT 1 FROM agent_monitor_entities")).toEqual([]);
    }),
  );
});
