import path from "node:path";
import { AppError, nearestName } from "@quarry/base";
import { createAllowedServers, type AllowedServers } from "./allowed-servers.ts";
import { readMcpConfig, type McpConfig, type McpConfigFile, type McpServer } from "./mcp-config.ts";
import { McpConnection, type McpConnectionDeps } from "./mcp-connection.ts";

/** The MCP servers that tools may ask. */
export interface McpClients {
  /** The servers for these directories: the operator's, then those of the directories' own files. */
  readonly list: (roots: readonly string[]) => Promise<McpConfig>;
  /** The server of that name. Throws `not_found` with the names there are. */
  readonly find: (roots: readonly string[], name: string) => Promise<McpServer>;
  /** The line to a server; nothing is started before it is asked something. */
  readonly connection: (server: McpServer) => McpConnection;
  readonly allowed: AllowedServers;
  /** Remembers what a person was shown of a call, for the run that may follow. */
  readonly remember: (call: ShownCall, shown: Shown) => void;
  readonly shown: (call: ShownCall) => Shown | undefined;
  /** Ends every server that runs. */
  readonly close: () => Promise<void>;
}

/** Which call, and about which server. */
export interface ShownCall {
  readonly sessionId: string;
  readonly toolCallId: string;
  readonly server: string;
}

/** What a person was asked about. */
export interface Shown {
  readonly fingerprint: string;
  /** Undefined where the server must not be started before the answer. */
  readonly presentation: string | undefined;
}

/** What MCP clients are made of. */
export interface McpClientsOptions extends McpConnectionDeps {
  /** The operator's mcp.json; undefined for none. */
  readonly configFile: string | undefined;
  /** Where it is kept what was allowed; outside of every workspace. */
  readonly allowedFile: string;
}

/** Where a workspace names servers of its own. They are foreign: each is started only after a person agreed. */
export const WORKSPACE_CONFIG_FILES: readonly string[] = [".mcp.json", "mcp.json", ".cursor/mcp.json"];
/** How many calls that wait for an answer are remembered. */
const MAX_SHOWN = 1_000;

/** Makes the clients of one process. */
export function createMcpClients(options: McpClientsOptions): McpClients {
  const connections = new Map<string, { readonly fingerprint: string; readonly line: McpConnection }>();
  const shownCalls = new Map<string, Shown>();
  const list = (roots: readonly string[]): Promise<McpConfig> =>
    readMcpConfig(filesOf(options.configFile, roots), options.environment);
  return {
    list,
    allowed: createAllowedServers(options.allowedFile),
    find: async (roots, name) => {
      const { servers, problems } = await list(roots);
      const found = servers.find((server) => server.name === name);
      if (found !== undefined) return found;
      throw noServer({ name, names: servers.map((server) => server.name), problems });
    },
    connection: (server) => {
      const key = `${server.origin} ${server.origin === "operator" ? server.name : server.fingerprint}`;
      const known = connections.get(key);
      if (known?.fingerprint === server.fingerprint) return known.line;
      void known?.line.close(); // its entry was changed
      const line = new McpConnection(options, server);
      connections.set(key, { fingerprint: server.fingerprint, line });
      return line;
    },
    remember: (call, shown) => {
      const key = keyOf(call);
      shownCalls.delete(key);
      shownCalls.set(key, shown);
      const [oldest] = shownCalls.keys();
      if (shownCalls.size > MAX_SHOWN && oldest !== undefined) shownCalls.delete(oldest);
    },
    shown: (call) => shownCalls.get(keyOf(call)),
    close: async () => {
      await Promise.all([...connections.values()].map(({ line }) => line.close()));
    },
  };
}

function filesOf(configFile: string | undefined, roots: readonly string[]): readonly McpConfigFile[] {
  const own =
    configFile === undefined
      ? []
      : [{ path: configFile, origin: "operator" as const, directory: path.dirname(configFile) }];
  const foreign = roots.flatMap((root) =>
    WORKSPACE_CONFIG_FILES.map((name) => ({
      path: path.join(root, name),
      origin: "workspace" as const,
      directory: root,
    })),
  );
  return [...own, ...foreign];
}

function keyOf(call: ShownCall): string {
  return JSON.stringify([call.sessionId, call.toolCallId, call.server]);
}

function noServer(asked: {
  readonly name: string;
  readonly names: readonly string[];
  readonly problems: readonly string[];
}): AppError {
  const { name, names, problems } = asked;
  const near = nearestName(name, names);
  const hint = near === undefined ? "" : ` Did you mean ${near}?`;
  const there =
    names.length === 0 ? "no MCP server is configured; name some in mcp.json" : `servers: ${names.join(", ")}`;
  const wrong = problems.length === 0 ? "" : ` (${problems.join("; ")})`;
  return new AppError("not_found", `there is no MCP server ${name};${hint} ${there}${wrong}`);
}
