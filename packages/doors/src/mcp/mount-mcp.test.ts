import { expect, it } from "vitest";
import { withHttpApp, type HttpWorld } from "../testing.ts";
import { workflowRoutes } from "../index.ts";
import { mountMcp } from "./mount-mcp.ts";

const PROTOCOL = { accept: "application/json, text/event-stream", "mcp-protocol-version": "2025-11-25" };

function send(world: HttpWorld, method: string, params: object, headers: Readonly<Record<string, string>> = {}) {
  const body = { jsonrpc: "2.0", id: 1, method, params };
  return world.call("POST", "/mcp", { headers: { ...PROTOCOL, ...headers }, body });
}

async function readUsage(world: HttpWorld): Promise<Readonly<Record<string, number>>> {
  const reply = await world.call("GET", "/quarry/v1/usage?groupBy=endpoint");
  const { data } = reply.json<{ data: { endpoint: string; requests: number }[] }>();
  return Object.fromEntries(data.map(({ endpoint, requests }) => [endpoint, requests]));
}

it("counts a tool call once, under the tool's name, with a session and without", () =>
  withHttpApp(
    async (world) => {
      const stopping = new AbortController();
      mountMcp(world.app, {
        version: "1",
        clock: world.clock,
        withFixtures: false,
        stopping: stopping.signal,
      });
      const begun = await send(world, "initialize", {
        protocolVersion: "2025-11-25",
        capabilities: {},
        clientInfo: { name: "tests", version: "1" },
      });
      const session = { "mcp-session-id": String(begun.headers["mcp-session-id"]) };
      await send(world, "tools/list", {}, session);
      const start = {
        name: "workflow_start",
        arguments: { workflow: "retrieval.searchAndRead", args: { query: "owls" } },
      };
      const started = await send(world, "tools/call", start, session);
      const taskId = /task_[0-9a-z]{26}/.exec(started.body)?.[0];
      await send(world, "tools/call", start);
      const status = await send(world, "tools/call", { name: "workflow_status", arguments: { taskId } });
      expect(status.body).toContain("retrieval.searchAndRead");
      stopping.abort();
      world.clock.advance(1_000);
      expect(await readUsage(world)).toEqual({ "MCP workflow_start": 2, "MCP workflow_status": 1 });
    },
    ({ db }) => ({ routes: workflowRoutes({ db, clock: { now: () => new Date("2026-03-01T12:00:00.000Z") } }) }),
  ));
