import { mkdtemp, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { createToolRegistry, ToolRuntime } from "@quarry/agent";
import { writeNoteTool } from "@quarry/agent/testing";
import { systemClock } from "@quarry/base";
import { ClientSideToolV2, VmDaemonService } from "@quarry/contract";
import { createHttpApp, createMetrics, mountRpc, RATE_LIMIT_PRESETS } from "@quarry/doors";
import { ensureFirstTeam, migrate, openDatabase, startEmbeddedPostgres, type Database } from "@quarry/store";
import { pino } from "pino";
import type { Benchmark } from "./benchmark.ts";

const CALLS = 2_000;
const WARM_UP = 200;

/** What a tool call without approval costs over Connect when the tool itself costs nothing. */
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
      const idle = { ...writeNoteTool(() => Promise.resolve()), tier: "read" as const };
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
      const { port } = app.server.address() as AddressInfo;
      const transport = createConnectTransport({
        baseUrl: `http://127.0.0.1:${port}`,
        httpVersion: "1.1",
        useBinaryFormat: true,
      });
      const client = createClient(VmDaemonService, transport);
      const times: number[] = [];
      const calls = Math.max(50, Math.round(CALLS * size));
      let cpu = process.cpuUsage();
      for (let call = 0; call < WARM_UP + calls; call += 1) {
        if (call === WARM_UP) {
          roundTrips = 0;
          cpu = process.cpuUsage();
        }
        const began = performance.now();
        const value = { relativeWorkspacePath: "note" };
        await client.callClientSideV2Tool({
          toolCall: {
            tool: ClientSideToolV2.EDIT_FILE_V2,
            toolCallId: `c${call}`,
            params: { case: "editFileV2Params", value },
          },
        });
        if (call >= WARM_UP) times.push(performance.now() - began);
      }
      const { user, system } = process.cpuUsage(cpu);
      const trips = roundTrips / calls;
      await app.close();
      await tools.close();
      times.sort((a, b) => a - b);
      const at = (share: number): number => times[Math.floor(times.length * share)] ?? 0;
      const cpuMs = (user + system) / 1_000 / calls;
      const figures = { calls, p50Ms: at(0.5), p95Ms: at(0.95), cpuMs, roundTrips: trips };
      return {
        figures,
        tables: [
          {
            title: "A tool call above the tool itself, over Connect (promise: p50 under 3 ms)",
            columns: ["calls", "p50 ms", "p95 ms", "CPU ms, client and server", "round trips to PostgreSQL"],
            rows: [
              [
                calls,
                figures.p50Ms.toFixed(2),
                figures.p95Ms.toFixed(2),
                cpuMs.toFixed(2),
                figures.roundTrips.toFixed(2),
              ],
            ],
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
