import { ClientSideToolV2 } from "@quarry/contract";
import { ToolFailure, toolError } from "../../tool-error.ts";
import type { Tool } from "../../tool.ts";
import { stateTool } from "../state-tool.ts";
import { TASK_RUN_MS, toCompleted, untilEnded, type TaskDeps } from "../task/begin-task.ts";
import { textsOf } from "../workspace-tool.ts";

/** aiserver.v1 AwaitTask: waits for sub-agents and gives what they said in the end. */
export function awaitTaskTool(deps: Pick<TaskDeps, "db" | "watch">): Tool {
  return stateTool({
    name: "await_task",
    clientTool: ClientSideToolV2.AWAIT_TASK,
    title: "Wait for sub-agents",
    description: "Waits until all of these tasks have ended, and gives their results.",
    messages: "AwaitTask",
    properties: {
      ids: { type: "array", maxItems: 50, items: { type: "string", minLength: 1 }, description: "The tasks' ids" },
    },
    required: [],
    isReadOnly: true,
    runMs: TASK_RUN_MS,
    run: async (args, { teamId, session, signal }) => {
      const ids = [...new Set(textsOf(args, "ids"))];
      if (ids.length === 0) throw new ToolFailure(NO_IDS);
      const tasks = await untilEnded(deps, { teamId, parentSessionId: session.id }, ids, signal);
      const known = new Map(tasks.map((task) => [task.id, task]));
      return {
        taskResults: ids.flatMap((taskId) => {
          const task = known.get(taskId);
          return task === undefined ? [] : [{ taskId, result: toCompleted(task) }];
        }),
        missingTaskIds: ids.filter((id) => !known.has(id)),
      };
    },
  });
}

const NO_IDS = toolError(
  "await_task: no task was named",
  "The argument ids is empty, so nothing was waited for.",
  "Give the ids that task and task_v2 returned.",
);
