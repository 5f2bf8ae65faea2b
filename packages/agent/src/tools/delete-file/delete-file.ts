import { lstat } from "node:fs/promises";
import type { JsonObject } from "@bufbuild/protobuf";
import { AppError } from "@quarry/base";
import { ClientSideToolV2 } from "@quarry/contract";
import type { CallOutcome, Tool } from "../../tool.ts";
import { changeOf } from "../../workspace/change-of.ts";
import { refuseGuarded, refuseHidden } from "../../workspace/protected-paths.ts";
import { isMissing, resolvePath } from "../../workspace/resolve-path.ts";
import type { WorkspaceDeps } from "../../workspace/workspace-deps.ts";
import { failureText, textOf, workspaceTool } from "../workspace-tool.ts";

type Deps = Pick<WorkspaceDeps, "rootsOf" | "protectedPaths" | "outside" | "locks" | "history">;

/** aiserver.v1 DeleteFile: deletes one file or link, which can be brought back. */
export function deleteFileTool(deps: Deps): Tool {
  return workspaceTool(deps, {
    name: "delete_file",
    clientTool: ClientSideToolV2.DELETE_FILE,
    title: "Delete a file",
    description: "Deletes one file; its contents are kept outside the workspace.",
    tier: "write",
    messages: "DeleteFile",
    properties: { relativeWorkspacePath: { type: "string", minLength: 1, description: "The file" } },
    required: ["relativeWorkspacePath"],
    pathsOf: (args) => [pathOf(args)],
    isLinkItself: true,
    look: async (args, context) => {
      const place = await resolvePath(deps.rootsOf(context.session), pathOf(args), { isLinkItself: true });
      return { diff: `deletes ${place.relative}` };
    },
    run: async (args, context) => {
      const place = await resolvePath(deps.rootsOf(context.session), pathOf(args), { isLinkItself: true });
      await refuseHidden(deps.protectedPaths, place);
      refuseGuarded(place);
      return deps.locks.hold([place.absolute], async () => {
        const found = await lstat(place.absolute).catch((error: unknown) => {
          if (isMissing(error)) return undefined;
          throw new AppError("forbidden", `${place.relative} cannot be looked at`, { cause: error });
        });
        if (found === undefined) return { fileNonExistent: true };
        if (found.isDirectory()) {
          throw new AppError("invalid_request", `${place.relative} is a directory; this tool deletes single files`);
        }
        if (!found.isFile() && !found.isSymbolicLink()) {
          throw new AppError("invalid_request", `${place.relative} is no regular file`);
        }
        await deps.history.make(changeOf(context, place), { kind: "nothing" });
        return { fileDeletedSuccessfully: true };
      });
    },
    refuse: () => ({ rejected: true }),
    agent: {
      member: "deleteToolCall",
      fromArgs: (args) => ({ relativeWorkspacePath: args["path"] ?? "" }),
      toResult: toDeleteResult,
    },
  });
}

function pathOf(args: JsonObject): string {
  return textOf(args, "relativeWorkspacePath");
}

function toDeleteResult(args: JsonObject, outcome: CallOutcome): JsonObject {
  const path = pathOf(args);
  if (outcome.kind === "rejected") return { rejected: { path, reason: outcome.reason } };
  if (outcome.kind !== "succeeded") return { error: { path, error: failureText(outcome) } };
  return outcome.result["fileNonExistent"] === true
    ? { fileNotFound: { path } }
    : { success: { path, deletedFile: path } };
}
