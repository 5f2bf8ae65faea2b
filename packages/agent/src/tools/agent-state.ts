import { mkdir } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { AppError, Clock } from "@quarry/base";
import { findAgentTask, type AgentPlan, type Database } from "@quarry/store";
import { createModelRunner, type SubagentModel } from "../subagents/model-runner.ts";
import { listFileResults } from "../subagents/file-results.ts";
import { SubagentTasks } from "../subagents/subagent-tasks.ts";
import type { ToolRuntime } from "../tool-runtime.ts";
import type { Tool } from "../tool.ts";
import type { WorkspaceDeps } from "../workspace/workspace-deps.ts";
import { writeWholeFile } from "../workspace/write-file.ts";
import { askQuestionTool } from "./ask-question/ask-question.ts";
import { awaitTaskTool } from "./await-task/await-task.ts";
import { backgroundComposerFollowupTool } from "./background-composer-followup/background-composer-followup.ts";
import { createPlanTool } from "./create-plan/create-plan.ts";
import { knowledgeBaseTool } from "./knowledge-base/knowledge-base.ts";
import { readProjectTool } from "./read-project/read-project.ts";
import { reportBugfixResultsTool } from "./report-bugfix-results/report-bugfix-results.ts";
import { switchModeTool } from "./switch-mode/switch-mode.ts";
import { taskTool } from "./task/task.ts";
import { taskV2Tool } from "./task-v2/task-v2.ts";
import { todoReadTool } from "./todo-read/todo-read.ts";
import { todoWriteTool } from "./todo-write/todo-write.ts";
import { updateProjectTool } from "./update-project/update-project.ts";

/** What the state of agents is made of. */
export interface AgentStateOptions {
  readonly db: Database;
  readonly clock: Clock;
  /** What sub-agents think with; undefined when no language model is set. */
  readonly model: SubagentModel | undefined;
  readonly workspace: Pick<WorkspaceDeps, "rootsOf" | "history">;
  /** Where plans are put for people to open. */
  readonly plansDirectory: string;
  /** How long task_v2 waits before its sub-agent goes on in the background. */
  readonly foregroundMs?: number;
  readonly onFailure: (error: AppError) => void;
}

/**
 * The tools that keep what agents know and do, and the sub-agents behind them. They make calls themselves, so they
 * must be given the runtime that has them among its tools before any call comes.
 */
export class AgentState {
  readonly tools: readonly Tool[];
  readonly #tasks: SubagentTasks;
  readonly #db: Database;
  #runtime: ToolRuntime | undefined;

  constructor(options: AgentStateOptions) {
    const { db, clock, model, workspace, onFailure } = options;
    this.#db = db;
    const runtime = (): ToolRuntime => {
      if (this.#runtime === undefined) throw new Error("the state of agents was not given its runtime");
      return this.#runtime;
    };
    const startCall: ToolRuntime["call"] = (request) => runtime().call(request);
    this.#tasks = new SubagentTasks({
      db,
      clock,
      onFailure,
      startCall,
      runner: model === undefined ? undefined : createModelRunner(model),
      cancelCall: (session, toolCallId) => runtime().cancel(session, toolCallId),
      tools: () => runtime().deps.registry.all,
      fileResults: async (session) =>
        // What a machine far away changed is in its own history.
        session.machine !== null
          ? []
          : listFileResults(
              workspace.history,
              session.id,
              rootsOrNone(() => workspace.rootsOf(session)),
            ),
    });
    const state = { db, clock, startCall };
    const plans = {
      db,
      clock,
      showPlan: (plan: Pick<AgentPlan, "fileName" | "text">) => showPlan(options.plansDirectory, plan),
    };
    const tasks = {
      db,
      tasks: this.#tasks,
      watch: (taskId: string) => runtime().changes.watchCall(taskId),
      rootsOf: workspace.rootsOf,
    };
    this.tools = [
      todoReadTool(state),
      todoWriteTool(state),
      taskTool(tasks),
      taskV2Tool(tasks, options.foregroundMs === undefined ? {} : { foregroundMs: options.foregroundMs }),
      awaitTaskTool(tasks),
      backgroundComposerFollowupTool(state),
      createPlanTool(plans),
      readProjectTool(state),
      updateProjectTool(plans),
      switchModeTool(state),
      askQuestionTool(state),
      knowledgeBaseTool(state),
      reportBugfixResultsTool(state),
    ];
  }

  /** Gives the tools their runtime, and ends the tasks that a dead process left. */
  async start(runtime: ToolRuntime): Promise<void> {
    this.#runtime = runtime;
    await this.#tasks.start();
  }

  /** The session in which a sub-agent of a session works, by its task's id; undefined for another's. */
  async agentSessionOf(parentSessionId: string, agentId: string): Promise<string | undefined> {
    const task = await findAgentTask(this.#db, parentSessionId, agentId);
    return task?.sessionId ?? undefined;
  }

  /** Ends the sub-agents of this process; before their calls end by themselves. */
  close(): Promise<void> {
    return this.#tasks.close();
  }
}

/** A session outside of every root changes nothing there. */
function rootsOrNone(roots: () => readonly string[]): readonly string[] {
  try {
    return roots();
  } catch {
    return []; // a server without a workspace
  }
}

async function showPlan(directory: string, { fileName, text }: Pick<AgentPlan, "fileName" | "text">): Promise<string> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const file = path.join(directory, fileName);
  await writeWholeFile(file, Buffer.from(text, "utf8"), 0o600);
  return pathToFileURL(file).href;
}
