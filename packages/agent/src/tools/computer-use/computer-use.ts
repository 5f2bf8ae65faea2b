import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { AppError } from "@quarry/base";
import { ClientSideToolV2, protocolMessage } from "@quarry/contract";
import { keepOutput } from "../../workspace/keep-output.ts";
import { runActions } from "../../screen/run-actions.ts";
import type { Screens } from "../../screen/screens.ts";
import type { CallOutcome, Tool, ToolContext } from "../../tool.ts";
import type { WorkspaceDeps } from "../../workspace/workspace-deps.ts";
import { failureText, workspaceTool } from "../workspace-tool.ts";

/** What the tools of the screen need. */
export interface ScreenDeps extends Pick<WorkspaceDeps, "rootsOf"> {
  readonly screens: Screens;
}

/** How many actions one call may have. */
const MAX_ACTIONS = 100;
/** Waits and held keys add up. */
const RUN_MS = 10 * 60_000;

/** aiserver.v1 ComputerUse: mouse and keyboard on the session's own screen, and a picture of it afterwards. */
export function computerUseTool(deps: ScreenDeps): Tool {
  const tool = workspaceTool(deps, {
    name: "computer_use",
    clientTool: ClientSideToolV2.COMPUTER_USE,
    title: "Use a computer",
    description:
      "Moves the mouse, clicks, types and looks at the session's own screen. Coordinates are pixels of the last screenshot; keys have xdotool's names.",
    tier: "exec",
    messages: "ComputerUse",
    properties: { actions: { type: "array", minItems: 1, maxItems: MAX_ACTIONS, items: actionSchema() } },
    required: ["actions"],
    pathsOf: () => [],
    look: (args) =>
      Promise.resolve({
        risk: "high",
        notes: [`${actionsOf(args).length} actions on a ${deps.screens.mode} of the session's own`],
      }),
    run: (args, context) => use(deps, args, context),
    refuse: (_, reason) => ({ error: { error: `The person declined: ${reason}`, actionCount: 0, durationMs: 0 } }),
    agent: { member: "computerUseToolCall", fromArgs: ({ actions = [] }) => ({ actions }), toResult },
  });
  return {
    ...tool,
    annotations: { ...tool.annotations, idempotent: false, openWorld: true },
    members: { ...tool.members, exec: { args: "computerUseArgs", result: "computerUseResult" } },
    runMs: RUN_MS,
    // One yes is enough for a session: its screen is its own.
    alike: () => ({ tools: [tool.name] }),
  };
}

async function use(deps: ScreenDeps, args: JsonObject, context: ToolContext): Promise<JsonObject> {
  const { session, signal, toolCallId } = context;
  const desk = await deps.screens.desk(session.id);
  const startedAt = performance.now();
  const done = await runActions(desk, actionsOf(args), signal);
  const [root] = deps.rootsOf(session);
  if (root === undefined) throw new AppError("forbidden", "there is no workspace here");
  const kept =
    done.shot === undefined
      ? {}
      : {
          screenshot: done.shot.webp.toString("base64"),
          screenshotPath: await keepOutput(
            { root, toolCallId },
            { index: 0, extension: "webp", bytes: done.shot.webp },
          ),
        };
  const told = {
    actionCount: done.count,
    durationMs: Math.round(performance.now() - startedAt),
    log: done.log.join("\n"),
    ...kept,
  };
  if (done.failure !== undefined) return { error: { ...told, error: done.failure } };
  return { success: { ...told, ...(done.cursor === undefined ? {} : { cursorPosition: { ...done.cursor } }) } };
}

function actionsOf(args: JsonObject): readonly JsonObject[] {
  return (Array.isArray(args["actions"]) ? args["actions"] : []).filter(isObject);
}

function toResult(_: JsonObject, outcome: CallOutcome): JsonObject {
  return outcome.kind === "succeeded" ? outcome.result : { error: { error: failureText(outcome) } };
}

/** One action has one member; the protocol's message knows which. */
function actionSchema(): JsonObject {
  const names = protocolMessage("agent.v1.ComputerUseAction").fields.map(({ jsonName }) => jsonName);
  return {
    type: "object",
    description: `One of ${names.join(", ")}`,
    properties: Object.fromEntries(names.map((name) => [name, { type: "object" }])),
    minProperties: 1,
    maxProperties: 1,
  };
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
