import type { JsonObject } from "@bufbuild/protobuf";
import { ClientSideToolV2 } from "@quarry/contract";
import { diffTexts, toFileDiff, toUnifiedDiff } from "../../edits/file-diff.ts";
import { languageOf } from "../../edits/language-of.ts";
import type { CallFacts } from "../../call-facts.ts";
import { ToolFailure } from "../../tool-error.ts";
import type { Tool, ToolContext } from "../../tool.ts";
import { encodeTarget, openTarget, refuseStale, type EditDeps, type EditTarget } from "../../workspace/edit-target.ts";
import { toLinterError } from "../../workspace/lint-edit.ts";
import { openFile } from "../../workspace/open-file.ts";
import { performEdit } from "../../workspace/perform-edit.ts";
import { resolvePath } from "../../workspace/resolve-path.ts";
import { countLines } from "../../workspace/text-file.ts";
import { textOf, workspaceTool } from "../workspace-tool.ts";
import { editFailure } from "./edit-failure.ts";
import { EDIT_FILE_PROPERTIES } from "./edit-file-schema.ts";
import { readRequest, type EditRequest } from "./edit-request.ts";
import { pathsOfPatch, planPatch, runPatch } from "./patch-files.ts";
import { planEdit, type EditPlan } from "./plan-edit.ts";

/** How much of a change the person who is asked gets to see. */
const MAX_SHOWN_DIFF = 20_000;

/**
 * aiserver.v1 EditFile: new contents, a search and its replacement, a cell of a notebook, or a
 * patch of several files. A search names one place or nothing is changed.
 */
export function editFileTool(deps: EditDeps): Tool {
  return workspaceTool(deps, {
    name: "edit_file",
    aliases: ["search_replace", "apply_patch"],
    clientTool: ClientSideToolV2.EDIT_FILE,
    title: "Edit a file",
    description:
      "Edits a file: new contents (unchanged parts may be left out as // ... existing code ...), oldString and newString, a cell of a notebook, or a patch between *** Begin Patch and *** End Patch.",
    tier: "write",
    messages: "EditFile",
    properties: EDIT_FILE_PROPERTIES,
    required: ["relativeWorkspacePath"],
    pathsOf: (args) => {
      const request = readRequest(args);
      return request.kind === "patch" ? pathsOfPatch(request.patch) : [pathOf(args)];
    },
    look: (args, context) => lookAtEdit(deps, args, context),
    run: async (args, context) => {
      const request = readRequest(args);
      if (request.kind === "patch") return runPatch(deps, request.patch, { args, context });
      const place = await resolvePath(deps.rootsOf(context.session), pathOf(args));
      return deps.locks.hold([place.absolute], () => runEdit(deps, request, { args, context }));
    },
    refuse: () => ({ rejected: true }),
  });
}

async function lookAtEdit(deps: EditDeps, args: JsonObject, context: ToolContext): Promise<Partial<CallFacts>> {
  const request = readRequest(args);
  const instructions = textOf(args, "instructions");
  const notes = instructions === "" ? [] : [`what it is for: ${instructions}`];
  if (request.kind === "patch") return { notes, diff: await planPatch(deps, request.patch, context) };
  const { target, plan } = await makePlan(deps, request, { args, context });
  if (plan.kind !== "edited") return { notes: [...notes, "it would find nothing to change"] };
  const diff = toUnifiedDiff(target.place.relative, diffTexts(target.text, plan.text), MAX_SHOWN_DIFF);
  return { notes: target.exists ? notes : [...notes, "it makes a new file"], diff };
}

interface Asked {
  readonly args: JsonObject;
  readonly context: ToolContext;
}

/** Runs an edit of one file; the caller holds its lock. */
async function runEdit(
  deps: EditDeps,
  request: Exclude<EditRequest, { kind: "patch" }>,
  asked: Asked,
): Promise<JsonObject> {
  const { args, context } = asked;
  const { target, plan } = await makePlan(deps, request, asked);
  const { absolute, relative } = target.place;
  const call = { tool: "edit_file", args };
  const common: JsonObject = {
    ...(args["shouldEagerlyProcessLints"] === true ? { shouldEagerlyProcessLints: true } : {}),
    ...(isSubagent(context) ? { isSubagentEdit: true } : {}),
  };
  if (plan.kind === "recoverable") {
    await deps.sessionFiles.note(context.session.id, absolute, { edit: call });
    return { ...common, ...toRecoverable(plan, target) };
  }
  const found: JsonObject = {
    ...(plan.numMatches === undefined ? {} : { numMatches: plan.numMatches }),
    ...(plan.isByWhitespace === true ? { whitespaceInsensitiveFallbackFoundMatch: true } : {}),
    numLinesInFile: countLines(plan.text),
  };
  if (target.exists && plan.text === target.text) return { ...common, ...found, isApplied: false };
  const { lints, wasPutBack } = await performEdit(deps, context, {
    target,
    text: plan.text,
    language: textOf(args, "language") || languageOf(relative, plan.text),
    wantsLints: args["blocking"] === true || args["shouldEagerlyProcessLints"] === true,
    call,
  });
  return {
    ...common,
    ...found,
    diff: toFileDiff(diffTexts(target.text, plan.text)),
    isApplied: !wasPutBack,
    linterErrors: lints.newProblems.map(toLinterError),
    ...(wasPutBack ? { diffBecameNoOpDueToOnSaveFixes: true } : {}),
    ...(lints.solvedAll ? { wereAllNewLinterErrorsResolvedByThisEdit: true } : {}),
  };
}

async function makePlan(
  deps: EditDeps,
  request: Exclude<EditRequest, { kind: "patch" }>,
  { args, context }: Asked,
): Promise<{ readonly target: EditTarget; readonly plan: EditPlan }> {
  const target = await openTarget(deps, context.session, pathOf(args));
  const kind = request.kind === "whole" ? "edit-file" : "search-replace";
  try {
    const isSearch = request.kind === "replace" && request.search !== "";
    if (!target.exists && isSearch) await openFile(deps, context.session, pathOf(args)); // throws, with close names
    if (request.kind === "whole" && target.exists) await refuseStale(deps, context.session, target);
    const plan = planEdit(args, request, target);
    if (plan.kind === "recoverable" && args["gracefullyHandleRecoverableErrors"] !== true) {
      // What was missed can be tried again with more forgiveness, by reapply.
      await deps.sessionFiles.note(context.session.id, target.place.absolute, { edit: { tool: "edit_file", args } });
      throw editFailure({ kind, target, message: plan.message });
    }
    if (plan.kind === "edited") encodeTarget(target, plan.text); // throws before anyone is asked
    return { target, plan };
  } catch (error) {
    if (error instanceof ToolFailure) throw error;
    throw editFailure({ kind, target, error });
  }
}

function toRecoverable(plan: Extract<EditPlan, { kind: "recoverable" }>, target: EditTarget): JsonObject {
  const type = plan.type === "ambiguous" ? "AMBIGUOUS_SEARCH_STRING" : "SEARCH_STRING_NOT_FOUND";
  return {
    isApplied: false,
    applyFailed: true,
    numMatches: plan.numMatches,
    numLinesInFile: target.lineCount,
    ...(plan.isOutsideRanges ? { noMatchFoundInLineRanges: true } : {}),
    recoverableError: { errorType: `RECOVERABLE_ERROR_TYPE_${type}`, modelMessage: plan.message },
  };
}

function isSubagent({ session }: ToolContext): boolean {
  return session.parentId !== undefined && session.parentId !== null;
}

function pathOf(args: JsonObject): string {
  return textOf(args, "relativeWorkspacePath");
}
