import type { JsonObject } from "@bufbuild/protobuf";
import { AppError } from "@quarry/base";
import { ClientSideToolV2 } from "@quarry/contract";
import { findAgentTask, type AgentTask, type SessionMode } from "@quarry/store";
import type { CallOutcome, Tool, ToolContext, ToolOutput } from "../../tool.ts";
import { isJsonObject, stateTool } from "../state-tool.ts";
import { beginTask, untilEnded, type TaskDeps } from "../task/begin-task.ts";
import { failureText, textOf } from "../workspace-tool.ts";

/** How long the caller waits before the sub-agent goes on in the background. */
const FOREGROUND_MS = 20_000;

/** Kinds of sub-agents that change nothing. */
const LOOKERS: ReadonlySet<string> = new Set(["explore", "media_review", "cursor_guide"]);

/**
 * aiserver.v1 TaskV2: a sub-agent of a kind. A quick one is over when the answer comes; any other works on, and
 * await_task gives its result by its id.
 */
export function taskV2Tool(deps: TaskDeps, options: { readonly foregroundMs?: number } = {}): Tool {
  return stateTool({
    name: "task_v2",
    clientTool: ClientSideToolV2.TASK_V2,
    title: "Start a sub-agent",
    description:
      "Starts a sub-agent of a kind (explore changes nothing, shell runs programs). await_task with its id gives what it says in the end.",
    messages: "TaskV2",
    properties: {
      description: { type: "string", maxLength: 500, description: "What it is about, in a few words" },
      prompt: { type: "string", minLength: 1, maxLength: 100_000, description: "All that it must know" },
      subagentType: { type: "string", maxLength: 100, description: "explore, shell, or a name of yours" },
      model: { type: "string", description: "Another model of the same server" },
      name: { type: "string", maxLength: 200, description: "What it is called where people are asked" },
      mode: { type: "string", enum: ["TASK_MODE_UNSPECIFIED", "TASK_MODE_AGENT", "TASK_MODE_PLAN"] },
    },
    required: ["prompt"],
    look: (args) =>
      Promise.resolve({ notes: [nameOf(args), textOf(args, "description")].filter((note) => note !== "") }),
    run: (args, context) => runTask(deps, args, context, options.foregroundMs ?? FOREGROUND_MS),
    agent: { member: "taskToolCall", fromArgs, toResult },
  });
}

async function* runTask(
  deps: TaskDeps,
  args: JsonObject,
  context: ToolContext,
  foregroundMs: number,
): AsyncGenerator<ToolOutput, JsonObject> {
  const kind = textOf(args, "subagentType");
  const model = textOf(args, "model");
  const prompt = await resumedPrompt(deps, textOf(args, "prompt"), context);
  const task = await beginTask(
    deps,
    {
      title: textOf(args, "description") || nameOf(args),
      agentName: nameOf(args),
      mode: modeOf(args),
      isBackground: true,
      writeDirectories: [],
      request: {
        prompt,
        kind,
        model: model === "" ? undefined : model,
        isMax: false,
        isExpanded: false,
      },
    },
    context,
  );
  yield { kind: "progress", message: `The sub-agent ${nameOf(args)} works.` };
  const ended = await endedWithin(deps, task, context, foregroundMs);
  if (ended?.state === "errored") throw new AppError("unprocessable", ended.summary ?? "the sub-agent failed");
  if (ended !== undefined) yield { kind: "output", channel: "partial-result", text: ended.summary ?? "" };
  return { agentId: task.id, isBackground: ended === undefined };
}

/** How the wish to go on with an earlier sub-agent travels: TaskV2 has no field for what agent.v1 calls `resume`. */
const RESUMED = /^\[resume ([\w-]{1,80})\]\n/;

/**
 * What a sub-agent that goes on with an earlier one's task is told. Its conversation is not kept: what it was asked and
 * what it said in the end stand for it. Throws for one that this session did not start, and one that still works.
 */
async function resumedPrompt(deps: Pick<TaskDeps, "db">, prompt: string, { session }: ToolContext): Promise<string> {
  const id = RESUMED.exec(prompt)?.[1];
  if (id === undefined) return prompt;
  const earlier = await findAgentTask(deps.db, session.id, id);
  if (earlier === undefined) throw new AppError("not_found", `resume: this session started no sub-agent ${id}`);
  if (earlier.state === "running") {
    throw new AppError("conflict", `resume: ${id} still works; background_composer_followup tells it more`);
  }
  const { prompt: before } = earlier.request as unknown as { readonly prompt: string }; // written by subagent-tasks.ts
  return [
    "You go on with a task that you worked on before.",
    `You were asked: ${before.replace(RESUMED, "")}`,
    `You ended with: ${earlier.summary ?? ""}`,
    `Now: ${prompt.replace(RESUMED, "")}`,
  ].join("\n\n");
}

/** The task once it is over; undefined when it takes longer. */
async function endedWithin(
  deps: TaskDeps,
  task: AgentTask,
  { teamId, session, signal }: ToolContext,
  foregroundMs: number,
): Promise<AgentTask | undefined> {
  const enough = AbortSignal.timeout(foregroundMs);
  try {
    const key = { teamId, parentSessionId: session.id };
    const [ended] = await untilEnded(deps, key, [task.id], AbortSignal.any([signal, enough]));
    return ended;
  } catch (error) {
    signal.throwIfAborted(); // it goes on all the same: it has an id
    if (enough.aborted) return undefined;
    throw error;
  }
}

function nameOf(args: JsonObject): string {
  return textOf(args, "name") || textOf(args, "subagentType") || "sub-agent";
}

function modeOf(args: JsonObject): SessionMode {
  if (LOOKERS.has(textOf(args, "subagentType"))) return "ask";
  return textOf(args, "mode") === "TASK_MODE_PLAN" ? "plan" : "agent";
}

function fromArgs(args: JsonObject): JsonObject {
  const { description = "", model, subagentType, mode } = args;
  const resume = textOf(args, "resume");
  const [kind = ""] = isJsonObject(subagentType) ? Object.keys(subagentType) : [];
  const custom = isJsonObject(subagentType) ? subagentType["custom"] : undefined;
  const named = isJsonObject(custom) ? textOf(custom, "name") : "";
  return {
    description,
    prompt: `${resume === "" ? "" : `[resume ${resume}]\n`}${textOf(args, "prompt")}`,
    subagentType:
      named || (kind === "unspecified" ? "" : kind.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)),
    ...(model === undefined ? {} : { model }),
    ...(mode === undefined ? {} : { mode }),
  };
}

function toResult(_: JsonObject, outcome: CallOutcome): JsonObject {
  if (outcome.kind !== "succeeded") return { error: { error: failureText(outcome) } };
  const { agentId = "", isBackground = false } = outcome.result;
  return { success: { agentId, isBackground } };
}
