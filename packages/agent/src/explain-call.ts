import type { ToolSession } from "@quarry/store";
import { decide, type Verdict } from "./decide.ts";
import { gatherRules } from "./gather-rules.ts";
import type { CallFacts } from "./call-facts.ts";
import { toolContext } from "./inspect-call.ts";
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
  const { tool, args } = valid;
  const facts = await tool.inspect(args, toolContext(deps.db, session, signal));
  const verdict = decide(await gatherRules(deps, session), { tool: tool.name, tier: tool.tier, args, facts });
  return { kind: "explained", tool: tool.name, facts, verdict };
}
