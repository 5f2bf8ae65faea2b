import type { JsonObject } from "@bufbuild/protobuf";
import { AppError } from "@quarry/base";
import { ClientSideToolV2 } from "@quarry/contract";
import type { AgentTask } from "@quarry/store";
import type { Tool, ToolContext, ToolOutput } from "../../tool.ts";
import { stateTool } from "../state-tool.ts";
import { textOf, textsOf } from "../workspace-tool.ts";
import { beginTask, TASK_RUN_MS, toCompleted, untilEnded, type TaskDeps } from "./begin-task.ts";

/** aiserver.v1 Task: a sub-agent does a task, and its summary comes back; with `async` its id does, at once. */
export function taskTool(deps: TaskDeps): Tool {
  return stateTool({
    name: "task",
    clientTool: ClientSideToolV2.TASK,
    title: "Give a task to a sub-agent",
    description:
      "Gives a task to a sub-agent, which works by the same rules and answers with a summary. With async it works on in the background; await_task gives the result.",
    messages: "Task",
    properties: {
      taskDescription: { type: "string", minLength: 1, maxLength: 100_000, description: "All that it must know" },
      taskTitle: { type: "string", maxLength: 200, description: "A few words, shown where people are asked" },
      async: { type: "boolean", description: "Do not wait for it" },
      allowedWriteDirectories: {
        type: "array",
        items: { type: "string", minLength: 1 },
        description: "It writes below these alone, and runs no programs",
      },
      modelOverride: { type: "string", description: "Another model of the same server" },
      maxModeOverride: { type: "boolean", description: "Gives it all the turns there are" },
      defaultExpandedWhileRunning: { type: "boolean", description: "Shows it opened while it runs" },
    },
    required: ["taskDescription"],
    runMs: TASK_RUN_MS,
    look: (args) => Promise.resolve({ notes: [titleOf(args)] }),
    run: (args, context) => runTask(deps, args, context),
    refuse: (args, reason) =>
      args["async"] === true
        ? { asyncTaskResult: { userAborted: true } }
        : {
            completedTaskResult: { summary: `A person stopped the task before it began: ${reason}`, userAborted: true },
          },
  });
}

async function* runTask(
  deps: TaskDeps,
  args: JsonObject,
  context: ToolContext,
): AsyncGenerator<ToolOutput, JsonObject> {
  const isBackground = args["async"] === true;
  const model = textOf(args, "modelOverride");
  const task = await beginTask(
    deps,
    {
      title: titleOf(args),
      agentName: titleOf(args),
      mode: "agent",
      isBackground,
      writeDirectories: textsOf(args, "allowedWriteDirectories"),
      request: {
        prompt: textOf(args, "taskDescription"),
        kind: "",
        model: model === "" ? undefined : model,
        isMax: args["maxModeOverride"] === true,
        isExpanded: args["defaultExpandedWhileRunning"] === true,
      },
    },
    context,
  );
  if (isBackground) return { asyncTaskResult: { taskId: task.id, subagentErrored: task.state === "errored" } };
  yield { kind: "progress", message: `The sub-agent works on "${task.title}".` };
  const ended = await finish(deps, task, context);
  return { completedTaskResult: toCompleted(ended) };
}

/** Waits for a task that its caller waits for; who leaves stops it. */
async function finish(deps: TaskDeps, task: AgentTask, { teamId, session, signal }: ToolContext): Promise<AgentTask> {
  try {
    const key = { teamId, parentSessionId: session.id };
    const [ended] = await untilEnded(deps, key, [task.id], signal);
    if (ended === undefined) throw new Error("a task was there and is not");
    return ended;
  } catch (error) {
    const { reason } = signal as { readonly reason: unknown };
    if (signal.aborted) {
      deps.tasks.stop(task.id, reason instanceof AppError ? reason : new AppError("timeout", "its time was up"));
    }
    throw error;
  }
}

function titleOf(args: JsonObject): string {
  const title = textOf(args, "taskTitle");
  if (title !== "") return title;
  const [line = ""] = textOf(args, "taskDescription").trim().split("\n");
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}
