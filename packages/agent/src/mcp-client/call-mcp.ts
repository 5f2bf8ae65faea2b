import type { CallToolResult, Tool as McpTool } from "@modelcontextprotocol/client";
import { AppError, nearestName } from "@quarry/base";
import type { CallFacts } from "../call-facts.ts";
import type { ToolContext, ToolOutput } from "../tool.ts";
import { presentationOf } from "./allowed-servers.ts";
import type { McpClients, ShownCall } from "./mcp-clients.ts";
import { describeTransport, type McpServer } from "./mcp-config.ts";

/** One call of one tool of one server. */
export interface McpCall {
  readonly server: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** What the model was told of the tool, where the caller says so. */
  readonly description?: string;
}

/** What calls need. */
export interface CallMcpDeps {
  readonly mcp: McpClients;
  readonly rootsOf: (session: ToolContext["session"]) => readonly string[];
}

/** The session's own directories: what a person let one call reach besides has no say in which servers there are. */
export function ownRoots(deps: Pick<CallMcpDeps, "rootsOf">, { session }: ToolContext): readonly string[] {
  const { id, workspaceRoot, mode } = session;
  return deps.rootsOf({ id, workspaceRoot, mode });
}

/** How much of a tool's description a person is shown. */
const MAX_DESCRIPTION = 300;

/**
 * What a person should know of a call. A server of the operator is asked for its tools; one that the workspace names is
 * not even started before somebody agreed to that. A tool that presents itself otherwise than when it was let run is
 * asked about again, whatever the rules say.
 */
export async function lookAtCall(deps: CallMcpDeps, call: McpCall, context: ToolContext): Promise<Partial<CallFacts>> {
  const { server, facts: named, isAsked } = await lookAtServer(deps, call, context);
  if (isAsked) return named;
  const shown = shownCall(call.server, context);
  const tool = await findTool(deps, { server, name: call.tool }, context.signal);
  const presentation = presentationOf(tool);
  deps.mcp.remember(shown, { fingerprint: server.fingerprint, presentation });
  const before = await deps.mcp.allowed.presentationOf(context.teamId, `${server.fingerprint}:${call.tool}`);
  const alwaysAsk = [
    ...(before === undefined || before === presentation
      ? []
      : [`${server.name}:${call.tool} describes itself otherwise than when it was allowed`]),
    ...(call.description === undefined || call.description === (tool.description ?? "")
      ? []
      : [`${server.name}:${call.tool} describes itself otherwise than the model was told`]),
  ];
  const described = (tool.description ?? "").slice(0, MAX_DESCRIPTION);
  return {
    ...named,
    risk: tool.annotations?.destructiveHint === true ? "high" : "medium",
    notes: [described === "" ? "the tool does not describe itself" : `the tool says of itself: ${described}`],
    ...(alwaysAsk.length === 0 ? {} : { alwaysAsk }),
  };
}

/** What a person should know of the server that a call goes to, and whether they must agree to its start. */
export async function lookAtServer(
  deps: CallMcpDeps,
  call: Pick<McpCall, "server" | "tool">,
  context: ToolContext,
): Promise<{ readonly server: McpServer; readonly facts: Partial<CallFacts>; readonly isAsked: boolean }> {
  const server = await deps.mcp.find(ownRoots(deps, context), call.server);
  deps.mcp.remember(shownCall(call.server, context), { fingerprint: server.fingerprint, presentation: undefined });
  const question = await startQuestion(deps, server, context);
  const facts = { ...question, mcpTools: [`${server.name}:${call.tool}`], hosts: hostsOf(server) };
  return { server, facts, isAsked: question !== undefined };
}

/** The server that a call goes to, once it may run: as a person was shown it. Throws `conflict` otherwise. */
export async function confirmedServer(deps: CallMcpDeps, name: string, context: ToolContext): Promise<McpServer> {
  const server = await deps.mcp.find(ownRoots(deps, context), name);
  await confirmStart(deps, server, context);
  return server;
}

