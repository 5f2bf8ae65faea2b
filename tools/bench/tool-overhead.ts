import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { createToolRegistry, ToolRuntime, type Tool } from "@quarry/agent";
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
 * What a tool call without approval costs above the tool itself, both over Connect: beside each call, the same message
 * goes to a bare Connect server that answers with the tool's result and does nothing else. The tool itself costs
 * nothing. Calls that only look go another way than calls that write and are allowed by a rule: both are measured. A
 * third server writes as many small rows to the disk as a call of that kind must, and does nothing else: no way to keep
 * calls costs less, and a busy machine slows it as it slows a call.
 */
export const toolOverheadBenchmark: Benchmark = {
  name: "tool-overhead",
  run: async ({ size, progress }) => {
    const directory = await mkdtemp(path.join(tmpdir(), "quarry-bench-tools-"));
    const policyFile = path.join(directory, "policy.json");
    const server = await startEmbeddedPostgres({ dataDirectory: path.join(directory, "database") });
    const db = await openDatabase({ address: server.address });
    try {
      await writeFile(policyFile, JSON.stringify({ rules: [{ decision: "allow", tools: ["edit_file_v2"] }] }));
      await migrate(db, path.resolve("packages/store/migrations"));
      await db.query("CREATE TABLE bench_kept (at timestamptz DEFAULT now())");
      const { teamId } = await ensureFirstTeam(db, { apiKey: undefined, now: systemClock.now() });
      const writes = writeNoteTool(() => Promise.resolve());
      const looks = { ...writes, tier: "read" as const, annotations: { ...writes.annotations, readOnly: true } };
      const calls = Math.max(50, Math.round(CALLS * size));
      const look = await measureCalls({ db, teamId, tool: looks, policyFile, calls, name: "look", keeps: 1, progress });
      const write = await measureCalls({
        db,
        teamId,
        tool: writes,
        policyFile,
        calls,
        name: "write",
        keeps: 2,
        progress,
      });
      return {
        figures: { calls, ...named("look", look), ...named("write", write) },
        tables: [
          {
            title: "A tool call without approval, above the tool itself, over Connect (promise: p50 under 3 ms)",
            columns: [
              "",
              "calls",
              "above, p50 ms",
              "call, p50 ms",
              "call, p95 ms",
              "tool itself, p50 ms",
              "only kept, p50 ms",
              "round trips",
            ],
            rows: [toRow("only looks", calls, look), toRow("writes, by a rule", calls, write)],
          },
        ],
      };
    } finally {
      await db.close();
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    }
  },
};

/** What calls of one kind cost. */
export interface CallCost {
  readonly aboveMs: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly bareMs: number;
  readonly keptMs: number;
  readonly roundTrips: number;
}

async function measureCalls(of: {
  readonly db: Database;
  readonly teamId: string;
  readonly tool: Tool;
  readonly policyFile: string;
  readonly calls: number;
  /** The session's. */
  readonly name: string;
  /** How often such a call must reach the disk. */
  readonly keeps: number;
  readonly progress: (line: string) => void;
}): Promise<CallCost> {
  const { teamId, tool, policyFile, calls } = of;
  let roundTrips = 0;
  const db: Database = {
    ...of.db,
    query: (...given) => {
      roundTrips += 1;
      return of.db.query(...given);
    },
  };
  const tools = await ToolRuntime.start({
    db,
    clock: systemClock,
    registry: createToolRegistry([tool]),
    headless: undefined,
    // As many files as a server looks at.
    filesOf: () => [
      { source: "admin", path: `${policyFile}.none` },
      { source: "user", path: policyFile },
      { source: "workspace", path: `${policyFile}.none` },
    ],
    hookFiles: [`${policyFile}.none`, `${policyFile}.none`],
    onFailure: (error) => of.progress(error.message),
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
  const bareServer = await startBareServer(() => Promise.resolve());
  const keepingServer = await startBareServer(async () => {
    for (let kept = 0; kept < of.keeps; kept += 1) {
      await of.db.query("INSERT INTO bench_kept DEFAULT VALUES", [], { isPrepared: true });
    }
  });
  const warmUp = Math.min(MOST_WARM_UP, calls);
  const times = await runClient([urlOf(app.server), urlOf(bareServer), urlOf(keepingServer), of.name, calls, warmUp]);
  const trips = roundTrips / (calls + warmUp);
  bareServer.close();
  keepingServer.close();
  await app.close();
  await tools.close();
  const p50Ms = quantile(times.call, 0.5);
  const bareMs = quantile(times.bare, 0.5);
  const keptMs = quantile(times.kept, 0.5);
  return { aboveMs: p50Ms - bareMs, p50Ms, p95Ms: quantile(times.call, 0.95), bareMs, keptMs, roundTrips: trips };
}

function named(name: string, cost: CallCost): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(cost).map(([figure, value]) => [`${name} ${figure}`, value as number]));
}

function toRow(name: string, calls: number, cost: CallCost): readonly (string | number)[] {
  const { aboveMs, p50Ms, p95Ms, bareMs, keptMs, roundTrips } = cost;
  return [name, calls, ...[aboveMs, p50Ms, p95Ms, bareMs, keptMs, roundTrips].map((figure) => figure.toFixed(2))];
}

interface Times {
  readonly call: number[];
  readonly bare: number[];
  readonly kept: number[];
}

function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The tool itself over Connect: its result, and nothing checked or judged. */
async function startBareServer(keep: () => Promise<void>): Promise<Server> {
  const server = createServer(
    connectNodeAdapter({
      routes: (router) => {
        router.service(VmDaemonService, {
          callClientSideV2Tool: async ({ toolCall }) => {
            await keep();
            return {
              toolResult: {
                tool: ClientSideToolV2.EDIT_FILE_V2,
                toolCallId: toolCall?.toolCallId ?? "",
                result: { case: "editFileV2Result", value: {} },
              },
            };
          },
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
