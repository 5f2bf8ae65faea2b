import { AppError } from "@quarry/base";
import { findToolCall, isToolCallEnded, type CallContext, type ToolCall } from "@quarry/store";
import { acceptCall } from "./accept-call.ts";
import { awaitGrant, followCall } from "./await-grant.ts";
import { endedCall, endInvalid, endUnfit } from "./end-call.ts";
import { executeCall } from "./execute-call.ts";
import { hashArgs } from "./hash-args.ts";
import { judgeCall } from "./judge-call.ts";
import { lookFirst, onlyLooks } from "./look-first.ts";
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
  if (valid.kind === "invalid") return noteEnd(deps, request, await endInvalid(deps, request, valid));

  const { teamId, id } = request.session;
  let context = await deps.contexts.get(teamId, id);
  for (let attempt = 1; ; attempt += 1) {
    const judgement = await judgeCall(deps, request, { ...valid, context }, signal);
    if (judgement.kind === "unfit") {
      // What it did may be why it cannot be looked at again, as for a text that it replaced.
      const known = await findToolCall(deps.db, id, request.toolCallId);
      if (known?.argsHash === hashArgs(valid.tool.name, valid.args)) {
        yield { kind: "accepted", call: known, isRepeated: true };
        const { timeoutMs, turnId } = request;
        return yield* driveCall(deps, { call: known, isNew: false }, { timeoutMs, turnId, signal });
      }
      return noteEnd(deps, request, await endUnfit(deps, request, { ...valid, error: judgement.error }));
    }
    const { judged } = judgement;
    const accepted = onlyLooks(judged)
      ? yield* lookFirst(deps, request, judged, signal)
      : await acceptCall(deps, request, judged);
    if (accepted.kind === "ended") return accepted.ended;
    if (accepted.kind === "refused") return noteEnd(deps, request, accepted.ended);
    if (accepted.kind === "kept") {
      yield { kind: "accepted", call: accepted.call, isRepeated: !accepted.isNew };
      return yield* driveCall(deps, accepted, {
        timeoutMs: request.timeoutMs,
        turnId: request.turnId,
        signal,
        context,
      });
    }
    if (attempt === MAX_JUDGEMENTS) throw new AppError("unavailable", "the rules change too fast", { retryable: true });
    context = await deps.contexts.renew(teamId, id);
  }
}

/** A call that ended before it was kept: the model should hear when it tries the same again and again. */
async function noteEnd(deps: SpineDeps, request: CallRequest, ended: EndedCall): Promise<EndedCall> {
  const { tool, args } = ended;
  const given = Object.keys(args).length > 0 ? args : { rawArgs: request.given.rawArgs };
  const about = { tool, argsHash: hashArgs(tool, given), turnId: request.turnId };
  return { ...ended, outcome: await deps.attach(request.session, ended.outcome, about) };
}

/** How often a call is judged anew because its rules changed meanwhile. */
const MAX_JUDGEMENTS = 5;

/** Brings a kept call to its end: for a new one, for one that is asked for again, and for one whose answer came. */
export async function* driveCall(
  deps: SpineDeps,
  kept: { readonly call: ToolCall; readonly isNew: boolean },
  options: {
    readonly timeoutMs: number | undefined;
    readonly turnId?: string | undefined;
    readonly signal: AbortSignal;
    /** What it was judged by just now. */
    readonly context?: CallContext;
  },
): AsyncGenerator<CallEvent, EndedCall> {
  const { call, isNew } = kept;
  if (isToolCallEnded(call.state)) return endedCall(call);
  const started =
    call.state === "awaiting-approval"
      ? yield* awaitGrant(deps, call, options.signal)
      : isNew
        ? call
        : await followCall(deps, call, options.signal);
  if (isToolCallEnded(started.state)) return endedCall(started);
  // Time has passed when it waited: the session may have changed.
  const { timeoutMs, turnId, signal } = options;
  const isJustJudged = started === call && options.context !== undefined;
  const context = isJustJudged ? options.context : await deps.contexts.renew(call.teamId, call.sessionId);
  return yield* executeCall(deps, started, { timeoutMs, turnId, signal, session: context.session });
}
