import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { withHttpApp, type HttpWorld } from "../testing.ts";
import { AppError } from "@quarry/base";
import { workflowRoutes } from "../index.ts";
import type { ApiCall } from "./api-call.ts";
import type { JsonObject } from "./budget/shorten-card.ts";
import { callTool } from "./call-tool.ts";
import type { InputMode } from "./coerce-input.ts";
import { mountMcp } from "./mount-mcp.ts";
import { answerTools } from "./tools/answer-tools.ts";
import { searchTools } from "./tools/search-tools.ts";
import { workflowTools } from "./tools/workflow-tools.ts";

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

async function beginSession(world: HttpWorld, key = world.key): Promise<Readonly<Record<string, string>>> {
  const begun = await send(
    world,
    "initialize",
    { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "tests", version: "1" } },
    { "x-api-key": key },
  );
  return { "mcp-session-id": String(begun.headers["mcp-session-id"]) };
}

function mount(world: HttpWorld): AbortController {
  const stopping = new AbortController();
  mountMcp(world.app, { version: "1", clock: world.clock, withFixtures: false, stopping: stopping.signal });
  return stopping;
}

it("takes arguments under other names and in short forms, where it is plain what was meant", async () => {
  const asked: { readonly path: string; readonly body: unknown }[] = [];
  const api: ApiCall = ({ path, body }) => {
    asked.push({ path, body });
    return Promise.reject(new AppError("unavailable", "not here"));
  };
  const tools = [...searchTools, ...answerTools, ...workflowTools];
  const call = async (name: string, args: JsonObject, inputMode: InputMode = "safe") => {
    const tool = tools.find((one) => one.name === name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    const signal = new AbortController().signal;
    const done = (): Promise<void> => Promise.resolve();
    const context = { api, signal, now: () => new Date(0), progress: done, log: done, callId: "c", answer: undefined };
    await callTool(tool, args, { ...context, canAsk: false }, { inputMode, count: () => 1 });
    return asked.pop();
  };
  expect(await call("fetch", { url: "https://e.org/" })).toMatchObject({ body: { urls: ["https://e.org/"] } });
  expect(await call("search", { question: "owls" })).toMatchObject({ body: { query: "owls" } });
  expect(await call("search", { question: "owls", query: "herons" })).toMatchObject({ body: { query: "herons" } });
  expect(await call("answer", { question: "owls?" })).toMatchObject({ body: { query: "owls?" } });
  const args = { query: "lamps", entity: "company", criteria: ["sits in Leeds"] };
  expect(await call("workflow_start", { workflow: "lifecycle.harvest", args })).toMatchObject({
    body: { args: { query: "lamps", entity: { type: "company" }, criteria: [{ description: "sits in Leeds" }] } },
  });
  expect(await call("fetch", { url: "https://e.org/" }, "strict")).toBeUndefined();
});

it("counts a tool call once, under the tool's name, with a session and without", () =>
  withHttpApp(
    async (world) => {
      const stopping = mount(world);
      const session = await beginSession(world);
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

it("has a client begin anew with the new secret of a rotated key, since a session calls with the one that began it", () =>
  withHttpApp(async (world) => {
    const stopping = mount(world);
    const { key, secret } = await world.makeKey();
    const session = await beginSession(world, secret);
    const look = async (apiKey: string) =>
      (await send(world, "tools/list", {}, { ...session, "x-api-key": apiKey })).statusCode;
    const rotated = await world.call("POST", `/quarry/v1/keys/${key.id}/rotate`, { body: { graceSeconds: 60 } });
    expect([await look(secret), await look(rotated.json<{ key: string }>().key)]).toEqual([200, 404]);
    stopping.abort();
  }));

it("ends the stream of a session when its key is revoked", () =>
  withHttpApp(async (world) => {
    const stopping = mount(world);
    await world.app.listen({ host: "127.0.0.1", port: 0 });
    const { port } = world.app.server.address() as AddressInfo;
    const { key, secret } = await world.makeKey();
    const headers = { ...PROTOCOL, ...(await beginSession(world, secret)), "x-api-key": secret };
    const [stream] = (await once(httpRequest({ port, path: "/mcp", headers, agent: false }).end(), "response")) as [
      IncomingMessage,
    ];
    expect([stream.statusCode, stream.headers["content-type"]]).toEqual([200, "text/event-stream"]);
    const over = new Promise((resolve) => stream.on("error", () => undefined).once("close", resolve));
    stream.resume();
    await world.call("DELETE", `/quarry/v1/keys/${key.id}`);
    await over;
    stopping.abort();
  }));
