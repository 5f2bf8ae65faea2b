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
const MOST_WARM_UP = 200;

/**
 * What a tool call without approval costs over Connect when the tool itself costs
 * nothing. Beside it, call by call, the least that anything kept can cost there: the
 * door alone (a preview, which runs nothing) and one row brought to the disk.
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
      const { port } = app.server.address() as AddressInfo;
      const transport = createConnectTransport({
        baseUrl: `http://127.0.0.1:${port}`,
        httpVersion: "1.1",
        useBinaryFormat: true,
      });
      const client = createClient(VmDaemonService, transport);
      const times: Times = { call: [], door: [], write: [] };
      await db.query("CREATE TABLE bench_writes (n int)");
      const calls = Math.max(50, Math.round(CALLS * size));
      const warmUp = Math.min(MOST_WARM_UP, calls);
      const timed = async (call: number, kept: number[], work: () => Promise<unknown>): Promise<void> => {
        const began = performance.now();
        await work();
        if (call >= warmUp) kept.push(performance.now() - began);
      };
      let cpu = process.cpuUsage();
      for (let call = 0; call < warmUp + calls; call += 1) {
        if (call === warmUp) {
          roundTrips = 0;
          cpu = process.cpuUsage();
        }
        const toolCall = {
          tool: ClientSideToolV2.EDIT_FILE_V2,
          toolCallId: `c${call}`,
          params: { case: "editFileV2Params" as const, value: { relativeWorkspacePath: "note" } },
        };
        await timed(call, times.call, () => client.callClientSideV2Tool({ toolCall }));
        const before = process.cpuUsage();
        await timed(call, times.door, () =>
          client.callClientSideV2Tool({ toolCall: { ...toolCall, isStreaming: true } }),
        );
        await timed(call, times.write, () => database.query("INSERT INTO bench_writes VALUES ($1)", [call]));
        const spent = process.cpuUsage(before);
        cpu = { user: cpu.user + spent.user, system: cpu.system + spent.system };
      }
      const { user, system } = process.cpuUsage(cpu);
      const trips = roundTrips / calls;
      await app.close();
      await tools.close();
      const cpuMs = (user + system) / 1_000 / calls;
      const floorMs = quantile(times.door, 0.5) + quantile(times.write, 0.5);
      const p50Ms = quantile(times.call, 0.5);
      const figures = { calls, p50Ms, p95Ms: quantile(times.call, 0.95), floorMs, cpuMs, roundTrips: trips };
      return {
        figures,
        tables: [
          {
            title: "A tool call above the tool itself, over Connect (promise: p50 under 3 ms)",
            columns: [
              "calls",
              "p50 ms",
              "p95 ms",
              "door and one write, p50 ms",
              "CPU ms, client and server",
              "round trips to PostgreSQL",
            ],
            rows: [
              [
                calls,
                figures.p50Ms.toFixed(2),
                figures.p95Ms.toFixed(2),
                floorMs.toFixed(2),
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

interface Times {
  readonly call: number[];
  readonly door: number[];
  readonly write: number[];
}

function quantile(times: readonly number[], share: number): number {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length * share)] ?? 0;
}
