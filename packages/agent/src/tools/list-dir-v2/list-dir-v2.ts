import { readdir, stat } from "node:fs/promises";
import path from "node:path";
import type { JsonObject } from "@bufbuild/protobuf";
import { AppError } from "@quarry/base";
import { ClientSideToolV2 } from "@quarry/contract";
import ignore from "ignore";
import type { CallOutcome, Tool } from "../../tool.ts";
import { listFiles } from "../../workspace/list-files.ts";
import { refuseHidden } from "../../workspace/protected-paths.ts";
import { isMissing, resolvePath, type WorkspacePath } from "../../workspace/resolve-path.ts";
import { readTranscript } from "../../workspace/terminal-transcript.ts";
import type { WorkspaceDeps } from "../../workspace/workspace-deps.ts";
import { failureText, numberOf, textOf, textsOf, workspaceTool } from "../workspace-tool.ts";
import { chooseEntries, growTree, type ShownDirectory } from "./directory-tree.ts";

/** How many names one tree shows. */
const BUDGET = 2_000;
/** How many levels it goes down unless the caller wants fewer. */
const MAX_DEPTH = 50;
/** How many directories are looked into for ones that hold nothing. */
const MAX_LOOKED_INTO = 200;
/** How many files are asked whether they are transcripts of terminals, and what those are called. */
const MAX_TRANSCRIPTS = 100;
const TRANSCRIPT = /\.(txt|log)$/;

type Deps = Pick<WorkspaceDeps, "rootsOf" | "protectedPaths" | "outside" | "ripgrep">;

/** aiserver.v1 ListDirV2: a directory as a tree, as much of it as fits; what does not is counted by extension. */
export function listDirV2Tool(deps: Deps): Tool {
  return workspaceTool(deps, {
    name: "list_dir_v2",
    aliases: ["ls"],
    clientTool: ClientSideToolV2.LIST_DIR_V2,
    title: "Show a directory as a tree",
    description: "Shows a directory as a tree of at most 2,000 names; what does not fit is counted by extension.",
    tier: "read",
    messages: "ListDirV2",
    properties: {
      targetDirectory: { type: "string", description: "The directory; the workspace itself when empty" },
      ignoreGlobs: { type: "array", items: { type: "string" }, description: "Entries to leave out" },
      shouldEnrichTerminalMetadata: {
        type: "boolean",
        description: "Say of transcripts of terminals what ran there last",
      },
      depth: { type: "integer", minimum: 1, description: "How many levels to go down" },
    },
    required: [],
    pathsOf: (args) => [textOf(args, "targetDirectory") || "."],
    run: async (args, context) => {
      const place = await resolvePath(deps.rootsOf(context.session), textOf(args, "targetDirectory") || ".");
      await refuseHidden(deps.protectedPaths, place);
      await refuseNoDirectory(place);
      const globs = textsOf(args, "ignoreGlobs").filter((glob) => glob !== "");
      const listed = await listFiles(
        deps,
        { root: place.root, below: place.relative, globs: globs.map((glob) => `!${glob}`) },
        context.signal,
      );
      const prefix = place.relative === "" ? 0 : place.relative.length + 1;
      const files = listed.files.map((file) => file.slice(prefix));
      const tree = chooseEntries(growTree(files, await emptyDirectories(deps, place, globs)), {
        budget: BUDGET,
        depth: Math.min(numberOf(args, "depth") ?? MAX_DEPTH, MAX_DEPTH),
      });
      const transcripts =
        args["shouldEnrichTerminalMetadata"] === true
          ? await readTranscripts(place.absolute, tree)
          : new Map<string, JsonObject>();
      return { directoryTreeRoot: toNode(place.absolute, tree, transcripts) };
    },
    agent: {
      member: "lsToolCall",
      fromArgs: (args) => ({ targetDirectory: args["path"] ?? "", ignoreGlobs: args["ignore"] ?? [] }),
      toResult: toLsResult,
    },
  });
}

async function refuseNoDirectory(place: WorkspacePath): Promise<void> {
  const found = await stat(place.absolute).catch((error: unknown) => {
    if (isMissing(error)) throw new AppError("not_found", `there is no directory ${place.relative}`);
    throw new AppError("forbidden", `${place.relative} cannot be listed`, { cause: error });
  });
  if (found.isDirectory()) return;
  throw new AppError("invalid_request", `${place.relative} is a file; read it with read_file_v2`);
}

/** Walks know files alone: directories of the first level that hold nothing are found besides. */
async function emptyDirectories(
  deps: Deps,
  place: WorkspacePath,
  globs: readonly string[],
): Promise<readonly string[]> {
  const entries = await readdir(place.absolute, { withFileTypes: true });
  const left = ignore().add([...globs]);
  const names = entries
    .filter((entry) => entry.isDirectory() && !left.ignores(`${entry.name}/`))
    .map(({ name }) => name);
  const relatives = names
    .slice(0, MAX_LOOKED_INTO)
    .map((name) => (place.relative === "" ? name : `${place.relative}/${name}`));
  const shown = await deps.protectedPaths.withoutHidden(place.root, relatives);
  const looked = await Promise.all(
    shown.map(async (relative) => {
      const below = await readdir(path.join(place.root, relative)).catch(() => [""]); // not ours to look into
      return below.length === 0 ? [path.posix.basename(relative)] : [];
    }),
  );
  return looked.flat();
}

async function readTranscripts(top: string, tree: ShownDirectory): Promise<ReadonlyMap<string, JsonObject>> {
  const candidates = filesOf(tree)
    .filter((file) => TRANSCRIPT.test(file))
    .slice(0, MAX_TRANSCRIPTS);
  const read = await Promise.all(
    candidates.map(async (file) => [file, await readTranscript(path.join(top, file))] as const),
  );
  return new Map(read.flatMap(([file, metadata]) => (metadata === undefined ? [] : [[file, metadata] as const])));
}

function filesOf(tree: ShownDirectory): readonly string[] {
  return [...tree.files.map((name) => join(tree.relative, name)), ...tree.directories.flatMap(filesOf)];
}

function toNode(top: string, tree: ShownDirectory, transcripts: ReadonlyMap<string, JsonObject>): JsonObject {
  return {
    absPath: path.join(top, tree.relative),
    childrenDirs: tree.directories.map((directory) => toNode(top, directory, transcripts)),
    childrenFiles: tree.files.map((name) => {
      const terminalMetadata = transcripts.get(join(tree.relative, name));
      return { name, ...(terminalMetadata === undefined ? {} : { terminalMetadata }) };
    }),
    childrenWereProcessed: tree.isOpen,
    fullSubtreeExtensionCounts: { ...tree.extensions },
    numFiles: tree.fileCount,
  };
}

function join(directory: string, name: string): string {
  return directory === "" ? name : `${directory}/${name}`;
}

function toLsResult(args: JsonObject, outcome: CallOutcome): JsonObject {
  const given = textOf(args, "targetDirectory");
  if (outcome.kind === "rejected") return { rejected: { path: given, reason: outcome.reason } };
  if (outcome.kind !== "succeeded") return { error: { path: given, error: failureText(outcome) } };
  return { success: { directoryTreeRoot: outcome.result["directoryTreeRoot"] ?? {} } };
}
