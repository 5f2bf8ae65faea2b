import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { JsonObject } from "@bufbuild/protobuf";
import { checkArgs } from "../check-args.ts";
import { isMissing } from "../workspace/resolve-path.ts";

/** How a server is reached: a program on this machine, or an address. */
export type McpTransport =
  | {
      readonly kind: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly cwd: string;
    }
  | { readonly kind: "http"; readonly url: string; readonly headers: Readonly<Record<string, string>> };

/** One server of an mcp.json. */
export interface McpServer {
  readonly name: string;
  /** Who wrote the file: the operator of this machine, or whoever made the workspace. */
  readonly origin: "operator" | "workspace";
  readonly transport: McpTransport;
  /** How long a call may be silent. */
  readonly timeoutMs: number;
  /** Changes with everything that decides what is started or asked. */
  readonly fingerprint: string;
}

/** A file that may name servers. `directory` is where programs without a `cwd` start. */
export interface McpConfigFile {
  readonly path: string;
  readonly origin: McpServer["origin"];
  readonly directory: string;
}

/** The servers of all files, and what is wrong with the files, a sentence each. */
export interface McpConfig {
  readonly servers: readonly McpServer[];
  readonly problems: readonly string[];
}

/** How long a call may be silent unless its server's entry says otherwise. */
export const DEFAULT_TIMEOUT_MS = 60_000;
/** The longest silence an entry may ask for. */
const MAX_TIMEOUT_MS = 600_000;

const textMap = { type: "object", additionalProperties: { type: "string" } };
const SCHEMA: JsonObject = {
  type: "object",
  properties: {
    mcpServers: {
      type: "object",
      propertyNames: { minLength: 1, maxLength: 256, pattern: "^[^:*\\u0000-\\u001f]+$" },
      additionalProperties: {
        type: "object",
        properties: {
          type: { enum: ["stdio", "http", "streamable-http", "streamableHttp"] },
          command: { type: "string", minLength: 1 },
          args: { type: "array", items: { type: "string" } },
          env: textMap,
          cwd: { type: "string", minLength: 1 },
          url: { type: "string", pattern: "^https?://" },
          headers: textMap,
          timeoutMs: { type: "integer", minimum: 1, maximum: MAX_TIMEOUT_MS },
          disabled: { type: "boolean" },
        },
        oneOf: [{ required: ["command"] }, { required: ["url"] }],
      },
    },
  },
  required: ["mcpServers"],
};

interface Entry {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  readonly disabled?: boolean;
}

/**
 * Reads mcp.json files, the operator's first: a workspace cannot take the name of a server that the operator has.
 * `${NAME}` and `${env:NAME}` are filled in from `environment` in the operator's file alone, since a foreign file could
 * send a secret anywhere. A file that is not there says nothing; one that cannot be used is a problem, and no server.
 */
export async function readMcpConfig(
  files: readonly McpConfigFile[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<McpConfig> {
  const servers = new Map<string, McpServer>();
  const problems: string[] = [];
  for (const file of files) {
    const read = await readOne(file);
    problems.push(...read.problems.map((problem) => `${path.basename(file.path)}: ${problem}`));
    for (const [name, entry] of Object.entries(read.entries)) {
      if (servers.has(name) || entry.disabled === true) continue;
      const missing = new Set<string>();
      const fill = (text: string): string =>
        file.origin === "operator" ? fillIn(text, environment, (variable) => missing.add(variable)) : text;
      const server = toServer(file, { name, entry, fill });
      if (missing.size === 0) servers.set(name, server);
      else problems.push(`the server ${name} needs ${[...missing].join(", ")}, which the environment does not have`);
    }
  }
  return { servers: [...servers.values()], problems };
}

async function readOne(file: McpConfigFile): Promise<{
  readonly entries: Readonly<Record<string, Entry>>;
  readonly problems: readonly string[];
}> {
  let value: unknown;
  try {
    value = JSON.parse(await readFile(file.path, "utf8"));
  } catch (error) {
    if (isMissing(error)) return { entries: {}, problems: [] };
    return { entries: {}, problems: [error instanceof SyntaxError ? "it is not JSON" : "it cannot be read"] };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return { entries: {}, problems: ['it must be an object such as {"mcpServers": {…}}'] };
  }
  const given = value as JsonObject; // parsed JSON, checked next
  const problems = checkArgs(SCHEMA, given);
  if (problems.length > 0) return { entries: {}, problems };
  return { entries: given["mcpServers"] as Readonly<Record<string, Entry>>, problems: [] }; // as the schema says
}

function toServer(
  file: McpConfigFile,
  given: { readonly name: string; readonly entry: Entry; readonly fill: (text: string) => string },
): McpServer {
  const { name, entry, fill } = given;
  const filled = (map: Readonly<Record<string, string>> = {}): Record<string, string> =>
    Object.fromEntries(Object.entries(map).map(([key, text]) => [key, fill(text)]));
  const transport: McpTransport =
    entry.url === undefined
      ? {
          kind: "stdio",
          command: fill(entry.command ?? ""),
          args: (entry.args ?? []).map(fill),
          env: filled(entry.env),
          cwd: path.resolve(file.directory, fill(entry.cwd ?? ".")),
        }
      : { kind: "http", url: fill(entry.url), headers: filled(entry.headers) };
  const fingerprint = createHash("sha256")
    .update(JSON.stringify([file.origin, name, transport]))
    .digest("hex");
  return { name, origin: file.origin, transport, timeoutMs: entry.timeoutMs ?? DEFAULT_TIMEOUT_MS, fingerprint };
}

function fillIn(
  text: string,
  environment: Readonly<Record<string, string | undefined>>,
  onMissing: (variable: string) => void,
): string {
  return text.replaceAll(/\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) => {
    const value = environment[name];
    if (value === undefined) onMissing(name);
    return value ?? "";
  });
}

/** What starting or asking a server means, as a person would type it. */
export function describeTransport(transport: McpTransport): string {
  if (transport.kind === "http") return transport.url;
  const assigned = Object.keys(transport.env).map((name) => `${name}=…`);
  return [...assigned, transport.command, ...transport.args].map(quote).join(" ");
}

function quote(word: string): string {
  return /^[\w@%+=:,./…-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
