import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { JsonObject } from "@bufbuild/protobuf";
import type { FetchLike } from "@modelcontextprotocol/client";
import { build } from "esbuild";
import type { CallFacts } from "../call-facts.ts";
import { withWorkspace, type TestWorkspace } from "../testing-workspace.ts";
import type { Tool, ToolContext, ToolOutput } from "../tool.ts";
import { validateArgs } from "../validate-call.ts";
import { createMcpClients, type McpClients } from "./mcp-clients.ts";
import type { BackOff } from "./mcp-connection.ts";
import type { McpSdk } from "./mcp-sdk.ts";

/** The program of the test server, see its first lines. */
export const TEST_SERVER = path.resolve(import.meta.dirname, "../../fixtures/mcp-server.mjs");

/** A workspace, MCP clients on it, and what tests change. */
export interface McpWorld extends TestWorkspace {
  readonly mcp: McpClients;
  /** Outside of the workspace. */
  readonly directory: string;
  readonly configFile: string;
  readonly descriptionFile: string;
  /** The process ids of every start of the test server. */
  readonly starts: () => readonly number[];
  /** Looks at a call, then runs it, as the spine does when it is let run. */
  readonly call: (tool: Tool, args: JsonObject, context?: Partial<ToolContext>) => Promise<Called>;
}

/** What became of a call. */
export interface Called {
  readonly facts: CallFacts;
  readonly outputs: readonly ToolOutput[];
  readonly result: JsonObject;
}

let sdk: Promise<McpSdk> | undefined;

/** Loads the protocol's client before the first test, which need not wait for it then. */
export async function warmSdk(): Promise<void> {
  await (sdk ??= bundleSdk());
}

/** Runs `work` with the test server as `test` of the operator's mcp.json; `more` are entries beside it. */
export async function withMcp<T>(
  options: {
    readonly more?: JsonObject;
    readonly timeoutMs?: number;
    readonly files?: Readonly<Record<string, string>>;
    readonly fetch?: FetchLike;
    readonly backOff?: BackOff;
  },
  work: (world: McpWorld) => Promise<T>,
): Promise<T> {
  const directory = mkdtempSync(path.join(tmpdir(), "quarry-mcp-"));
  const descriptionFile = path.join(directory, "description");
  const startsFile = path.join(directory, "starts");
  const configFile = path.join(directory, "mcp.json");
  writeFileSync(descriptionFile, "Says it again");
  writeFileSync(startsFile, "");
  const env = { DESCRIPTION_FILE: descriptionFile, STARTS_FILE: startsFile, SECRET: "${FROM_OUTSIDE}" };
  const test = {
    command: process.execPath,
    args: [TEST_SERVER],
    env,
    ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
  };
  writeFileSync(configFile, JSON.stringify({ mcpServers: { test, ...options.more } }));
  const mcp = createMcpClients({
    loadSdk: () => (sdk ??= bundleSdk()),
    fetchOf: () => options.fetch ?? (() => Promise.reject(new Error("no way out"))),
    environment: { PATH: path.dirname(process.execPath), FROM_OUTSIDE: "filled in", QUARRY_API_KEY: "ours" },
    configFile,
    allowedFile: path.join(directory, "allowed.json"),
    backOff: options.backOff ?? { firstMs: 50, mostMs: 1_000, waitMs: 500 },
  });
  try {
    return await withWorkspace(options.files ?? {}, (workspace) =>
      work({
        ...workspace,
        mcp,
        directory,
        configFile,
        descriptionFile,
        starts: () => readFileSync(startsFile, "utf8").trim().split("\n").filter(Boolean).map(Number),
        call,
      }),
    );
  } finally {
    await mcp.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

let calls = 0;

async function call(tool: Tool, args: JsonObject, given: Partial<ToolContext> = {}): Promise<Called> {
  const valid = validateArgs(tool, args);
  if (valid.kind === "invalid") throw new Error(valid.error.model);
  calls += 1;
  const context: ToolContext = {
    teamId: "team",
    session: { id: "session", workspaceRoot: "", mode: "agent" },
    toolCallId: `call-${calls}`,
    signal: new AbortController().signal,
    earlierResults: () => Promise.resolve([]),
    ...given,
  };
  const facts = await tool.inspect(valid.args, context);
  const outputs: ToolOutput[] = [];
  const running = tool.run(valid.args, context);
  for (;;) {
    const step = await running.next();
    if (step.done !== true) outputs.push(step.value);
    else if (step.value.kind === "succeeded") return { facts, outputs, result: step.value.result };
    else throw new Error(step.value.error.model);
  }
}

/**
 * The protocol's client from a bundle: our tests run with the condition `source`, under which a package that it uses
 * would be loaded as the TypeScript it was published with, which Node 20 cannot run.
 */
async function bundleSdk(): Promise<McpSdk> {
  const directory = mkdtempSync(path.join(tmpdir(), "quarry-mcp-sdk-"));
  const outfile = path.join(directory, "sdk.mjs");
  try {
    await build({
      stdin: { contents: 'export * from "@modelcontextprotocol/client";', resolveDir: import.meta.dirname },
      bundle: true,
      platform: "node",
      format: "esm",
      target: "node20",
      logLevel: "error",
      banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
      outfile,
    });
    return (await import(/* @vite-ignore */ pathToFileURL(outfile).href)) as McpSdk; // as the package exports it
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
