import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { verifies } from "@quarry/tests";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { layDatabase } from "../../tools/lay-database.ts";
import { startLightEmbedder } from "../../tools/light-embedder.ts";
import { withDataDirectory } from "../../tools/server-process.ts";
import { loadMcpClients } from "../conformance/mcp-clients.ts";
import { documentedSnippets, faultsOfInventory, snippetsOf, type SnippetRunner } from "./documented-snippets.ts";

const LONG = 180_000;

/** A running server as a client knows it. */
interface Place {
  readonly url: string;
  readonly key: string;
}

describe("the snippets of the documents", () => {
  verifies("promises:t36:snippets-executed", "are each pasted by a test, or named with the reason why not", () => {
    expect(faultsOfInventory(documentedSnippets())).toEqual([]);
  });

  it("are missed where a new one is not pasted, and where one that was left out is gone", () => {
    const [first, ...rest] = documentedSnippets().filter(({ code }) => code !== "docker compose up");
    const file = "docs/new.md";
    const added = [
      { file, language: "sh", code: "quarry-next start" },
      { file, language: "python", code: "import exa_py" },
      { file, language: "json", code: '{"a": 1}' },
      { file, language: "", code: "curl http://127.0.0.1:7700/" },
    ];
    expect(first).toBeDefined();
    expect(faultsOfInventory([...(first === undefined ? [] : [first]), ...rest, ...added])).toEqual([
      ...added.map(({ code }) => `docs/new.md: nothing pastes ${code}`),
      "no document has docker compose up",
    ]);
  });

  verifies(
    "promises:t36:snippets-executed",
    "start a server, configure MCP clients, set a policy and check a delivery as they stand there",
    () =>
      withDataDirectory(async (folder) => {
        const dataDirectory = path.join(folder, "data");
        const project = path.join(folder, "project");
        mkdirSync(dataDirectory);
        mkdirSync(project);
        writeFileSync(path.join(project, "package.json"), JSON.stringify({ scripts: { test: "echo all is well" } }));
        await layDatabase(dataDirectory);
        const embedder = await startLightEmbedder();
        onTestFinished(() => embedder.close());
        const environment = {
          PATH: process.env["PATH"],
          HOME: folder, // where ~/project is
          QUARRY_DATA_DIR: dataDirectory,
          QUARRY_PORT: "0",
          QUARRY_SAMPLE: "0",
          ...embedder.settings,
        };
        // The plain start comes first in the documents; the one with a workspace serves the rest.
        const starts = snippetsOf("start").map(({ code }) => code);
        expect(starts.map((command) => command.includes("QUARRY_WORKSPACE_ROOTS"))).toEqual([false, true]);
        for (const command of starts) {
          const server = await startPasted(command, { environment, dataDirectory });
          try {
            if (!command.includes("QUARRY_WORKSPACE_ROOTS")) continue;
            await tryMcpConfigs(server, folder, dataDirectory);
            await tryPolicies(server, dataDirectory);
            await tryReceivers(server, environment, folder);
          } finally {
            await server.stop();
          }
        }
      }),
    LONG,
  );
});

/** Pastes a command that serves until Ctrl+C. */
async function startPasted(
  command: string,
  { environment, dataDirectory }: { readonly environment: NodeJS.ProcessEnv; readonly dataDirectory: string },
): Promise<Place & { readonly stop: () => Promise<void> }> {
  const child = spawn("bash", ["-c", command], { env: environment, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  const said = collect(child);
  await vi.waitUntil(() => said().includes("Stop") || child.exitCode !== null, { timeout: LONG });
  expect(child.exitCode, said()).toBeNull();
  return {
    ...(JSON.parse(readFileSync(path.join(dataDirectory, "server.json"), "utf8")) as Place),
    stop: () => stopGroup(child),
  };
}

/** Ends a child and what it started, as Ctrl+C does. */
async function stopGroup(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null) return;
  const closed = once(child, "close");
  process.kill(-child.pid, "SIGINT");
  await closed;
}

function collect(child: ChildProcess): () => string {
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (part: Buffer) => (said += part.toString()));
  return () => said;
}

/** The only snippets of a kind, parsed. */
function jsonOf(runner: SnippetRunner, replacements: Readonly<Record<string, string>> = {}): readonly unknown[] {
  const snippets = snippetsOf(runner);
  expect(snippets).not.toEqual([]);
  return snippets.map(({ code }) => {
    let text = code;
    for (const [from, to] of Object.entries(replacements))
      text = text.replaceAll(from, JSON.stringify(to).slice(1, -1));
    return JSON.parse(text) as unknown;
  });
}

