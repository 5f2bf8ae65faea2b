import path from "node:path";
import type { ToolRuntime } from "@quarry/agent";
import { systemClock } from "@quarry/base";
import { isLoopbackHost, type Config } from "@quarry/config";
import {
  answerSocketError,
  createHttpApp,
  mountMcp,
  mountRpc,
  RATE_LIMIT_PRESETS,
  type HttpAppDeps,
} from "@quarry/doors";
import { listenOnOnePort } from "./one-port-listener.ts";

/** What the door of this process serves. */
export interface DoorParts extends Pick<HttpAppDeps, "db" | "log" | "version" | "routes" | "metrics"> {
  readonly config: Config;
  readonly health: Pick<HttpAppDeps, "readiness" | "health">;
  readonly tools: ToolRuntime;
  /** Whose rows callers without a key see, where none is asked. */
  readonly teamId: string;
  /** Where the bundles lie, with the console in them and the guides beside. */
  readonly bundleDirectory: string;
  /** How long open requests get to finish. */
  readonly stopWithinMs: number;
}

/** Serves REST, RPC, MCP and the console on one port. */
export async function openDoor(
  parts: DoorParts,
): Promise<{ readonly port: number; readonly close: () => Promise<void> }> {
  const { config, version, health, bundleDirectory } = parts;
  const app = createHttpApp({
    ...parts,
    ...health,
    clock: systemClock,
    auth: config.auth === "none" ? { mode: "none", teamId: parts.teamId } : { mode: "key" },
    serves: config.role === "worker" ? "health" : "everything",
    allowedHosts: isLoopbackHost(config.host) ? [] : [config.host],
    publicUrl: config.publicUrl,
    corsOrigins: config.corsOrigins,
    rateLimits: RATE_LIMIT_PRESETS[config.rateLimits],
    consoleDirectory: path.join(bundleDirectory, "console"),
    docsDirectory: path.join(bundleDirectory, "..", "docs"),
  });
  const stopping = new AbortController();
  app.addHook("preClose", () => {
    stopping.abort();
    return Promise.resolve();
  });
  if (config.role !== "worker") {
    mountRpc(app, { tools: parts.tools, stopping: stopping.signal });
    mountMcp(app, { version, clock: systemClock, withFixtures: config.mcpConformance, stopping: stopping.signal });
  }
  // Runs after the door has ended its streams and before it writes the last usage.
  app.addHook("preClose", () => closeListener());
  let closeListener = (): Promise<void> => Promise.resolve();
  await app.ready();
  const listener = await listenOnOnePort((request, response) => app.routing(request, response), {
    host: config.host,
    port: config.port,
    onClientError: answerSocketError,
  });
  closeListener = () => listener.close(parts.stopWithinMs);
  return { port: listener.address.port, close: () => app.close() };
}
