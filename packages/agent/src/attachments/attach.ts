import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { Clock } from "@quarry/base";
import { listResultsAfter, takeEndedTasks, type AgentTask, type Database, type ToolSession } from "@quarry/store";
import type { ToolRegistry } from "../tool-registry.ts";
import type { CallOutcome } from "../tool.ts";
import {
  DISCOVERY_ROUNDS,
  NO_NOTES,
  noteCall,
  NUDGE_FAILURES,
  type DueNotes,
  type NotedCall,
  type SessionNotes,
} from "./session-notes.ts";

/** Adds to an outcome what the model should hear beside it; most outcomes stay as they are. */
export type Attach = (
  session: ToolSession,
  outcome: CallOutcome,
  about: { readonly tool: string; readonly argsHash: string; readonly turnId: string | undefined },
) => Promise<CallOutcome>;

/** How many sessions are remembered; the one heard of longest ago goes first and is read again when it comes back. */
const MAX_SESSIONS = 1_000;
/** How far back a session is read that this process has not heard of. */
const READ_BACK = 50;

/** Remembers, session by session, what makes reminders due. A hint may be told anew after a restart, or not; results never change. */
export function createAttach(deps: {
  readonly db: Database;
  readonly clock: Clock;
  readonly registry: Pick<ToolRegistry, "byName">;
}): Attach {
  const kept = new Map<string, SessionNotes>();
  const noted = (call: Omit<NotedCall, "tier" | "isDiscovery">): NotedCall => {
    const tool = deps.registry.byName(call.tool);
    return { ...call, tier: tool?.tier, isDiscovery: tool?.tier === "read" && tool.place === "workspace" };
  };
  const readBack = async (session: ToolSession): Promise<SessionNotes> => {
    if (session.lastSequence === 0) return NO_NOTES;
    const calls = await listResultsAfter(deps.db, session.id, Math.max(0, session.lastSequence - READ_BACK), READ_BACK);
    return calls.reduce((notes, { tool, argsHash, outcome }) => {
      const told = outcome as unknown as CallOutcome; // written by end-call.ts
      return noteCall(notes, noted({ tool, argsHash, outcome: told, turnId: undefined })).notes;
    }, NO_NOTES);
  };
  return async (session, outcome, about) => {
    const before = kept.get(session.id) ?? (await readBack(session));
    const { notes, due } = noteCall(before, noted({ ...about, outcome }));
    const ended = notes.openTasks > 0 ? await takeEndedTasks(deps.db, session.id, deps.clock.now()) : [];
    kept.delete(session.id);
    kept.set(session.id, { ...notes, openTasks: Math.max(0, notes.openTasks - ended.length) });
    const [oldest] = kept.keys();
    if (kept.size > MAX_SESSIONS && oldest !== undefined) kept.delete(oldest);
    const attachments = toAttachments({ session, outcome, tool: about.tool, due, ended });
    return Object.keys(attachments).length === 0 ? outcome : { ...outcome, attachments };
  };
}

/** aiserver.v1.ToolResultAttachments, as protobuf JSON; what is not due is left out. */
function toAttachments(of: {
  readonly session: ToolSession;
  readonly outcome: CallOutcome;
  readonly tool: string;
  readonly due: DueNotes;
  readonly ended: readonly AgentTask[];
}): JsonObject {
  const { session, outcome, tool, due, ended } = of;
  const nudges = [...failureNudges(tool, due), ...ended.map(announce)].map((rawMessage) => ({ rawMessage }));
  const reminder = reminderOf(session, due);
  return {
    ...(tool === "todo_write" && outcome.kind === "succeeded" ? todosOf(outcome.result) : {}),
    ...(nudges.length === 0 ? {} : { nudgeMessages: nudges }),
    ...(reminder === undefined ? {} : { shouldShowTodoWriteReminder: true, todoReminderType: reminder }),
    ...(due.discoveryRounds === undefined ? {} : { discoveryBudgetReminder: budgetOf(due.discoveryRounds) }),
  };
}

function todosOf({ initialTodos = [], finalTodos = [] }: JsonObject): JsonObject {
  return { originalTodos: initialTodos, updatedTodos: finalTodos };
}

function failureNudges(tool: string, { failedTimes }: DueNotes): readonly string[] {
  if (failedTimes === 0 || failedTimes % NUDGE_FAILURES !== 0) return [];
  return [
    `This call of ${tool} has failed ${failedTimes} times with the same arguments. ` +
      "Do not repeat it: read the error, look at what it is about, and try another way, or tell the person.",
  ];
}

function announce({ id, title, state }: AgentTask): string {
  const how = { completed: "is done", aborted: "was stopped by a person", errored: "failed", running: "runs" }[state];
  return `The sub-agent of "${title}" ${how}; await_task with the id ${id} gives its result.`;
}

/** A sub-agent has no list of its own; without open todos an edit is no reason to look at them. */
function reminderOf(session: ToolSession, { reminder }: DueNotes): string | undefined {
  if (session.agentName !== null || reminder === undefined) return undefined;
  if (reminder === "every-10-turns") return "TODO_REMINDER_TYPE_EVERY_10_TURNS";
  return hasOpenTodos(session.todos as JsonValue) ? "TODO_REMINDER_TYPE_AFTER_EDIT" : undefined;
}

function hasOpenTodos(todos: JsonValue): boolean {
  const isOpen = (todo: JsonValue): boolean =>
    typeof todo === "object" &&
    todo !== null &&
    !Array.isArray(todo) &&
    (todo["status"] === "pending" || todo["status"] === "in_progress");
  return Array.isArray(todos) && todos.some(isOpen);
}

function budgetOf(rounds: number): JsonObject {
  const left = Math.max(0, DISCOVERY_ROUNDS - rounds);
  return { discoveryRoundsRemaining: left, discoveryEffort: left === 0 ? "exhausted" : "high" };
}
