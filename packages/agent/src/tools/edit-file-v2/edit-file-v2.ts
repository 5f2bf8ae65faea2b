import type { JsonObject } from "@bufbuild/protobuf";
import { ClientSideToolV2 } from "@quarry/contract";
import { diffTexts, toFileDiff, toUnifiedDiff, type TextDiff } from "../../edits/file-diff.ts";
import { languageOf } from "../../edits/language-of.ts";
import { ToolFailure } from "../../tool-error.ts";
import type { CallOutcome, Tool, ToolContext, ToolOutput } from "../../tool.ts";
import { encodeTarget, openTarget, refuseStale, type EditDeps, type EditTarget } from "../../workspace/edit-target.ts";
import { toLinterError, type EditLints } from "../../workspace/lint-edit.ts";
import { performEdit } from "../../workspace/perform-edit.ts";
import { resolvePath } from "../../workspace/resolve-path.ts";
import { contentIdOf, eolOf } from "../../workspace/text-file.ts";
import { editFailure } from "../edit-file/edit-failure.ts";
import { failureText, textOf, workspaceTool } from "../workspace-tool.ts";
import { EDIT_FILE_V2_PROPERTIES } from "./edit-file-v2-schema.ts";
import { nextText } from "./next-text.ts";

/** How much of a change the person who is asked, and the model, get to see. */
const MAX_ASKED_DIFF = 20_000;
const MAX_MODEL_DIFF = 2_000;
const MAX_MODEL_PROBLEMS = 20;

/** aiserver.v1 EditFileV2: the final contents of a file, streamed or at once, or a diff of it. */
export function editFileV2Tool(deps: EditDeps): Tool {
  return workspaceTool(deps, {
    name: "edit_file_v2",
    aliases: ["write"],
    clientTool: ClientSideToolV2.EDIT_FILE_V2,
    title: "Write a file",
    description:
      "Writes a file: its final contents, or code with unchanged parts left out as // ... existing code ..., or a diff. Refuses a file that changed since you read it.",
    tier: "write",
    messages: "EditFileV2",
    properties: EDIT_FILE_V2_PROPERTIES,
    required: ["relativeWorkspacePath"],
    pathsOf: (args) => [pathOf(args)],
    look: async (args, context) => {
      const { target, text } = await planWrite(deps, args, context);
      const diff = toUnifiedDiff(target.place.relative, diffTexts(target.text, text), MAX_ASKED_DIFF);
      const notes = [
        ...(target.exists ? [] : ["it makes a new file"]),
        ...(args["cloudAgentEdit"] === true ? ["a remote agent made this edit"] : []),
        ...(isPreview(args) ? ["it only shows the change and writes nothing"] : []),
      ];
      return { diff, notes, ...(isPreview(args) ? { risk: "low" as const } : {}) };
    },
    stream: (args, context) => streamWrite(deps, args, context),
    refuse: () => ({ rejected: true }),
    agent: {
      member: "editToolCall",
      fromArgs: ({ path = "", streamContent }) => ({
        relativeWorkspacePath: path,
        code: { code: streamContent ?? "" },
      }),
      toResult: toEditResult,
    },
  });
}

/** Shows the change as soon as it is known, since the problems it brings may take a while to find. */
async function* streamWrite(
  deps: EditDeps,
  args: JsonObject,
  context: ToolContext,
): AsyncGenerator<ToolOutput, JsonObject> {
  const { absolute } = await resolvePath(deps.rootsOf(context.session), pathOf(args));
  const planned = await planWrite(deps, args, context);
  const shown = toUnifiedDiff(
    planned.target.place.relative,
    diffTexts(planned.target.text, planned.text),
    MAX_MODEL_DIFF,
  );
  yield { kind: "output", channel: "partial-result", text: shown };
  if (isPreview(args)) return toResult(args, planned, { after: undefined, lints: undefined });
  return deps.locks.hold([absolute], async () => {
    const { target, text } = await planWrite(deps, args, context);
    if (target.exists && target.text === text) {
      return toResult(args, { target, text }, { after: target.contentId, lints: undefined });
    }
    const { contentId, lints } = await performEdit(deps, context, {
      target,
      text,
      language: languageOf(target.place.relative, text),
      wantsLints: args["shouldSendBackLinterErrors"] === true,
      editor: args["cloudAgentEdit"] === true ? "cloud-agent" : undefined,
      call: { tool: "edit_file_v2", args },
    });
    return toResult(args, { target, text }, { after: contentId, lints });
  });
}

