import type { JsonObject } from "@bufbuild/protobuf";
import { AppError } from "@quarry/base";
import type { CallContext } from "@quarry/store";
import { heedHooks } from "./ask-hooks.ts";
import { decide } from "./decide.ts";
import { gatherRules } from "./gather-rules.ts";
import type { JudgedCall } from "./judged-call.ts";
import type { CallRequest, SpineDeps } from "./spine.ts";
import { toolContext } from "./tool-context.ts";
import { ToolFailure, toToolError, type ToolError } from "./tool-error.ts";
import type { Tool } from "./tool.ts";

/** What policy says of a call; or why nobody could look at it. */
export type Judgement =
  | { readonly kind: "judged"; readonly judged: JudgedCall }
  | { readonly kind: "unfit"; readonly context: CallContext; readonly error: ToolError };

/** Looks at what a valid call would touch and asks policy. Nothing is done yet. */
export async function judgeCall(
  deps: SpineDeps,
  request: Pick<CallRequest, "toolCallId">,
  valid: { readonly tool: Tool; readonly args: JsonObject; readonly context: CallContext },
  signal: AbortSignal,
): Promise<Judgement> {
  const { tool, args, context } = valid;
  const { session } = context;
  try {
    const about = toolContext(deps, { session, toolCallId: request.toolCallId, signal });
    const facts = await deps.executorOf(tool, session).inspect(args, about);
    const call = { tool: tool.name, tier: tool.tier, args, facts };
    const rules = gatherRules(deps, context, facts, tool);
    const hooked = await deps.askHooks(call, { session, toolCallId: request.toolCallId }, signal);
    const verdict = decide(heedHooks(rules, hooked), call);
    return { kind: "judged", judged: { tool, args, facts, verdict, context } };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ToolFailure) && AppError.from(error).code === "internal") throw error;
    return { kind: "unfit", context, error: toToolError(tool.name, error) };
  }
}
