import {
  expireApprovals,
  findApprovalOfCall,
  followToolCall,
  getToolCall,
  type EndOfCall,
  type ToolCall,
} from "@quarry/store";
import { endOf, failed } from "./end-call.ts";
import { LEASE_MS, type CallEvent, type SpineDeps } from "./spine.ts";
import { toolError } from "./tool-error.ts";

/** How long to trust that no notification was missed. */
const LOOK_AGAIN_MS = 5_000;
/** How many overdue rows one look ends. */
const SWEEP_LIMIT = 100;

/** Waits until the call has its grant and takes it, or until the call is over. The row comes back as it is then. */
export async function* awaitGrant(
  deps: SpineDeps,
  call: ToolCall,
  signal: AbortSignal,
): AsyncGenerator<CallEvent, ToolCall> {
  const approval = await findApprovalOfCall(deps.db, call.id);
  if (approval?.state === "pending") yield { kind: "approval-needed", approval };
  const watch = deps.watchCall(call.id);
  try {
    for (;;) {
      const started = await tryToStart(deps, call);
      if (started !== undefined) return started;
      const fresh = await getToolCall(deps.db, call.id);
      if (fresh === undefined) throw new Error("a call was there and is not");
      if (fresh.state === "running") return await followCall(deps, fresh, signal);
      if (fresh.state !== "awaiting-approval") return fresh;
      if (approval !== undefined && approval.expiresAt <= deps.clock.now()) await endOverdue(deps, call.sessionId);
      else await watch.wait(LOOK_AGAIN_MS, signal);
    }
  } finally {
    watch.stop();
  }
}

function tryToStart(deps: SpineDeps, call: ToolCall): Promise<ToolCall | undefined> {
  const now = deps.clock.now();
  const leaseUntil = new Date(now.getTime() + LEASE_MS);
  const taking = { callId: call.id, argsHash: call.argsHash, runnerId: deps.runnerId, leaseUntil };
  return deps.store.takeGrant(deps.db, taking, now);
}

/** Waits for the end of a call that someone else runs; one whose runner died ends as lost. */
export async function followCall(deps: SpineDeps, call: ToolCall, signal: AbortSignal): Promise<ToolCall> {
  const watch = deps.watchCall(call.id);
  try {
    for (;;) {
      const fresh = await followToolCall(deps.db, call.id);
      if (fresh === undefined) throw new Error("a call was there and is not");
      if (fresh.state !== "running") return fresh;
      if (fresh.leaseUntil !== null && fresh.leaseUntil < deps.clock.now()) await endLost(deps, fresh);
      else await watch.wait(LOOK_AGAIN_MS, signal);
    }
  } finally {
    watch.stop();
  }
}

/** Ends a call whose process died. It may have had its effect, so it is not run again. */
export async function endLost(deps: SpineDeps, call: ToolCall): Promise<void> {
  const now = deps.clock.now();
  const error = toolError(
    `${call.tool} was interrupted`,
    `The server stopped while ${call.tool} ran; whether it took effect is not known.`,
    "Look before you call it again, with a new tool_call_id.",
  );
  await deps.store.endToolCall(
    deps.db,
    { ...endOf(call, failed(error), { now }), callId: call.id, from: ["running"] },
    now,
  );
}

/** Ends what nobody answered or came back for in time, of one session or of all; the calls that ended. */
export function endOverdue(deps: SpineDeps, sessionId?: string): Promise<readonly string[]> {
  const now = deps.clock.now();
  const error = toolError(
    "the approval expired",
    "Nobody approved the call in time, so it was not run.",
    "Ask the person, then call again with a new tool_call_id.",
  );
  const lapse: EndOfCall = (call) => endOf(call, failed(error), { now, decidedBy: "expiry" });
  return expireApprovals(deps.db, lapse, now, { sessionId, limit: SWEEP_LIMIT });
}
