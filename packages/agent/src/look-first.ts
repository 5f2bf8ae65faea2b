import { linkAbort } from "@quarry/base";
import { makeToolCallId, recordToolCall } from "@quarry/store";
import { acceptCall, isSameCall, newCall, otherCall, type AcceptedCall } from "./accept-call.ts";
import { endedCall, endOf } from "./end-call.ts";
import { finishCall, runTool } from "./execute-call.ts";
import type { JudgedCall } from "./judged-call.ts";
import type { CallEvent, CallRequest, EndedCall, SpineDeps } from "./spine.ts";
import type { CallOutcome, ToolOutput } from "./tool.ts";

/** How long a call that only looks may take before it is written down as running. */
const LOOK_MS = 20;

/** Over; or what the session knows of that id already, or why it was not kept. */
export type LookedCall = { readonly kind: "ended"; readonly ended: EndedCall } | AcceptedCall;

/** Whether a call changes nothing, here, and may run at once: nothing is lost when it runs again. */
export function onlyLooks({ tool, verdict, context }: JudgedCall): boolean {
  const { session } = context;
  return (
    tool.tier === "read" &&
    tool.annotations.readOnly &&
    tool.takeAnswer === undefined &&
    verdict.decision === "allow" &&
    session.closedAt === null &&
    session.machine === null
  );
}

/**
 * Runs a call that only looks, and writes it down once, together with its end: half
 * of the way to the disk and back that other calls take. One that takes longer than
 * LOOK_MS is written down as running, so that others can see it and call it off.
 * Nothing is told before the session has kept it.
 */
export async function* lookFirst(
  deps: SpineDeps,
  request: CallRequest,
  judged: JudgedCall,
  signal: AbortSignal,
): AsyncGenerator<CallEvent, LookedCall> {
  const { session } = judged.context;
  const asked = newCall(request, judged);
  const startedAt = deps.clock.now();
  const running = linkAbort(signal); // a signal of this call alone, which goes with it
  const run = runTool(
    deps,
    { ...asked, runArgs: asked.args },
    {
      timeoutMs: request.timeoutMs,
      turnId: request.turnId,
      session,
      approval: undefined,
      signal: running.signal,
    },
  );
  const early = await runFor(run, LOOK_MS);
  if (early.outcome === undefined) {
    const accepted = await acceptCall(deps, request, judged);
    if (accepted.kind !== "kept" || !accepted.isNew) {
      running.abort(new Error("the call was not kept"));
      return accepted;
    }
    yield { kind: "accepted", call: accepted.call, isRepeated: false };
    yield* early.said;
    const ran = yield* goOn(run, early.next);
    const ended = await finishCall(deps, accepted.call, ran, { session, turnId: request.turnId, approval: undefined });
    return { kind: "ended", ended };
  }
  const { tool, argsHash, caller, isInternal, toolCallId, sessionId } = asked;
  const about = { tool, argsHash, turnId: request.turnId };
  const outcome = await deps.attach(session, early.outcome, about);
  const now = deps.clock.now();
  const id = makeToolCallId(startedAt);
  const allowedBy = judged.verdict.rule.id;
  const row = { id, sessionId, toolCallId, tool, argsHash, allowedBy, caller, isInternal, startedAt };
  const end = endOf({ ...row, createdAt: startedAt, runArgs: asked.args }, outcome, { now });
  const kept = await recordToolCall(deps.db, { ...asked, id, allowedBy, startedAt, end }, now);
  if (kept.kind === "stale") return kept;
  if (!isSameCall(kept.call, asked)) return { kind: "refused", ended: otherCall(judged, request) };
  if (!kept.isNew) return kept;
  yield { kind: "accepted", call: kept.call, isRepeated: false };
  yield* early.said;
  return { kind: "ended", ended: endedCall(kept.call) };
}

type Run = AsyncGenerator<ToolOutput, CallOutcome>;
type Step = Promise<IteratorResult<ToolOutput, CallOutcome>>;

/** What a run says within a time, and its outcome; or, when it goes on, the step that was waited for. */
type EarlyRun =
  | { readonly said: readonly ToolOutput[]; readonly outcome: CallOutcome }
  | { readonly said: readonly ToolOutput[]; readonly outcome: undefined; readonly next: Step };

async function runFor(run: Run, ms: number): Promise<EarlyRun> {
  const said: ToolOutput[] = [];
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<"late">((resolve) => {
    timer = setTimeout(() => resolve("late"), ms);
  });
  try {
    for (;;) {
      const next = run.next();
      const step = await Promise.race([next, late]);
      if (step === "late") return { said, outcome: undefined, next };
      if (step.done === true) return { said, outcome: step.value };
      said.push(step.value);
    }
  } finally {
    clearTimeout(timer);
  }
}

async function* goOn(run: Run, first: Step): AsyncGenerator<ToolOutput, CallOutcome> {
  for (let step = await first; ; step = await run.next()) {
    if (step.done === true) return step.value;
    yield step.value;
  }
}
