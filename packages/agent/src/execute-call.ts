import type { JsonObject } from "@bufbuild/protobuf";
import { AppError, linkAbort } from "@quarry/base";
import { getToolCall, type Approval, type ToolCall, type ToolSession } from "@quarry/store";
import { endedCall, endOf, failed, grantOf } from "./end-call.ts";
import { modeRules } from "./gather-rules.ts";
import { showReview } from "./show-review.ts";
import { DEFAULT_RUN_MS, type CallEvent, type EndedCall, type SpineDeps } from "./spine.ts";
import { toolContext } from "./tool-context.ts";
import { toolError, toToolError, type ToolError } from "./tool-error.ts";
import { misplacedPath } from "./subagents/subagent-rules.ts";
import type { CallOutcome, Executor, Review, Tool, ToolContext, ToolOutput } from "./tool.ts";

interface RunOptions {
  readonly timeoutMs: number | undefined;
  readonly signal: AbortSignal;
  readonly session: ToolSession;
  /** The turn of the model that the call belongs to, where its caller says. */
  readonly turnId?: string | undefined;
}

/** Runs a call that this process has started, and keeps its outcome. When it was ended meanwhile, that outcome counts. */
export async function* executeCall(
  deps: SpineDeps,
  call: ToolCall,
  options: RunOptions,
): AsyncGenerator<CallEvent, EndedCall> {
  const approval = await grantOf(deps, call);
  return finishCall(deps, call, yield* runTool(deps, call, { ...options, approval }), { ...options, approval });
}

/** Keeps the outcome of a call that is written down as running. */
export async function finishCall(
  deps: SpineDeps,
  call: ToolCall,
  ran: CallOutcome,
  options: Pick<RunOptions, "session" | "turnId"> & { readonly approval: Approval | undefined },
): Promise<EndedCall> {
  const { approval } = options;
  const outcome = await deps.attach(options.session, withReview(deps, ran, { tool: call.tool, approval }), {
    tool: call.tool,
    argsHash: call.argsHash,
    turnId: options.turnId,
  });
  const now = deps.clock.now();
  const decidedBy = approval?.answeredBy ?? undefined;
  const end = endOf(call, outcome, {
    now,
    ...(decidedBy === undefined ? {} : { decidedBy }),
  });
  const ending = await deps.store.endToolCall(
    deps.db,
    { ...end, callId: call.id, from: ["running"], runnerId: deps.runnerId },
    now,
  );
  if (ending !== undefined) return endedCall({ ...call, ...ending });
  const ended = await getToolCall(deps.db, call.id);
  if (ended === undefined) throw new Error("a call was there and is not");
  return endedCall(ended);
}

/** A result of a call that a person let run says what they chose, where its message has a place for that. */
function withReview(
  deps: SpineDeps,
  outcome: CallOutcome,
  of: { readonly tool: string; readonly approval: Approval | undefined },
): CallOutcome {
  const tool = deps.registry.byName(of.tool);
  const review = of.approval?.review as unknown as Review | null | undefined; // written by answer-approval.ts
  if (outcome.kind !== "succeeded" || tool === undefined || review === null || review === undefined) return outcome;
  return { ...outcome, result: showReview(tool.result, outcome.result, { review, isAccepted: true }) };
}

/** Whatever a tool does comes back as an outcome; a limit of time ends this call alone. */
export async function* runTool(
  deps: SpineDeps,
  call: Pick<ToolCall, "tool" | "runArgs" | "toolCallId" | "caller">,
  options: RunOptions & { readonly approval: Approval | undefined },
): AsyncGenerator<ToolOutput, CallOutcome> {
  const tool = deps.registry.byName(call.tool);
  if (tool === undefined) {
    const happened = `The tool ${call.tool} is no longer there, so nothing was done.`;
    return failed(toolError(`there is no tool ${call.tool}`, happened, "Use another."));
  }
  const timeoutMs = options.timeoutMs ?? tool.runMs ?? DEFAULT_RUN_MS;
  const isLate = { now: false }; // few calls are: an error would cost each of them its stack
  const late = (): Error => {
    isLate.now = true;
    return new Error(`${tool.name} took too long`);
  };
  const limited = linkAbort(options.signal, { milliseconds: timeoutMs, late });
  try {
    const { session } = options;
    const [denial] = modeRules(session, tool).filter(({ match }) => match.tiers?.includes(tool.tier));
    if (denial !== undefined) return failed(forbiddenNow(tool.name, denial.reason));
    const { signal } = limited;
    const args = call.runArgs as unknown as JsonObject; // kept by accept-call.ts
    const { toolCallId, caller } = call;
    const { turnId, approval } = options;
    const context = toolContext(deps, { session, toolCallId, turnId, signal, caller, approval });
    const executor = deps.executorOf(tool, session);
    const misplaced = await findMisplaced({ executor, tool }, args, context);
    if (misplaced !== undefined) return failed(forbiddenNow(tool.name, misplaced));
    return yield* executor.run(args, context);
  } catch (error) {
    if (options.signal.aborted) return endOfAborted(tool.name, options.signal.reason);
    if (!isLate.now) return failed(toToolError(tool.name, error));
    const happened = `${tool.name} did not finish within ${timeoutMs} ms and was stopped.`;
    return failed(toolError(`${tool.name} timed out`, happened, "Ask for less, or give it more time."));
  } finally {
    limited.end();
  }
}

/** Where a sub-agent may write was judged before; a link may have been put in the way since. */
async function findMisplaced(
  by: { readonly executor: Executor; readonly tool: Tool },
  args: JsonObject,
  context: ToolContext,
): Promise<string | undefined> {
  const { writeDirectories = null } = context.session;
  if (writeDirectories === null || by.tool.tier !== "write") return undefined;
  return misplacedPath(writeDirectories, await by.executor.inspect(args, context));
}

/** The mode may have changed while a person thought about it. */
function forbiddenNow(tool: string, reason: string): ToolError {
  return toolError(`${tool} is not allowed: ${reason}`, `${tool} was not run: ${reason}.`, "Tell the person.");
}

/** Called off by its caller, or cut off because the server stops. */
function endOfAborted(tool: string, reason: unknown): CallOutcome {
  if (!(reason instanceof AppError) || reason.code !== "unavailable") return { kind: "cancelled" };
  const happened = `The server stopped while ${tool} ran; whether it took effect is not known.`;
  return failed(
    toolError(`${tool} was interrupted`, happened, "Look before you call it again, with a new tool_call_id."),
  );
}
