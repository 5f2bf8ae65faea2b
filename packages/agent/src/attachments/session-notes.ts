import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { CallOutcome } from "../tool.ts";
import type { ToolTier } from "../call-facts.ts";

/** What is remembered of a session's calls to know when its model should hear something. */
export interface SessionNotes {
  /** How often a call of these arguments failed since it last succeeded or anything was changed. */
  readonly failures: ReadonlyMap<string, number>;
  /** The turn of the last call; undefined for a call that was a turn of its own. */
  readonly turnId: string | undefined;
  readonly turnsSinceTodos: number;
  /** Turns of looking around since anything was changed. */
  readonly discoveryRounds: number;
  /** Background tasks whose end was not announced yet. */
  readonly openTasks: number;
}

/** One call that ended. */
export interface NotedCall {
  readonly tool: string;
  /** Unset for a tool that is not there. */
  readonly tier: ToolTier | undefined;
  /** Whether it looks around in the workspace. */
  readonly isDiscovery: boolean;
  readonly argsHash: string;
  readonly outcome: CallOutcome;
  readonly turnId: string | undefined;
}

/** What the model should hear with a call's result. */
export interface DueNotes {
  readonly reminder: "every-10-turns" | "after-edit" | undefined;
  readonly failedTimes: number;
  readonly discoveryRounds: number | undefined;
}

/** Nothing has happened. */
export const NO_NOTES: SessionNotes = {
  failures: new Map(),
  turnId: undefined,
  turnsSinceTodos: 0,
  discoveryRounds: 0,
  openTasks: 0,
};

/** A reminder to keep the list of todos comes every so many turns without a write to it. */
export const REMINDER_TURNS = 10;
/** After so many identical failures the model is told to try something else. */
export const NUDGE_FAILURES = 3;
/** How many turns of looking around are thought enough before something is done. */
export const DISCOVERY_ROUNDS = 20;
/** The budget is told of once half of it is used. */
const TOLD_FROM_ROUND = DISCOVERY_ROUNDS / 2;
const MAX_FAILURES_KEPT = 50;

/** Notes a call that ended, and says what its result should carry. */
export function noteCall(
  notes: SessionNotes,
  call: NotedCall,
): { readonly notes: SessionNotes; readonly due: DueNotes } {
  const { tool, outcome, argsHash, turnId } = call;
  const isNewTurn = turnId === undefined || turnId !== notes.turnId;
  const hasSucceeded = outcome.kind === "succeeded";
  const isChange = hasSucceeded && (call.tier === "write" || call.tier === "exec");
  const isTodoWrite = hasSucceeded && tool === "todo_write";

  const failures = isChange ? new Map<string, number>() : new Map(notes.failures);
  if (hasSucceeded) failures.delete(argsHash);
  if (outcome.kind === "failed") failures.set(argsHash, (failures.get(argsHash) ?? 0) + 1);
  const [oldest] = failures.keys();
  if (failures.size > MAX_FAILURES_KEPT && oldest !== undefined) failures.delete(oldest);

  const turnsSinceTodos = isTodoWrite ? 0 : notes.turnsSinceTodos + (isNewTurn ? 1 : 0);
  const isRound = call.isDiscovery && (isNewTurn || notes.discoveryRounds === 0);
  const discoveryRounds = isChange ? 0 : notes.discoveryRounds + (isRound ? 1 : 0);

  const isTenth = isNewTurn && turnsSinceTodos > 0 && turnsSinceTodos % REMINDER_TURNS === 0;
  const isEdit = hasSucceeded && call.tier === "write";
  return {
    notes: {
      failures,
      turnId,
      turnsSinceTodos,
      discoveryRounds,
      openTasks: notes.openTasks + (startsTask(outcome) ? 1 : 0),
    },
    due: {
      reminder: isEdit ? "after-edit" : isTenth ? "every-10-turns" : undefined,
      failedTimes: outcome.kind === "failed" ? (failures.get(argsHash) ?? 0) : 0,
      discoveryRounds: call.isDiscovery && discoveryRounds >= TOLD_FROM_ROUND ? discoveryRounds : undefined,
    },
  };
}

/** Whether a result tells of a sub-agent that works on in the background. */
function startsTask(outcome: CallOutcome): boolean {
  if (outcome.kind !== "succeeded") return false;
  const { asyncTaskResult, isBackground } = outcome.result;
  return isBackground === true || (isObject(asyncTaskResult) && asyncTaskResult["subagentErrored"] !== true);
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
