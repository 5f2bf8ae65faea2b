import { existsSync } from "node:fs";
import { mkdir, stat } from "node:fs/promises";
import { hostname } from "node:os";
import path from "node:path";
import type { OutsideDeps } from "@quarry/agent";
import { AppError } from "@quarry/base";
import type { Command } from "commander";
import type { CliContext } from "../cli-context.ts";
import { openIo } from "../command-io.ts";
import { connectServer } from "../connect-server.ts";

interface ConnectOptions {
  readonly root: readonly string[];
  readonly session?: string;
  readonly name?: string;
  readonly readOnly?: boolean;
}

/** `quarry agent …`: what a machine does for agents elsewhere. */
export function addAgentCommand(program: Command, context: CliContext): void {
  const agent = program.command("agent").description("offer this machine's files to agents");
  agent
    .command("connect")
    .description("run the workspace tools of a session on this machine, until interrupted")
    .requiredOption("--root <directory>", "a directory tools may work in; may be given again", collect, [])
    .option("--session <id>", "the session to serve; a new one without it")
    .option("--name <name>", "this machine's name in the session")
    .option("--read-only", "run only tools that change nothing")
    .addHelpText(
      "after",
      "\nExamples:\n  quarry agent connect --root .\n  quarry --url http://server:7700 --key KEY agent connect --root ~/project --read-only",
    )
    .action(async (options: ConnectOptions, command: Command) => {
      const io = openIo(context, command);
      const roots = await Promise.all(options.root.map(checkRoot));
      const target = await connectServer(context, io);
      // Loaded here: no other command needs the tools or an HTTP/2 client.
      const [
        { connectMachine },
        { createSessionChanges, createToolRegistry, createWorkspace, outsideTools, workspaceTools },
      ] = await Promise.all([import("@quarry/doors"), import("@quarry/agent")]);
      const dataDir = path.resolve(context.readConfig().dataDir);
      const historyDirectory = path.join(dataDir, "workspace-history");
      await mkdir(historyDirectory, { recursive: true, mode: 0o700 });
      const terminals = { hiddenDirectories: [dataDir] };
      // Beside this bundle; run from its sources there is none, and code is read in this thread.
      const threadEntry = new URL("code-thread.js", import.meta.url);
      const code = existsSync(threadEntry) ? { threadEntry } : {};
      const workspace = createWorkspace({ roots, historyDirectory, terminals, code });
      const outside = await openOutside(context, dataDir);
      await connectMachine(
        {
          url: target.url,
          key: target.key,
          name: options.name ?? `${hostname()}:${roots.join(",")}`,
          sessionId: options.session,
          registry: createToolRegistry([...workspaceTools(workspace), ...outsideTools({ ...workspace, ...outside })]),
          tiers: options.readOnly === true ? ["read"] : ["read", "write", "exec", "network"],
          policyFiles: roots.map((root) => ({ source: "workspace", path: path.join(root, ".quarry-policy.json") })),
          changes: createSessionChanges(workspace),
          onEvent: (event) => {
            if (event.kind === "disconnected") io.warn(`disconnected (${event.reason}); trying again`);
            else if (!event.isFirst) io.say("connected again");
            else io.print({ sessionId: event.sessionId, roots }, () => `serving session ${event.sessionId}`);
          },
        },
        context.signal,
      ).finally(() =>
        Promise.all([
          workspace.terminals.close(),
          workspace.code.close(),
          outside.mcp.close(),
          outside.screens.close(),
        ]),
      );
    });
}

/** This machine's own MCP servers and browser. What needs the guarded way out of a server is done there, not here. */
async function openOutside(context: CliContext, dataDir: string): Promise<OutsideDeps> {
  const [{ createMcpClients, findDesktopPrograms, loadMcpSdk, Screens }, { findBrowser }] = await Promise.all([
    import("@quarry/agent"),
    import("@quarry/crawl"),
  ]);
  const { environment } = context;
  const { browserPath, mcpConfig } = context.readConfig();
  return {
    mcp: createMcpClients({
      loadSdk: loadMcpSdk,
      fetchOf: () => () =>
        Promise.reject(new AppError("unavailable", "a machine of a workspace asks programs, not addresses")),
      environment,
      configFile: mcpConfig ?? path.join(dataDir, "mcp.json"),
      allowedFile: path.join(dataDir, "mcp-allowed.json"),
    }),
    screens: new Screens({
      mode: "off",
      browserPath: findBrowser({
        browserPath,
        platform: process.platform,
        searchPath: (environment["PATH"] ?? "").split(path.delimiter),
        exists: existsSync,
      }),
      sandbox: process.getuid?.() !== 0,
      programs: findDesktopPrograms(environment["PATH"] ?? ""),
      environment,
      directory: path.join(dataDir, "recordings"),
    }),
    images: undefined,
    diagramDirectory: path.join(dataDir, "diagrams"),
  };
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

async function checkRoot(root: string): Promise<string> {
  const absolute = path.resolve(root);
  const isDirectory = await stat(absolute).then(
    (found) => found.isDirectory(),
    () => false, // said below
  );
  if (!isDirectory) throw new AppError("invalid_request", `--root: ${root} is no directory`);
  return absolute;
}