interface McpEntry {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Each configuration reaches this server, wherever the client runs. */
async function tryMcpConfigs(server: Place, elsewhere: string, dataDirectory: string): Promise<void> {
  const { current, currentStdio } = await loadMcpClients();
  const configs = jsonOf("mcp-config", {
    "/path/to/quarry/.quarry": dataDirectory,
    "/path/to/quarry/dist": path.resolve("dist"),
    "http://127.0.0.1:7700": server.url,
    YOUR_KEY: server.key,
  }) as readonly { readonly mcpServers: { readonly quarry: McpEntry } }[];
  for (const { mcpServers } of configs) {
    const { command, args = [], env = {}, url, headers = {} } = mcpServers.quarry;
    const client = new current.Client({ name: "documents", version: "1" });
    await client.connect(
      command === undefined
        ? new current.StreamableHTTPClientTransport(new URL(url ?? ""), { requestInit: { headers } })
        : new currentStdio.StdioClientTransport({ command, args: [...args], env, cwd: elsewhere, stderr: "ignore" }),
    );
    try {
      expect((await client.listTools()).tools.map(({ name }) => name)).toContain("websets_create");
      expect(await client.callTool({ name: "search", arguments: { query: "tides" } })).toMatchObject({
        structuredContent: { query: "tides" },
      });
    } finally {
      await client.close();
    }
  }
  const another = path.join(elsewhere, ".quarry", "server.json");
  if (!existsSync(another)) return;
  process.kill((JSON.parse(readFileSync(another, "utf8")) as { readonly pid: number }).pid);
  throw new Error("a client did not find the server, and started one of its own");
}

/** A policy is read, denies what it says with its reason, and lets its command run unasked. */
async function tryPolicies(server: Place, dataDirectory: string): Promise<void> {
  for (const policy of jsonOf("policy")) {
    writeFileSync(path.join(dataDirectory, "policy.json"), JSON.stringify(policy));
    const call = async (tool: string, args: unknown): Promise<string> => {
      const reply = await fetch(`${server.url}/quarry/v1/tools/${tool}/calls`, {
        method: "POST",
        headers: { "x-api-key": server.key, "content-type": "application/json" },
        body: JSON.stringify(args),
        signal: AbortSignal.timeout(30_000), // where it waits for an approval
      });
      return reply.text();
    };
    const migration = { relativeWorkspacePath: "migrations/0001.sql", contentsAfterEdit: "drop table pages;" };
    expect(await call("edit_file_v2", migration)).toContain("migrations are written by people");
    expect(await call("run_terminal_command_v2", { command: "npm test" })).toContain("all is well");
  }
}

/** What `webhooks listen` forwards passes the check that receivers are told to make, and nothing else does. */
async function tryReceivers(server: Place, environment: NodeJS.ProcessEnv, folder: string): Promise<void> {
  const program = path.join(folder, "receiver.mjs");
  const got: { readonly headers: IncomingHttpHeaders; readonly body: string }[] = [];
  const receiver = createServer((request, response) => {
    let body = "";
    request.on("data", (part: Buffer) => (body += part.toString()));
    request.on("end", () => {
      got.push({ headers: request.headers, body });
      response.end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void receiver.close());
  const address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;

  for (const { code } of snippetsOf("listen")) {
    const child = spawn(
      "bash",
      ["-c", `quarry() { exec "$NODE" "$CLI" "$@"; }; ${code.replace("http://127.0.0.1:3000", address)}`],
      {
        env: { ...environment, NODE: process.execPath, CLI: path.resolve("dist", "cli.js") },
        detached: true,
        stdio: ["ignore", "pipe", "pipe"],
      },
    );
    const said = collect(child);
    try {
      await vi.waitUntil(() => said().includes("Listening"), { timeout: 30_000 });
      const reply = await fetch(`${server.url}/websets/v0/websets`, {
        method: "POST",
        headers: { "x-api-key": server.key, "content-type": "application/json" },
        body: JSON.stringify({ search: { query: "lighthouses", count: 1 } }),
      });
      expect(reply.status).toBe(201);
      await vi.waitUntil(() => got.length > 0, { timeout: 30_000 });
    } finally {
      await stopGroup(child);
    }
    const [{ headers, body } = { headers: {}, body: "" }] = got;
    const signature = String(headers["exa-signature"]);
    const secret = /signed with (whsec_\S+)/.exec(said())?.[1] ?? "";
    for (const { code: check } of snippetsOf("receiver")) {
      writeFileSync(program, check);
      const { isGenuine } = (await import(/* @vite-ignore */ pathToFileURL(program).href)) as {
        readonly isGenuine: (rawBody: string, exaSignature: string, secret: string) => boolean;
      };
      const old = signature.replace(/t=(\d+)/, (_, time: string) => `t=${Number(time) - 301}`);
      expect([
        isGenuine(body, signature, secret),
        isGenuine(`${body} `, signature, secret),
        isGenuine(body, signature, `${secret}x`),
        isGenuine(body, old, secret),
        isGenuine(body, "", secret),
      ]).toEqual([true, false, false, false, false]);
    }
  }
}
