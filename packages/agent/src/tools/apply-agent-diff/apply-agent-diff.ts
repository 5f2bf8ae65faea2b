import path from "node:path";
import type { JsonObject } from "@bufbuild/protobuf";
import { AppError } from "@quarry/base";
import { ClientSideToolV2 } from "@quarry/contract";
import { diffTexts, toUnifiedDiff } from "../../edits/file-diff.ts";
import type { CallOutcome, Tool, ToolContext } from "../../tool.ts";
import { changeFiles } from "../../workspace/change-files.ts";
import type { EditDeps } from "../../workspace/edit-target.ts";
import { resolvePath } from "../../workspace/resolve-path.ts";
import type { WorkspaceDeps } from "../../workspace/workspace-deps.ts";
import { failureText, textOf, workspaceTool } from "../workspace-tool.ts";
import { mergeAgentFile, type AgentFile, type MergedFile } from "./merge-agent-file.ts";

type Deps = EditDeps & Pick<WorkspaceDeps, "agentSessionOf">;

const MAX_SHOWN_DIFF = 20_000;

/**
 * agent.v1 ApplyAgentDiff: brings what a sub-agent changed in its own copy of the workspace into this one. Each
 * file is merged against what the sub-agent began with. A file that both changed at the same
 * lines is a conflict, and then nothing at all is written.
 */
export function applyAgentDiffTool(deps: Deps): Tool {
  return workspaceTool(deps, {
    name: "apply_agent_diff",
    clientTool: ClientSideToolV2.APPLY_AGENT_DIFF,
    title: "Apply a sub-agent's changes",
    description: "Merges the files that a sub-agent changed into the workspace; all of them or none.",
    tier: "write",
    messages: "ApplyAgentDiff",
    types: { args: "aiserver.v1.ApplyAgentDiffParams", result: "agent.v1.ApplyAgentDiffResult" },
    properties: { agentId: { type: "string", minLength: 1, description: "The sub-agent" } },
    required: ["agentId"],
    pathsOf: () => [],
    look: async (args, context) => {
      const merged = await mergeAgent(deps, args, context);
      const diffs = merged.map(({ place, before = "", after = "" }) =>
        toUnifiedDiff(place.relative, diffTexts(before, after), MAX_SHOWN_DIFF),
      );
      const conflicts = merged.filter(({ conflict }) => conflict !== undefined).length;
      return {
        paths: merged.map(({ place }) => place.relative),
        diff: diffs.join("\n").slice(0, MAX_SHOWN_DIFF),
        notes: conflicts === 0 ? [] : [`${conflicts} files conflict, so nothing would be written`],
      };
    },
    run: async (args, context) => {
      const files = await filesOfAgent(deps, args, context);
      return deps.locks.hold(
        files.map(({ place }) => place.absolute),
        () => applyMerged(deps, args, context),
      );
    },
    agent: { member: "applyAgentDiffToolCall", fromArgs: (args) => args, toResult: toAgentResult },
  });
}

async function applyMerged(deps: Deps, args: JsonObject, context: ToolContext): Promise<JsonObject> {
  const merged = await mergeAgent(deps, args, context);
  if (merged.some(({ conflict }) => conflict !== undefined)) {
    const error = "some files were changed on both sides; nothing was written";
    return { error: { error, appliedChanges: merged.map((file) => toChange(file, "conflict")) } };
  }
  const changed = merged.filter(({ before, after }) => before !== after);
  try {
    await changeFiles(
      deps,
      context,
      changed.map(({ place, bytes, mode }) => ({ place, bytes, ...(mode === undefined ? {} : { mode }) })),
    );
  } catch (error) {
    if (AppError.from(error).code === "canceled") throw error;
    const told = "a file could not be written, and those before it were put back; nothing is changed";
    return { error: { error: told, appliedChanges: changed.map((file) => toChange(file, "failed")) } };
  }
  return { success: { appliedChanges: merged.map((file) => toChange(file, "applied")) } };
}

function toChange(file: MergedFile, outcome: "applied" | "conflict" | "failed"): JsonObject {
  const { place, before, after, conflict } = file;
  const type = after === undefined ? "DELETED" : before === undefined ? "CREATED" : "MODIFIED";
  const told: JsonObject =
    conflict !== undefined
      ? { error: conflict.short, messageForModel: conflict.model }
      : outcome === "applied"
        ? {}
        : { error: "not written", messageForModel: "This file was fine, but nothing is written unless all are." };
  return {
    path: place.relative,
    changeType: `CHANGE_TYPE_${type}`,
    ...(before === undefined ? {} : { beforeContent: before }),
    ...(after === undefined ? {} : { afterContent: after }),
    ...told,
  };
}

async function mergeAgent(deps: Deps, args: JsonObject, context: ToolContext): Promise<readonly MergedFile[]> {
  const files = await filesOfAgent(deps, args, context);
  return Promise.all(files.map((file) => mergeAgentFile(deps, context.session, file)));
}

/** Every file that the sub-agent changed: what it was when it began, and where it belongs here. Throws `not_found`. */
async function filesOfAgent(deps: Deps, args: JsonObject, context: ToolContext): Promise<readonly AgentFile[]> {
  const { session } = context;
  const agentId = textOf(args, "agentId");
  const agentSession = deps.agentSessionOf === undefined ? agentId : await deps.agentSessionOf(session.id, agentId);
  const changes = agentSession === undefined ? [] : await deps.history.list(agentSession);
  const own = changes.filter(({ parentSessionId }) => parentSessionId === session.id);
  if (own.length === 0) {
    throw new AppError("not_found", `agentId: no sub-agent ${agentId} of this session has changed any file`);
  }
  const roots = deps.rootsOf(session);
  const files = new Map<string, AgentFile>();
  for (const change of own) {
    const relative = path.relative(change.root ?? path.dirname(change.absolute), change.absolute);
    const place = await resolvePath(roots, relative);
    const base = files.get(change.absolute)?.base ?? change.before;
    files.set(change.absolute, { place, base, theirs: change.absolute });
  }
  return [...files.values()];
}

function toAgentResult(_: JsonObject, outcome: CallOutcome): JsonObject {
  if (outcome.kind !== "succeeded") return { error: { error: failureText(outcome), appliedChanges: [] } };
  return outcome.result;
}
