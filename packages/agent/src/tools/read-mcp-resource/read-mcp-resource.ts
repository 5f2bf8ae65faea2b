import { lstat } from "node:fs/promises";
import type { JsonObject } from "@bufbuild/protobuf";
import type { ReadResourceResult } from "@modelcontextprotocol/client";
import { AppError } from "@quarry/base";
import { ClientSideToolV2 } from "@quarry/contract";
import { confirmedServer, lookAtServer, ownRoots, type CallMcpDeps } from "../../mcp-client/call-mcp.ts";
import { toResourceJson } from "../../mcp-client/resource-json.ts";
import type { CallOutcome, Tool, ToolContext } from "../../tool.ts";
import { refuseGuarded, refuseHidden } from "../../workspace/protected-paths.ts";
import { resolvePath } from "../../workspace/resolve-path.ts";
import type { WorkspaceDeps } from "../../workspace/workspace-deps.ts";
import { failureText, textOf, workspaceTool } from "../workspace-tool.ts";

type Deps = CallMcpDeps & Pick<WorkspaceDeps, "protectedPaths" | "locks" | "history">;

/** What a reply shows of a text; all of it goes where `download_path` says. */
const MAX_TEXT_CHARACTERS = 100_000;
/** The largest resource that is taken. */
const MAX_BYTES = 20 * 1024 * 1024;

/** aiserver.v1 ReadMcpResource: reads one resource of an MCP server, into the reply or into a file of the workspace. */
export function readMcpResourceTool(deps: Deps): Tool {
  const tool = workspaceTool(deps, {
    name: "read_mcp_resource",
    clientTool: ClientSideToolV2.READ_MCP_RESOURCE,
    title: "Read an MCP resource",
    description: "Reads a resource of an MCP server; with downloadPath it is saved in the workspace instead.",
    tier: "network",
    messages: "ReadMcpResource",
    properties: {
      server: { type: "string", minLength: 1, description: "The server's name in mcp.json" },
      uri: { type: "string", minLength: 1, description: "The resource" },
      downloadPath: { type: "string", description: "A path in the workspace to save it at" },
    },
    required: ["server", "uri"],
    pathsOf: () => [],
    look: async (args, context) => {
      const call = { server: textOf(args, "server"), tool: "resources/read" };
      const { facts } = await lookAtServer(deps, call, context);
      return { ...facts, paths: await pathsOf(deps, args, context) };
    },
    run: (args, context) => read(deps, args, context),
    refuse: (args) => ({ uri: textOf(args, "uri") }),
    agent: {
      member: "readMcpResourceToolCall",
      fromArgs: ({ server = "", uri = "", downloadPath }) => ({
        server,
        uri,
        ...(downloadPath === undefined ? {} : { downloadPath }),
      }),
      toResult,
    },
  });
  return {
    ...tool,
    annotations: { ...tool.annotations, openWorld: true },
    members: { ...tool.members, exec: { args: "readMcpResourceExecArgs", result: "readMcpResourceExecResult" } },
    alike: (_, facts) => ({
      tools: [tool.name],
      mcpTools: facts.mcpTools ?? [],
      ...(facts.paths.length === 0 ? {} : { paths: facts.paths }),
    }),
  };
}

/** The file it is saved as; never one outside, whatever a person let other calls reach. */
async function pathsOf(deps: Deps, args: JsonObject, context: ToolContext): Promise<readonly string[]> {
  const downloadPath = textOf(args, "downloadPath");
  return downloadPath === "" ? [] : [(await resolvePath(ownRoots(deps, context), downloadPath)).relative];
}

async function read(deps: Deps, args: JsonObject, context: ToolContext): Promise<JsonObject> {
  const { signal, session } = context;
  const uri = textOf(args, "uri");
  const downloadPath = textOf(args, "downloadPath");
  if (downloadPath !== "" && session.mode !== "agent") {
    throw new AppError("forbidden", `downloadPath writes a file, and the session is in ${session.mode} mode`);
  }
  const server = await confirmedServer(deps, textOf(args, "server"), context);
  const line = deps.mcp.connection(server);
  const [{ contents }, resources] = await Promise.all([line.readResource(uri, signal), line.resources(signal)]);
  const [content] = contents;
  if (content === undefined) throw new AppError("not_found", `the MCP server ${server.name} has nothing at ${uri}`);
  const listed = resources.find((resource) => resource.uri === uri);
  const known = listed === undefined ? { uri } : toResourceJson(listed);
  const shown = { ...known, ...(content.mimeType === undefined ? {} : { mimeType: content.mimeType }) };
  const bytes = bytesOf(contents);
  if (bytes.length > MAX_BYTES) {
    throw new AppError("too_large", `${uri} has ${bytes.length} bytes, more than the ${MAX_BYTES} that are taken`);
  }
  if (downloadPath !== "") {
    const saved = await save(deps, { downloadPath, bytes }, context);
    return { ...shown, text: `Saved ${bytes.length} bytes at ${saved}.` };
  }
  if (contents.some((part) => "blob" in part)) return { ...shown, blob: bytes.toString("base64") };
  const text = bytes.toString("utf8");
  if (text.length <= MAX_TEXT_CHARACTERS) return { ...shown, text };
  const rest = text.length - MAX_TEXT_CHARACTERS;
  return {
    ...shown,
    text: `${text.slice(0, MAX_TEXT_CHARACTERS)}\n… (${rest} more characters; downloadPath saves all of it)`,
  };
}

/** The parts of a resource, one after another. */
function bytesOf(contents: ReadResourceResult["contents"]): Buffer {
  return Buffer.concat(
    contents.map((part) =>
      "blob" in part ? Buffer.from(part.blob, "base64") : Buffer.from("text" in part ? part.text : "", "utf8"),
    ),
  );
}

/** Writes it where it was asked for, inside the workspace alone; what was there can be brought back. */
async function save(
  deps: Deps,
  wish: { readonly downloadPath: string; readonly bytes: Buffer },
  context: ToolContext,
): Promise<string> {
  const place = await resolvePath(ownRoots(deps, context), wish.downloadPath);
  await refuseHidden(deps.protectedPaths, place);
  refuseGuarded(place);
  return deps.locks.hold([place.absolute], async () => {
    const isDirectory = await lstat(place.absolute).then(
      (found) => found.isDirectory(),
      () => false, // nothing there yet
    );
    if (isDirectory) throw new AppError("invalid_request", `downloadPath: ${place.relative} is a directory`);
    const { session, toolCallId } = context;
    await deps.history.make(
      { sessionId: session.id, toolCallId, absolute: place.absolute },
      { kind: "file", bytes: wish.bytes },
    );
    return place.relative;
  });
}

function toResult(args: JsonObject, outcome: CallOutcome): JsonObject {
  const uri = textOf(args, "uri");
  if (outcome.kind === "rejected") return { rejected: { uri, reason: outcome.reason } };
  if (outcome.kind !== "succeeded") return { error: { uri, error: failureText(outcome) } };
  const downloadPath = textOf(args, "downloadPath");
  return { success: { ...outcome.result, ...(downloadPath === "" ? {} : { downloadPath }) } };
}
