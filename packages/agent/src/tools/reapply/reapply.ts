import type { JsonObject } from "@bufbuild/protobuf";
import { AppError } from "@quarry/base";
import { ClientSideToolV2 } from "@quarry/contract";
import { diffTexts, toFileDiff, toUnifiedDiff } from "../../edits/file-diff.ts";
import { languageOf } from "../../edits/language-of.ts";
import { ToolFailure } from "../../tool-error.ts";
import type { Tool, ToolContext } from "../../tool.ts";
import { encodeTarget, openTarget, refuseStale, type EditDeps, type EditTarget } from "../../workspace/edit-target.ts";
import { toLinterError } from "../../workspace/lint-edit.ts";
import { performEdit } from "../../workspace/perform-edit.ts";
import { resolvePath } from "../../workspace/resolve-path.ts";
import { readRequest } from "../edit-file/edit-request.ts";
import { planEdit } from "../edit-file/plan-edit.ts";
import { nextText } from "../edit-file-v2/next-text.ts";
import { textOf, workspaceTool } from "../workspace-tool.ts";

const MAX_SHOWN_DIFF = 20_000;

/** aiserver.v1 Reapply: does the session's last edit of a file again, forgiving as much as is safe. */
export function reapplyTool(deps: EditDeps): Tool {
  return workspaceTool(deps, {
    name: "reapply",
    clientTool: ClientSideToolV2.REAPPLY,
    title: "Apply an edit again",
    description: "Applies the last edit of a file again, with every fallback; for an edit that failed or was lost.",
    tier: "write",
    messages: "Reapply",
    properties: { relativeWorkspacePath: { type: "string", minLength: 1, description: "The file" } },
    required: ["relativeWorkspacePath"],
    pathsOf: (args) => [pathOf(args)],
    look: async (args, context) => {
      const { target, text } = await planAgain(deps, args, context);
      if (text === undefined) return { notes: ["the edit does not fit any more"] };
      return { diff: toUnifiedDiff(target.place.relative, diffTexts(target.text, text), MAX_SHOWN_DIFF) };
    },
    run: async (args, context) => {
      const { absolute } = await resolvePath(deps.rootsOf(context.session), pathOf(args));
      return deps.locks.hold([absolute], async () => {
        const { target, text } = await planAgain(deps, args, context);
        if (text === undefined || (target.exists && text === target.text))
          return { isApplied: false, applyFailed: true };
        const language = languageOf(target.place.relative, text);
        const { lints } = await performEdit(deps, context, { target, text, language, wantsLints: true });
        return {
          isApplied: true,
          diff: toFileDiff(diffTexts(target.text, text)),
          linterErrors: lints.newProblems.map(toLinterError),
        };
      });
    },
    refuse: () => ({ rejected: true }),
  });
}

/** What the last edit makes of the file now; undefined when it does not fit. Throws when there was none. */
async function planAgain(
  deps: EditDeps,
  args: JsonObject,
  context: ToolContext,
): Promise<{ readonly target: EditTarget; readonly text: string | undefined }> {
  const { session } = context;
  const target = await openTarget(deps, session, pathOf(args));
  const { edit } = await deps.sessionFiles.of(session.id, target.place.absolute);
  if (edit === undefined) {
    const { relative } = target.place;
    throw new AppError("not_found", `there is nothing to reapply: no edit of ${relative} was made in this session`);
  }
  try {
    const text = textAgain(edit, target);
    if (text?.isWhole === true) await refuseStale(deps, session, target);
    if (text !== undefined) encodeTarget(target, text.text);
    return { target, text: text?.text };
  } catch (error) {
    const isOurs = error instanceof ToolFailure || AppError.from(error).code === "internal";
    if (isOurs || AppError.from(error).code === "conflict") throw error;
    return { target, text: undefined }; // it does not fit any more, which the result says
  }
}

function textAgain(
  edit: { readonly tool: string; readonly args: JsonObject },
  target: EditTarget,
): { readonly text: string; readonly isWhole: boolean } | undefined {
  if (edit.tool === "edit_file_v2") return nextText(edit.args, target);
  const request = readRequest(edit.args);
  if (request.kind === "patch") return undefined; // of several files: only as a whole
  const all = { useWhitespaceInsensitiveFallback: true, useDidYouMeanFuzzyMatch: true };
  const plan = planEdit({ ...edit.args, ...all }, request, target);
  return plan.kind === "edited" ? { text: plan.text, isWhole: request.kind === "whole" } : undefined;
}

function pathOf(args: JsonObject): string {
  return textOf(args, "relativeWorkspacePath");
}
