import path from "node:path";
import type { JsonObject } from "@bufbuild/protobuf";
import { AppError } from "@quarry/base";
import {
  getToolSession,
  listAgentTasks,
  type AgentTask,
  type Database,
  type SessionMode,
  type ToolSession,
} from "@quarry/store";
import type { CallWatch } from "../../call-changes.ts";
import type { SubagentTasks, TaskRequest } from "../../subagents/subagent-tasks.ts";
import { ToolFailure, toolError } from "../../tool-error.ts";
import type { ToolContext, ToolPlace } from "../../tool.ts";
import { resolvePath } from "../../workspace/resolve-path.ts";

/** What the tools of sub-agents share. */
export interface TaskDeps {
  readonly db: Database;
  readonly tasks: Pick<SubagentTasks, "begin" | "stop" | "canBegin">;
  /** Hears of a task's end, in whichever process. */
  readonly watch: (taskId: string) => CallWatch;
  readonly rootsOf: (session: ToolPlace) => readonly string[];
}

/** How long a call may wait for sub-agents. */
export const TASK_RUN_MS = 30 * 60_000;
/** How long to trust that no notification was missed. */
const LOOK_AGAIN_MS = 5_000;

/** Begins a sub-agent's task within the bounds of whoever asks. Throws the two sentences when nothing here can think. */
export async function beginTask(
  deps: TaskDeps,
  wish: {
    readonly title: string;
    readonly agentName: string;
    readonly mode: SessionMode;
    readonly isBackground: boolean;
    readonly writeDirectories: readonly string[];
    readonly request: TaskRequest;
  },
  context: ToolContext,
): Promise<AgentTask> {
  if (!deps.tasks.canBegin) throw new ToolFailure(NO_MODEL);
  const parent = await getToolSession(deps.db, context.teamId, context.session.id);
  const place = await placeOf(deps, parent, wish.writeDirectories);
  return deps.tasks.begin({
    ...wish,
    ...place,
    teamId: context.teamId,
    parent,
    toolCallId: context.toolCallId,
    // Who may change nothing starts nobody who may.
    mode: parent.mode === "agent" ? wish.mode : parent.mode,
  });
}

/** Waits until these tasks of the session have ended, and gives them; unknown ones are left out. Rejects when `signal` aborts. */
export async function untilEnded(
  deps: Pick<TaskDeps, "db" | "watch">,
  key: { readonly teamId: string; readonly parentSessionId: string },
  ids: readonly string[],
  signal: AbortSignal,
): Promise<readonly AgentTask[]> {
  const watches = ids.map((id) => deps.watch(id));
  try {
    for (;;) {
      const tasks = await listAgentTasks(deps.db, key, ids);
      const open = tasks.find(({ state }) => state === "running");
      if (open === undefined) return tasks;
      await watches[ids.indexOf(open.id)]?.wait(LOOK_AGAIN_MS, signal);
    }
  } finally {
    for (const watch of watches) watch.stop();
  }
}

/** A task that ended as TaskResult.CompletedTaskResult. */
export function toCompleted(task: AgentTask): JsonObject {
  return {
    summary: task.summary ?? "",
    fileResults: task.fileResults as JsonObject[], // written by subagent-tasks.ts
    userAborted: task.state === "aborted",
    subagentErrored: task.state === "errored",
  };
}

/** What a caller hears who wants a sub-agent where nothing can think. */
const NO_MODEL = toolError(
  "no language model is set: set QUARRY_LLM_URL (and QUARRY_LLM_MODEL) to let sub-agents work",
  "There is no language model here for a sub-agent to think with, so the task was not begun.",
  "Do it yourself, or ask the person to set QUARRY_LLM_URL to an OpenAI-compatible server.",
);

/** Where the sub-agent works, and where it may write: real directories of one root, relative to it. */
async function placeOf(
  deps: Pick<TaskDeps, "rootsOf">,
  parent: ToolSession,
  directories: readonly string[],
): Promise<{ readonly workspaceRoot: string; readonly writeDirectories: readonly string[] | undefined }> {
  const { workspaceRoot } = parent;
  if (directories.length === 0) return { workspaceRoot, writeDirectories: undefined };
  // A machine far away knows its own files; what its calls touch is told by their real paths all the same.
  if (parent.machine !== null) return { workspaceRoot, writeDirectories: directories.map(normalise) };
  const roots = deps.rootsOf(parent);
  const errors: unknown[] = [];
  for (const root of roots) {
    try {
      const places = await Promise.all(directories.map((each) => resolvePath([root], each)));
      return {
        workspaceRoot: roots.length === 1 ? workspaceRoot : root,
        writeDirectories: places.map(({ relative }) => relative || "."),
      };
    } catch (error) {
      errors.push(error);
    }
  }
  const why = AppError.from(errors[0]).message;
  throw new AppError("invalid_request", `allowedWriteDirectories: name directories of one workspace root (${why})`);
}

function normalise(directory: string): string {
  const clean = path.posix.normalize(directory).replace(/\/$/, "");
  if (path.posix.isAbsolute(clean) || clean === ".." || clean.startsWith("../")) {
    throw new AppError("invalid_request", `allowedWriteDirectories: ${directory} must be relative to the workspace`);
  }
  return clean;
}