/** What a person is asked before a server that the workspace names is started or asked; undefined where nobody need be. */
export async function startQuestion(
  deps: CallMcpDeps,
  server: McpServer,
  context: ToolContext,
): Promise<Partial<CallFacts> | undefined> {
  if (server.origin === "operator" || (await deps.mcp.allowed.knowsServer(context.teamId, server.fingerprint))) {
    return undefined;
  }
  const means = describeTransport(server.transport);
  return server.transport.kind === "stdio"
    ? { risk: "high", commands: [means], alwaysAsk: [`the workspace's own mcp.json starts the program: ${means}`] }
    : { risk: "high", alwaysAsk: [`the workspace's own mcp.json names the server ${means}`] };
}

/** Makes sure that a server which the workspace names runs only as a person was shown it. Throws `conflict` otherwise. */
export async function confirmStart(deps: CallMcpDeps, server: McpServer, context: ToolContext): Promise<void> {
  if (server.origin === "operator") return;
  const { allowed } = deps.mcp;
  if (await allowed.knowsServer(context.teamId, server.fingerprint)) return;
  if (deps.mcp.shown(shownCall(server.name, context))?.fingerprint !== server.fingerprint) {
    throw new AppError(
      "conflict",
      `the workspace's entry for ${server.name} is not the one that was asked about, so it was not started; call again with a new tool_call_id`,
    );
  }
  await allowed.allowServer(context.teamId, server.fingerprint);
}

/** Runs a call that was let run. Progress is told as it comes. */
export async function* runCall(
  deps: CallMcpDeps,
  call: McpCall,
  context: ToolContext,
): AsyncGenerator<ToolOutput, CallToolResult> {
  const { signal, teamId } = context;
  const server = await confirmedServer(deps, call.server, context);
  const tool = await findTool(deps, { server, name: call.tool }, signal);
  const presentation = presentationOf(tool);
  const asked = deps.mcp.shown(shownCall(call.server, context))?.presentation;
  const key = `${server.fingerprint}:${call.tool}`;
  const before = await deps.mcp.allowed.presentationOf(teamId, key);
  // Without a memory of the question (the server was restarted, or not started before it) what was allowed once counts.
  const expected = asked ?? before;
  if (expected !== undefined && expected !== presentation) {
    throw new AppError(
      "conflict",
      `${server.name}:${call.tool} describes itself otherwise than when it was asked about, so it was not called; call again with a new tool_call_id`,
    );
  }
  await deps.mcp.allowed.allowPresentation(teamId, key, presentation);
  return yield* follow((onProgress) =>
    deps.mcp.connection(server).callTool(call.tool, call.args, { signal, onProgress }),
  );
}

/** Waits for a call and hands out its progress meanwhile. */
async function* follow<T>(
  start: (onProgress: (message: string, fraction: number | undefined) => void) => Promise<T>,
): AsyncGenerator<ToolOutput, T> {
  const waiting: ToolOutput[] = [];
  let wake = (): void => undefined;
  const work = start((message, fraction) => {
    waiting.push({ kind: "progress", message, ...(fraction === undefined ? {} : { fraction }) });
    wake();
  });
  const state = { isOver: false };
  const end = (): void => {
    state.isOver = true;
  };
  const over = work.then(end, end); // what it threw is thrown below, where it is awaited
  for (;;) {
    yield* waiting.splice(0);
    if (state.isOver) return await work;
    await Promise.race([over, new Promise<void>((resolve) => (wake = resolve))]);
  }
}

/** The tool of that name. Throws `not_found` with the names there are. */
async function findTool(
  deps: CallMcpDeps,
  wanted: { readonly server: McpServer; readonly name: string },
  signal: AbortSignal,
): Promise<McpTool> {
  const { server, name } = wanted;
  const tools = await deps.mcp.connection(server).tools(signal);
  const found = tools.find((tool) => tool.name === name);
  if (found !== undefined) return found;
  const names = tools.map((tool) => tool.name);
  const near = nearestName(name, names);
  const hint = near === undefined ? "" : ` Did you mean ${near}?`;
  throw new AppError(
    "not_found",
    `the MCP server ${server.name} has no tool ${name};${hint} it has: ${names.join(", ") || "none"}`,
  );
}

function shownCall(server: string, { session, toolCallId }: ToolContext): ShownCall {
  return { sessionId: session.id, toolCallId, server };
}

/** Rules about hosts hold for servers at an address, too. */
function hostsOf(server: McpServer): readonly string[] {
  return server.transport.kind === "http" ? [new URL(server.transport.url).hostname] : [];
}