interface PlannedWrite {
  readonly target: EditTarget;
  readonly text: string;
}

async function planWrite(deps: EditDeps, args: JsonObject, context: ToolContext): Promise<PlannedWrite> {
  const target = await openTarget(deps, context.session, pathOf(args));
  try {
    const { text, isWhole } = nextText(args, target);
    if (isWhole && !isPreview(args)) await refuseStale(deps, context.session, target);
    encodeTarget(target, text);
    return { target, text };
  } catch (error) {
    if (error instanceof ToolFailure) throw error;
    throw editFailure({ kind: "edit-file", target, error });
  }
}

function toResult(
  args: JsonObject,
  { target, text }: PlannedWrite,
  done: { readonly after: string | undefined; readonly lints: EditLints | undefined },
): JsonObject {
  const diff = diffTexts(target.text, text);
  const { after, lints } = done;
  const problems = lints?.newProblems ?? [];
  return {
    ...(target.exists ? { contentsBeforeEdit: target.text, beforeContentId: target.contentId ?? "" } : {}),
    contentsAfterEdit: text,
    fileWasCreated: !target.exists && after !== undefined,
    diff: toFileDiff(diff),
    linterErrors: problems.map(toLinterError),
    sentBackLinterErrors: lints?.wasRun ?? false,
    shouldAutoFixLints: problems.some(({ isFixable }) => isFixable === true),
    eolSequence: eolOf(text === "" ? target.text : text),
    detectedLanguage: languageOf(target.place.relative, text),
    afterContentId: after ?? contentIdOf(encodeTarget(target, text)),
    resultForModel: textOf(args, "resultForModel") || summary(target, diff, { isWritten: after !== undefined, lints }),
  };
}

/** What the model reads: what became of the file, the change in short, and what it broke. */
function summary(
  target: EditTarget,
  diff: TextDiff,
  done: { readonly isWritten: boolean; readonly lints: EditLints | undefined },
): string {
  const name = target.place.relative;
  const did = !done.isWritten ? "Not written yet" : target.exists ? "Changed" : "Created";
  const counts = `${did}: ${name}, ${diff.linesAdded} lines added and ${diff.linesRemoved} removed.`;
  const problems = (done.lints?.newProblems ?? []).map(
    ({ startLine, severity, message, source }) => `line ${startLine}: ${severity}: ${message} (${source})`,
  );
  const more = problems.length - MAX_MODEL_PROBLEMS;
  return [
    counts,
    ...(target.exists && diff.chunks.length > 0 ? [toUnifiedDiff(name, diff, MAX_MODEL_DIFF)] : []),
    ...(problems.length === 0 ? [] : ["New problems:", ...problems.slice(0, MAX_MODEL_PROBLEMS)]),
    ...(more > 0 ? [`and ${more} more`] : []),
  ].join("\n");
}

function isPreview(args: JsonObject): boolean {
  return args["waitingForFileContents"] === true;
}

function pathOf(args: JsonObject): string {
  return textOf(args, "relativeWorkspacePath");
}

function toEditResult(args: JsonObject, outcome: CallOutcome): JsonObject {
  const path = pathOf(args);
  if (outcome.kind === "rejected") return { rejected: { path, reason: outcome.reason } };
  if (outcome.kind !== "succeeded") {
    const error = outcome.kind === "failed" ? outcome.error.client : "cancelled";
    return { error: { path, error, modelVisibleError: failureText(outcome) } };
  }
  const { diff, contentsBeforeEdit, contentsAfterEdit, resultForModel } = outcome.result;
  const chunks = ((diff as JsonObject | undefined)?.["chunks"] ?? []) as JsonObject[]; // made by toFileDiff
  const sum = (name: string): number => chunks.reduce((total, chunk) => total + Number(chunk[name] ?? 0), 0);
  return {
    success: {
      path,
      linesAdded: sum("linesAdded"),
      linesRemoved: sum("linesRemoved"),
      diffString: chunks.map((chunk) => textOf(chunk, "diffString")).join("\n"),
      ...(typeof contentsBeforeEdit === "string" ? { beforeFullFileContent: contentsBeforeEdit } : {}),
      afterFullFileContent: typeof contentsAfterEdit === "string" ? contentsAfterEdit : "",
      ...(typeof resultForModel === "string" ? { message: resultForModel } : {}),
    },
  };
}
