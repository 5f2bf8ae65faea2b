import { mkdirSync } from "node:fs";
import path from "node:path";
import { sleep } from "@quarry/base";
import { generatedPages, serveMiniWeb } from "@quarry/crawl/testing";
import { startLightEmbedder } from "../../light-embedder.ts";
import { startServerProcess, type ServerProcess } from "../../server-process.ts";
import type { WorkPlace } from "./fault-work.ts";

/** More pages than there are turns. */
const PAGES = 10_000;
const TOOLS = ["run_terminal_command_v2", "edit_file_v2", "ripgrep_raw_search"];
const IDLE_WITHIN_MS = 60_000;

/** All that a server at work needs around it: a web, a model, a workspace and a data directory. */
export interface FaultWorld {
  readonly origin: string;
  readonly workspace: string;
  readonly dataDirectory: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly close: () => Promise<void>;
}

/** Makes the surroundings below `home`. */
export async function makeFaultWorld(home: string): Promise<FaultWorld> {
  const workspace = path.join(home, "workspace");
  mkdirSync(workspace, { recursive: true });
  const embedder = await startLightEmbedder();
  const pages = generatedPages(PAGES);
  const web = await serveMiniWeb((target) => pages(target.split("?")[0] ?? target));
  return {
    origin: web.origin,
    workspace,
    dataDirectory: path.join(home, "data"),
    settings: {
      ...embedder.settings,
      QUARRY_LOG_LEVEL: "warn",
      QUARRY_ALLOW_PRIVATE_HOSTS: "127.0.0.1",
      QUARRY_WORKSPACE_ROOTS: workspace,
      QUARRY_API_KEY: "one-key-for-all-starts-000000",
    },
    close: async () => {
      await web.close();
      await embedder.close();
    },
  };
}

/** Starts the server of a world. */
export function startServerOf(
  world: FaultWorld,
  settings: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  return startServerProcess(world.dataDirectory, { ...world.settings, ...settings });
}

/** Lays out what the work needs: a webset with items, a session that may use its tools. */
export async function layOutWork(world: FaultWorld, server: ServerProcess): Promise<WorkPlace> {
  const bikes = ["Alprad", "Bergrad", "Cityrad"].map((name) => ({
    url: `https://${name.toLowerCase()}.example/`,
    title: name,
    text: `${name} is a company in Berlin. ${name} makes cargo bikes for families.`,
  }));
  await server.call("POST", "/quarry/v1/documents?wait=true", bikes);
  const session = (await server.call("POST", "/quarry/v1/sessions", {})).body as { readonly id: string };
  await server.call("POST", "/quarry/v1/tool-rules", { match: { tools: TOOLS } });
  const made = await server.call("POST", "/websets/v0/websets", {
    search: { query: "companies that make cargo bikes", count: 3 },
  });
  const webset = (made.body as { readonly id: string }).id;
  await waitUntilIdle(server, webset);
  return { server, origin: world.origin, webset, session: session.id, workspace: world.workspace };
}

async function waitUntilIdle(server: ServerProcess, webset: string): Promise<void> {
  for (const end = performance.now() + IDLE_WITHIN_MS; performance.now() < end;) {
    const { body } = await server.call("GET", `/websets/v0/websets/${webset}`);
    if ((body as { readonly status: string }).status === "idle") return;
    await sleep(100);
  }
  throw new Error("the webset of the work place did not become idle");
}
