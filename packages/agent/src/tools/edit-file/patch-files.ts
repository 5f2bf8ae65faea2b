import type { JsonObject } from "@bufbuild/protobuf";
import { AppError } from "@quarry/base";
import { applyHunks } from "../../edits/apply-hunks.ts";
import { diffTexts, toFileDiff, toUnifiedDiff } from "../../edits/file-diff.ts";
import { parsePatch, type PatchOperation } from "../../edits/parse-patch.ts";
import type { ToolContext } from "../../tool.ts";
import { changeFiles } from "../../workspace/change-files.ts";
import { encodeTarget, openTarget, type EditDeps, type EditTarget } from "../../workspace/edit-target.ts";
import { openFile } from "../../workspace/open-file.ts";
import { resolvePath } from "../../workspace/resolve-path.ts";
import { linesOf } from "../../workspace/text-file.ts";
import { textOf } from "../workspace-tool.ts";
import { editFailure } from "./edit-failure.ts";

const MAX_SHOWN_DIFF = 20_000;

/** What a patch makes of one file; undefined deletes it. */
interface PatchedFile {
  readonly target: EditTarget;
  readonly text: string | undefined;
}

/** Every path that a patch names. */
export function pathsOfPatch(patch: string): readonly string[] {
  const paths = parsePatch(patch).flatMap((operation) => [
    operation.path,
    ...(operation.kind === "update" && operation.moveTo !== undefined ? [operation.moveTo] : []),
  ]);
  return [...new Set(paths)];
}

/** What a patch would change, for the person who is asked. */
export async function planPatch(deps: EditDeps, patch: string, context: ToolContext): Promise<string> {
  const files = await patchFiles(deps, parsePatch(patch), context);
  const diffs = files.map(({ target, text }) =>
    toUnifiedDiff(target.place.relative, diffTexts(target.text, text ?? ""), MAX_SHOWN_DIFF),
  );
  return diffs.join("\n").slice(0, MAX_SHOWN_DIFF);
}

/** Applies a patch to all its files or to none. */
export async function runPatch(
  deps: EditDeps,
  patch: string,
  { args, context }: { readonly args: JsonObject; readonly context: ToolContext },
): Promise<JsonObject> {
  const roots = deps.rootsOf(context.session);
  const places = await Promise.all(pathsOfPatch(patch).map((each) => resolvePath(roots, each)));
  return deps.locks.hold(
    places.map(({ absolute }) => absolute),
    async () => {
      const files = await patchFiles(deps, parsePatch(patch), context);
      await changeFiles(
        deps,
        context,
        files.map(({ target, text }) => ({
          place: target.place,
          bytes: text === undefined ? undefined : encodeTarget(target, text),
        })),
      );
      for (const { target } of files) {
        const edit = { tool: "edit_file", args };
        await deps.sessionFiles.note(context.session.id, target.place.absolute, { edit });
      }
      const named = textOf(args, "relativeWorkspacePath");
      const shown = files.find(({ target }) => target.place.relative === named) ?? files[0];
      if (shown === undefined) throw new AppError("invalid_request", "contents: the patch changes no file");
      return {
        isApplied: true,
        diff: toFileDiff(diffTexts(shown.target.text, shown.text ?? "")),
        numLinesInFile: linesOf(shown.text ?? "").length,
      };
    },
  );
}

async function patchFiles(
  deps: EditDeps,
  operations: readonly PatchOperation[],
  context: ToolContext,
): Promise<readonly PatchedFile[]> {
  const files = new Map<string, PatchedFile>();
  const open = async (given: string): Promise<PatchedFile> => {
    const target = await openTarget(deps, context.session, given);
    return files.get(target.place.absolute) ?? { target, text: target.exists ? target.text : undefined };
  };
  const put = ({ target }: PatchedFile, text: string | undefined): void => {
    files.set(target.place.absolute, { target, text });
  };
  for (const operation of operations) {
    const file = await open(operation.path);
    if (operation.kind === "add") {
      put(file, operation.contents);
      continue;
    }
    if (file.text === undefined) await openFile(deps, context.session, operation.path); // throws, with close names
    if (operation.kind === "delete") {
      put(file, undefined);
      continue;
    }
    const text = patchText(file, operation);
    if (operation.moveTo === undefined) put(file, text);
    else {
      const moved = await open(operation.moveTo);
      put(file, undefined);
      put(moved, text);
    }
  }
  return [...files.values()].filter(({ target, text }) => target.exists || text !== undefined);
}

function patchText({ target, text = "" }: PatchedFile, update: Extract<PatchOperation, { kind: "update" }>): string {
  const outcome = applyHunks(text, update.hunks);
  if (outcome.kind === "patched") return outcome.text;
  const hunk = `hunk ${outcome.hunk} of the patch`;
  const message =
    outcome.kind === "missing"
      ? `${hunk} does not fit, and nothing of the patch was applied. ${outcome.miss.message}`
      : `${hunk} fits at lines ${outcome.lines.join(", ")}, and nothing of the patch was applied. Add lines around it, or an @@ line that names what it stands in.`;
  throw editFailure({ kind: "search-replace", target, message });
}
