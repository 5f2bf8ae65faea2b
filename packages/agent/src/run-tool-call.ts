import { isToolCallEnded, type ToolCall } from "@quarry/store";
import { acceptCall } from "./accept-call.ts";
import { awaitGrant, followCall } from "./await-grant.ts";
import { decide } from "./decide.ts";
import { endedCall, endInvalid } from "./end-call.ts";
import { executeCall } from "./execute-call.ts";
import { gatherRules } from "./gather-rules.ts";
import { inspectCall } from "./inspect-call.ts";
import type { CallEvent, CallRequest, EndedCall, SpineDeps } from "./spine.ts";
import { validateCall } from "./validate-call.ts";

/**
 * The way of a tool call: validate, policy, approval where one is needed,
 * executor, outcome. Events on the way are yielded, the outcome is returned; the
 * generator throws only when `signal` aborts or the store fails. A call that its
 * session has seen before goes on from where it is.
 */
export async function* runToolCall(
  deps: SpineDeps,
  request: CallRequest,
  signal: AbortSignal,
): AsyncGenerator<CallEvent, EndedCall> {
  const valid = validateCall(deps.registry, request.given);
  if (valid.kind === "invalid") return endInvalid(deps, request, valid);

  const facts = await inspectCall(deps, request, valid, signal);
  const rules = await gatherRules(deps, request.session);
  const verdict = decide(rules, { tool: valid.tool.name, tier: valid.tool.tier, args: valid.args, facts });

  const accepted = await acceptCall(deps, request, { ...valid, facts, verdict });
  if (accepted.kind === "refused") return accepted.ended;
  yield { kind: "accepted", call: accepted.call, isRepeated: !accepted.isNew };
  return yield* driveCall(deps, accepted, { timeoutMs: request.timeoutMs, signal });
}

/** Brings a kept call to its end: for a new one, for one that is asked for again, and for one whose answer came. */
export async function* driveCall(
  deps: SpineDeps,
  kept: { readonly call: ToolCall; readonly isNew: boolean },
  options: { readonly timeoutMs: number | undefined; readonly signal: AbortSignal },
): AsyncGenerator<CallEvent, EndedCall> {
  const { call, isNew } = kept;
  if (isToolCallEnded(call.state)) return endedCall(call);
  const started =
    call.state === "awaiting-approval"
      ? yield* awaitGrant(deps, call, options.signal)
      : isNew
        ? call
        : await followCall(deps, call, options.signal);
  return isToolCallEnded(started.state) ? endedCall(started) : yield* executeCall(deps, started, options);
}
