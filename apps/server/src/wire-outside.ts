import path from "node:path";
import {
  createMcpClients,
  createOpenAiImages,
  findDesktopPrograms,
  loadMcpSdk,
  Screens,
  type McpServer,
  type OutsideDeps,
  type SendToProvider,
} from "@quarry/agent";
import type { Config } from "@quarry/config";
import { createTrustedDialer, startGuardedProxy, type Dialer } from "@quarry/net";
import { fetchByDialer } from "./fetch-by-dialer.ts";

/** What reaches beyond a workspace's files, and how it is ended. */
export interface WiredOutside {
  readonly deps: OutsideDeps;
  readonly close: () => Promise<void>;
}

/** Puts MCP servers, screens and the provider of images together. Nothing is started before it is used. */
export function wireOutside(parts: {
  readonly config: Config;
  /** The guarded one: for servers that a workspace names, and for pages. */
  readonly dialer: Dialer;
  readonly browserPath: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
}): WiredOutside {
  const { config, dialer, browserPath, environment } = parts;
  const trusted = new Map<string, Dialer>();
  const trustedFor = (url: string): Dialer => {
    const known = trusted.get(url) ?? createTrustedDialer([url]);
    trusted.set(url, known);
    return known;
  };
  const mcp = createMcpClients({
    loadSdk: loadMcpSdk,
    // What the operator named may be private; what a workspace named may not.
    fetchOf: ({ origin, transport }: McpServer) =>
      fetchByDialer(origin === "operator" && transport.kind === "http" ? trustedFor(transport.url) : dialer),
    environment,
    configFile: config.mcpConfig ?? path.join(config.dataDir, "mcp.json"),
    allowedFile: path.join(config.dataDir, "mcp-allowed.json"),
  });
  const screens = new Screens({
    mode: config.computerUse,
    browserPath,
    sandbox: process.getuid?.() !== 0,
    programs: findDesktopPrograms(environment["PATH"] ?? ""),
    environment,
    directory: path.join(config.dataDir, "recordings"),
    openProxy: () => startGuardedProxy(dialer),
  });
  const { imageUrl: url, imageKey: key, imageModel: model } = config;
  const images =
    url === undefined ? undefined : createOpenAiImages({ send: sendBy(trustedFor(url)) }, { url, key, model });
  return {
    deps: { mcp, screens, images, diagramDirectory: path.join(config.dataDir, "diagrams") },
    close: async () => {
      await Promise.all([mcp.close(), screens.close()]);
      await Promise.all([...trusted.values()].map((each) => each.close()));
    },
  };
}

function sendBy(dialer: Dialer): SendToProvider {
  return async (request, signal) => {
    const outcome = await dialer.fetch(request, signal);
    return outcome.kind === "failed" ? { kind: "failed", message: outcome.error.message } : outcome;
  };
}
