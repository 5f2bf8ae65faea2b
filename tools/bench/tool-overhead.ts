import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { createToolRegistry, ToolRuntime } from "@quarry/agent";
import { writeNoteTool } from "@quarry/agent/testing";
import { systemClock } from "@quarry/base";
import { ClientSideToolV2, VmDaemonService } from "@quarry/contract";
import { createHttpApp, createMetrics, mountRpc, RATE_LIMIT_PRESETS } from "@quarry/doors";
import { ensureFirstTeam, migrate, openDatabase, startEmbeddedPostgres, type Database } from "@quarry/store";
import { pino } from "pino";
import { quantile } from "../eval/extract-scores.ts";
import { buildProgram } from "../soak/build-program.ts";
import type { Benchmark } from "./benchmark.ts";

const CALLS = 2_000;
const MOST_WARM_UP = 200;

/**
 * What a tool call that only looks, without approval, costs above the tool itself, both over Connect:
 * beside each call, the same message goes to a bare Connect server that answers with
 * the tool's result and does nothing else. The tool itself costs nothing.
 */
export const toolOverheadBenchmark: Benchmark = {
  name: "tool-overhead",
  run: async ({ size, progress }) => {
    const directory = await mkdtemp(path.join(tmpdir(), "quarry-bench-tools-"));
    const server = await startEmbeddedPostgres({ dataDirectory: directory });
    const database = await openDatabase({ address: server.address });
    let roundTrips = 0;
    const db: Database = {
      ...database,
      query: (...given) => {
        roundTrips += 1;
        return database.query(...given);
      },
    };
    try {
      await migrate(db, path.resolve("packages/store/migrations"));
      const { teamId } = await ensureFirstTeam(db, { apiKey: undefined, now: systemClock.now() });
      const note = writeNoteTool(() => Promise.resolve());
      const idle = { ...note, tier: "read" as const, annotations: { ...note.annotations, readOnly: true } };
      const tools = await ToolRuntime.start({
        db,
        clock: systemClock,
        registry: createToolRegistry([idle]),
        headless: undefined,
        filesOf: () => [],
        onFailure: (error) => progress(error.message),
      });
      const app = createHttpApp({
        db,
        clock: systemClock,
        log: pino({ level: "silent" }),
        version: "bench",
        auth: { mode: "none", teamId },
        serves: "everything",
        routes: [],
        allowedHosts: [],
        corsOrigins: [],
        rateLimits: RATE_LIMIT_PRESETS.unlimited,
        metrics: createMetrics(),
        readiness: () => ({ status: "ready", components: [] }) as never,
        health: () => Promise.reject(new Error("nobody asks")),
      });
      mountRpc(app, { tools, stopping: new AbortController().signal });
      await app.listen({ host: "127.0.0.1", port: 0 });
      const bareServer = await startBareServer();
      const calls = Math.max(50, Math.round(CALLS * size));
      const warmUp = Math.min(MOST_WARM_UP, calls);
      const times = await runClient([urlOf(app.server), urlOf(bareServer), calls, warmUp]);
      const trips = roundTrips / (calls + warmUp);
      bareServer.close();
      await app.close();
      await tools.close();
      const p50Ms = quantile(times.call, 0.5);
      const bareMs = quantile(times.bare, 0.5);
      const aboveMs = p50Ms - bareMs;
      return {
        figures: { calls, aboveMs, p50Ms, p95Ms: quantile(times.call, 0.95), bareMs, roundTrips: trips },
        tables: [
          {
            title: "A tool call that only looks, above the tool itself, over Connect (promise: p50 under 3 ms)",
            columns: ["calls", "above, p50 ms", "call, p50 ms", "tool itself, p50 ms", "round trips"],
            rows: [[calls, aboveMs.toFixed(2), p50Ms.toFixed(2), bareMs.toFixed(2), trips.toFixed(2)]],
          },
        ],
      };
    } finally {
      await database.close();
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    }
  },
};

interface Times {
  readonly call: number[];
  readonly bare: number[];
}

function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The tool itself over Connect: its result, and nothing kept, checked or judged. */
async function startBareServer(): Promise<Server> {
  const server = createServer(
    connectNodeAdapter({
      routes: (router) => {
        router.service(VmDaemonService, {
          callClientSideV2Tool: ({ toolCall }) => ({
            toolResult: {
              tool: ClientSideToolV2.EDIT_FILE_V2,
              toolCallId: toolCall?.toolCallId ?? "",
              result: { case: "editFileV2Result", value: {} },
            },
          }),
        });
      },
    }),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

async function runClient(wish: readonly (string | number)[]): Promise<Times> {
  const program = await buildProgram("tools/bench/tool-overhead-client.ts");
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [program, ...wish.map(String)], {
      maxBuffer: 64 * 1024 * 1024,
    });
    return JSON.parse(stdout) as Times;
  } finally {
    await rm(program, { force: true });
  }
}
