import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { AppError } from "@quarry/base";
import type { Command } from "commander";
import type { CliContext } from "../cli-context.ts";
import { openIo } from "../command-io.ts";

/** A client whose configuration we know how to write. */
export interface McpClient {
  readonly name: string;
  /** Where its configuration lies: for the person, or for a project. */
  readonly fileOf: (place: { readonly home: string; readonly cwd: string; readonly platform: string }) => string;
  /** The configuration with Quarry in it. Throws `conflict` for one that cannot be read. */
  readonly edit: (text: string, server: McpServerEntry) => string;
}

/** How a client starts us. */
export interface McpServerEntry {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** The clients by the name one types. */
export const mcpClients: Readonly<Record<string, McpClient>> = {
  claude: {
    name: "Claude Code",
    fileOf: ({ home }) => path.join(home, ".claude.json"),
    edit: (text, server) => editJson(text, "mcpServers", { type: "stdio", ...server }),
  },
  cursor: {
    name: "Cursor",
    fileOf: ({ home }) => path.join(home, ".cursor", "mcp.json"),
    edit: (text, server) => editJson(text, "mcpServers", { ...server }),
  },
  vscode: {
    name: "VS Code",
    fileOf: ({ cwd }) => path.join(cwd, ".vscode", "mcp.json"),
    edit: (text, server) => editJson(text, "servers", { type: "stdio", ...server }),
  },
  codex: {
    name: "Codex",
    fileOf: ({ home }) => path.join(home, ".codex", "config.toml"),
    edit: editToml,
  },
};

/** `quarry mcp install claude|cursor|vscode|codex`: shows the change, asks, writes. */
export function addMcpInstallCommand(mcp: Command, context: CliContext): void {
  mcp
    .command("install")
    .description("put Quarry into a client's configuration, after showing what is written")
    .argument("<client>", Object.keys(mcpClients).join(", "))
    .option("--tools <list>", "groups or tools, as with quarry mcp")
    .option("--yes", "write without asking")
    .option("--file <path>", "the client's configuration, where it lies elsewhere")
    .addHelpText("after", "\nExamples:\n  quarry mcp install claude\n  quarry mcp install vscode --tools web --yes")
    .action(async (name: string, options: InstallOptions, command: Command) => {
      const io = openIo(context, command);
      const client = mcpClients[name];
      if (client === undefined) {
        throw new AppError(
          "invalid_request",
          `there is no client ${name}; known are ${Object.keys(mcpClients).join(", ")}`,
        );
      }
      const place = { home: homedir(), cwd: context.cwd, platform: process.platform };
      const file = options.file === undefined ? client.fileOf(place) : path.resolve(context.cwd, options.file);
      const before = existsSync(file) ? readFileSync(file, "utf8") : "";
      const server = entryOf(context, command, options.tools);
      const after = client.edit(before, server);
      if (after === before) {
        io.print({ file, changed: false }, () => `${client.name} knows Quarry already (${file}).`);
        return;
      }
      io.say(`This goes into ${file} for ${client.name}:\n\n${client.edit("", withoutKeys(server)).trim()}\n`);
      if (options.yes !== true && !(await isConfirmed(context))) {
        io.print({ file, changed: false }, () => "Nothing was written.");
        return;
      }
      writeWhole(file, after);
      io.print({ file, changed: true }, () => `Written. Restart ${client.name}, then ask it to search with Quarry.`);
    });
}

interface InstallOptions {
  readonly tools?: string;
  readonly yes?: boolean;
  readonly file?: string;
}

/** The client starts this very program; a server elsewhere is named, its key goes by the environment and not by the command line. */
function entryOf(context: CliContext, command: Command, tools: string | undefined): McpServerEntry {
  const { url, key } = openIo(context, command).options;
  const program = path.join(path.dirname(context.serverEntry), "cli.js");
  const config = url === undefined ? context.readConfig() : undefined;
  return {
    command: process.execPath,
    args: [
      program,
      "mcp",
      ...(url === undefined ? [] : ["--url", url]),
      ...(tools === undefined ? [] : ["--tools", tools]),
    ],
    env: {
      ...(config !== undefined && { QUARRY_DATA_DIR: path.resolve(context.cwd, config.dataDir) }),
      ...(key !== undefined && { QUARRY_API_KEY: key }),
    },
  };
}

/** The entry as a screen may show it. */
function withoutKeys(server: McpServerEntry): McpServerEntry {
  const env = Object.entries(server.env).map(([name, value]) => [name, name.endsWith("KEY") ? "…" : value]);
  return { ...server, env: Object.fromEntries(env) as McpServerEntry["env"] };
}

async function isConfirmed(context: CliContext): Promise<boolean> {
  if (!context.stdinIsTerminal) {
    throw new AppError("invalid_request", "nobody is there to confirm: add --yes to write without asking");
  }
  return /^y(es)?$/i.test((await context.readLine("Write it? [y/N] ")).trim());
}

/** What stood there before stays beside it, once. */
function writeWhole(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  if (existsSync(file)) writeFileSync(`${file}.before-quarry`, readFileSync(file), { mode: 0o600 });
  writeFileSync(`${file}.new`, text, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

function editJson(text: string, section: string, server: Readonly<Record<string, unknown>>): string {
  const whole = text.trim() === "" ? {} : parseObject(text);
  const known = whole[section];
  const servers = typeof known === "object" && known !== null ? known : {};
  const after = { ...whole, [section]: { ...servers, quarry: server } };
  return JSON.stringify(after) === JSON.stringify(whole) ? text : `${JSON.stringify(after, undefined, 2)}\n`;
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // comments, or half a file: said below
  }
  throw new AppError(
    "conflict",
    "the client's configuration is not plain JSON: add the entry that was shown by hand, or give --file",
  );
}

/** TOML: our own table is replaced as a whole, everything else stays letter for letter. */
function editToml(text: string, { command, args, env }: McpServerEntry): string {
  const table = [
    "[mcp_servers.quarry]",
    `command = ${JSON.stringify(command)}`,
    `args = ${JSON.stringify(args)}`,
    `env = { ${Object.entries(env)
      .map(([name, value]) => `${name} = ${JSON.stringify(value)}`)
      .join(", ")} }`,
  ].join("\n");
  const known = /^\[mcp_servers\.quarry\]\n(?:(?!\[).*\n?)*/m;
  if (known.test(text)) return text.replace(known, () => `${table}\n`);
  return `${text === "" || text.endsWith("\n") ? text : `${text}\n`}${text === "" ? "" : "\n"}${table}\n`;
}
