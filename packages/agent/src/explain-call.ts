import type { ToolSession } from "@quarry/store";
import type { Verdict } from "./decide.ts";
import type { CallFacts } from "./call-facts.ts";
import { judgeCall } from "./judge-call.ts";
import type { SpineDeps } from "./spine.ts";
import { validateCall, type GivenCall } from "./validate-call.ts";
import type { ToolError } from "./tool-error.ts";

/** What would happen to a call, and why. */
export type Explanation =
  | { readonly kind: "explained"; readonly tool: string; readonly facts: CallFacts; readonly verdict: Verdict }
  | { readonly kind: "invalid"; readonly tool: string; readonly error: ToolError };

/** Asks policy about a call without making it: nothing is run, kept or logged. */
export async function explainCall(
  deps: SpineDeps,
  session: ToolSession,
  given: GivenCall,
  signal: AbortSignal,
): Promise<Explanation> {
  const valid = validateCall(deps.registry, given);
  if (valid.kind === "invalid") return valid;
  const context = await deps.contexts.renew(session.teamId, session.id);
  const judgement = await judgeCall(deps, { toolCallId: "" }, { ...valid, context }, signal);
  if (judgement.kind === "unfit") return { kind: "invalid", tool: valid.tool.name, error: judgement.error };
  const { tool, facts, verdict } = judgement.judged;
  return { kind: "explained", tool: tool.name, facts, verdict };
}
