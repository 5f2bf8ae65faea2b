import { constants, copyFile, mkdir, rm } from "node:fs/promises";
import path from "node:path";
import type { JsonObject } from "@bufbuild/protobuf";
import { AppError } from "@quarry/base";
import { ClientSideToolV2, protocolMessage } from "@quarry/contract";
import type { CallOutcome, Tool, ToolContext } from "../../tool.ts";
import type { ScreenDeps } from "../computer-use/computer-use.ts";
import { failureText, textOf, workspaceTool } from "../workspace-tool.ts";

/** Where recordings are saved, below the workspace's root. */
const DIRECTORY = "recordings";
const MODES = ["RECORDING_MODE_START_RECORDING", "RECORDING_MODE_SAVE_RECORDING", "RECORDING_MODE_DISCARD_RECORDING"];
/** How many names are tried beside one that is taken. */
const MAX_NAMES = 1_000;

/** agent.v1 RecordScreen: records the session's desktop and keeps the film in the workspace, or throws it away. */
export function recordScreenTool(deps: ScreenDeps): Tool {
  const tool = workspaceTool(deps, {
    name: "record_screen",
    clientTool: ClientSideToolV2.RECORD_SCREEN,
    title: "Record the screen",
    description: "Starts a recording of the session's desktop, saves it in the workspace, or discards it.",
    tier: "exec",
    // It has no messages in aiserver.v1: those of agent.v1 are put in their place below.
    messages: "ComputerUse",
    properties: {
      mode: { enum: MODES, description: "What to do" },
      saveAsFilename: { type: "string", description: "A name without slashes, for saving" },
    },
    required: ["mode"],
    pathsOf: () => [],
    run: (args, context) => record(deps, args, context),
    refuse: (_, reason) => ({ failure: { error: `The person declined: ${reason}` } }),
    agent: {
      member: "recordScreenToolCall",
      fromArgs: ({ mode = "", saveAsFilename }) => ({
        mode,
        ...(saveAsFilename === undefined ? {} : { saveAsFilename }),
      }),
      toResult,
    },
  });
  return {
    ...tool,
    args: protocolMessage("agent.v1.RecordScreenArgs"),
    result: protocolMessage("agent.v1.RecordScreenResult"),
    schema: { ...tool.schema, title: "agent.v1.RecordScreenArgs" },
    annotations: { ...tool.annotations, idempotent: false },
    members: {
      params: "recordScreenParams",
      result: "recordScreenResult",
      agentCall: "recordScreenToolCall",
      exec: { args: "recordScreenArgs", result: "recordScreenResult" },
    },
    alike: () => ({ tools: [tool.name] }),
  };
}

async function record(deps: ScreenDeps, args: JsonObject, context: ToolContext): Promise<JsonObject> {
  const { screens } = deps;
  const { id } = context.session;
  const wanted = textOf(args, "saveAsFilename");
  try {
    switch (textOf(args, "mode")) {
      case "RECORDING_MODE_START_RECORDING": {
        const wasPriorRecordingCancelled = await screens.startRecording(id);
        return { startSuccess: { wasPriorRecordingCancelled, wasSaveAsFilenameIgnored: wanted !== "" } };
      }
      case "RECORDING_MODE_SAVE_RECORDING":
        return await save(deps, wanted, context);
      default:
        if (await screens.discardRecording(id)) return { discardSuccess: {} };
        return { failure: { error: NOTHING } };
    }
  } catch (error) {
    context.signal.throwIfAborted();
    if (!(error instanceof AppError)) throw error;
    return { failure: { error: `${error.message}. Nothing was recorded; go on without a recording.` } };
  }
}

const NOTHING = "No recording is under way, so there was nothing to end. Start one first.";

async function save(deps: ScreenDeps, wanted: string, context: ToolContext): Promise<JsonObject> {
  const ended = await deps.screens.finishRecording(context.session.id);
  if (ended === undefined) return { failure: { error: NOTHING } };
  const [root] = deps.rootsOf(context.session);
  if (root === undefined) throw new AppError("forbidden", "there is no workspace here");
  const hasSlash = /[/\\]/.test(wanted);
  const name = hasSlash || wanted === "" || wanted.startsWith(".") ? `recording-${context.toolCallId}` : wanted;
  const saved = await place(path.join(root, DIRECTORY), name.replaceAll(/[^\w. -]/g, "_"), ended.file);
  return {
    saveSuccess: {
      path: `${DIRECTORY}/${saved}`,
      recordingDurationMs: String(ended.durationMs),
      ...(hasSlash
        ? { requestedFilePathRejectedReason: "REQUESTED_FILE_PATH_REJECTED_REASON_SLASHES_NOT_ALLOWED" }
        : {}),
    },
  };
}

/** Puts a film under a name that is not taken: nothing is written over. */
async function place(directory: string, name: string, file: string): Promise<string> {
  await mkdir(directory, { recursive: true });
  const stem = name.replace(/\.mp4$/i, "");
  for (let number = 1; number <= MAX_NAMES; number += 1) {
    const candidate = `${stem}${number === 1 ? "" : `-${number}`}.mp4`;
    try {
      await copyFile(file, path.join(directory, candidate), constants.COPYFILE_EXCL);
      await rm(file, { force: true });
      return candidate;
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    }
  }
  throw new AppError("conflict", `there are ${MAX_NAMES} recordings named ${stem} already`);
}

function toResult(_: JsonObject, outcome: CallOutcome): JsonObject {
  return outcome.kind === "succeeded" ? outcome.result : { failure: { error: failureText(outcome) } };
}
