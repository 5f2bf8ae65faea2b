import type { JsonObject } from "@bufbuild/protobuf";
import { listEarlierOutcomes, type Database, type ToolSession } from "@quarry/store";
import type { CallRequest, SpineDeps } from "./spine.ts";
import type { CallFacts } from "./call-facts.ts";
import type { Tool, ToolContext } from "./tool.ts";

/** How far back a tool may look in its session. */
const EARLIER_RESULTS = 50;

/** What a valid call would touch, as its tool sees it. Nothing is done yet. */
export function inspectCall(
  deps: SpineDeps,
  request: CallRequest,
  valid: { readonly tool: Tool; readonly args: JsonObject },
  signal: AbortSignal,
): Promise<CallFacts> {
  return valid.tool.inspect(valid.args, toolContext(deps.db, request.session, signal));
}

/** What a tool gets to know beside its arguments. */
export function toolContext(db: Database, session: ToolSession, signal: AbortSignal): ToolContext {
  return {
    teamId: session.teamId,
    session,
    signal,
    earlierResults: async (tools) => {
      const outcomes = await listEarlierOutcomes(db, session.id, tools, EARLIER_RESULTS);
      // Rows hold what end-call.ts wrote: outcomes that succeeded have a result.
      return outcomes.map((outcome) => (outcome as unknown as { readonly result: JsonObject }).result);
    },
  };
}
