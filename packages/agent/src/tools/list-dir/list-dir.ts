import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import type { JsonObject } from "@bufbuild/protobuf";
import { AppError } from "@quarry/base";
import { ClientSideToolV2 } from "@quarry/contract";
import type { Tool } from "../../tool.ts";
import { refuseHidden } from "../../workspace/protected-paths.ts";
import { isMissing, resolvePath } from "../../workspace/resolve-path.ts";
import { decodeText, linesOf } from "../../workspace/text-file.ts";
import type { WorkspaceDeps } from "../../workspace/workspace-deps.ts";
import { textOf, workspaceTool } from "../workspace-tool.ts";

const MAX_ENTRIES = 1_000;
/** Lines of larger files are not counted. */
const MAX_COUNTED_BYTES = 1_000_000;

/** aiserver.v1 ListDir: the entries of one directory, directories first. */
export function listDirTool(deps: Pick<WorkspaceDeps, "rootsOf" | "protectedPaths" | "outside">): Tool {
  return workspaceTool(deps, {
    name: "list_dir",
    clientTool: ClientSideToolV2.LIST_DIR,
    title: "List a directory",
    description: "Lists the entries of one directory (at most 1,000), directories first.",
    tier: "read",
    messages: "ListDir",
    properties: { directoryPath: { type: "string", description: "The directory; the workspace itself when empty" } },
    required: [],
    pathsOf: (args) => [textOf(args, "directoryPath") || "."],
    run: async (args, context) => {
      const place = await resolvePath(deps.rootsOf(context.session), textOf(args, "directoryPath") || ".");
      await refuseHidden(deps.protectedPaths, place);
      const names = await readdir(place.absolute).catch((error: unknown) => {
        if (error instanceof Error && "code" in error && error.code === "ENOTDIR") {
          throw new AppError("invalid_request", `${place.relative} is a file; read it with read_file_v2`);
        }
        if (isMissing(error)) throw new AppError("not_found", `there is no directory ${place.relative}`);
        throw new AppError("forbidden", `${place.relative} cannot be listed`, { cause: error });
      });
      const relatives = names.map((name) => (place.relative === "" ? name : `${place.relative}/${name}`));
      const shown = await deps.protectedPaths.withoutHidden(place.root, relatives);
      const files = await Promise.all(
        shown.slice(0, MAX_ENTRIES).map((relative) => describe(path.join(place.root, relative))),
      );
      const order = (file: JsonObject): string => `${file["isDirectory"] === true ? 0 : 1}${textOf(file, "name")}`;
      return {
        files: files.sort((a, b) => (order(a) < order(b) ? -1 : 1)),
        directoryRelativeWorkspacePath: place.relative || ".",
      };
    },
  });
}

async function describe(absolute: string): Promise<JsonObject> {
  const name = path.basename(absolute);
  const found = await stat(absolute).catch(() => undefined); // a link to nowhere has a name and nothing else
  if (found === undefined) return { name, isDirectory: false };
  const lastModified = found.mtime.toISOString();
  if (found.isDirectory()) {
    const children = await readdir(absolute).catch(() => []); // one that is not ours to look into
    return { name, isDirectory: true, lastModified, numChildren: children.length };
  }
  const text =
    found.isFile() && found.size <= MAX_COUNTED_BYTES
      ? await readFile(absolute).then(
          (bytes) => decodeText(bytes)?.text,
          () => undefined, // not ours to read: it has no number of lines
        )
      : undefined;
  return {
    name,
    isDirectory: false,
    size: String(found.size),
    lastModified,
    ...(text === undefined ? {} : { numLines: linesOf(text).length }),
  };
}
