import { endToolCall, findToolCall, type ToolSession } from "@quarry/store";
import { endOf } from "./end-call.ts";
import type { SpineDeps } from "./spine.ts";

/** Ends a call as cancelled and withdraws its approval; false when it had ended, or there is none. Whoever runs it must stop by themselves. */
export async function cancelCall(deps: SpineDeps, session: ToolSession, toolCallId: string): Promise<boolean> {
  const call = await findToolCall(deps.db, session.id, toolCallId);
  if (call === undefined) return false;
  const now = deps.clock.now();
  const end = endOf(call, { kind: "cancelled" }, { now, decidedBy: call.allowedBy ?? "cancelled" });
  const ended = await endToolCall(deps.db, { ...end, callId: call.id, from: ["awaiting-approval", "running"] }, now);
  return ended !== undefined;
}
