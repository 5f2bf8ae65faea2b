import type { JsonObject } from "@bufbuild/protobuf";
import { listEarlierOutcomes, type ToolSession } from "@quarry/store";
import type { SpineDeps } from "./spine.ts";
import type { ToolContext } from "./tool.ts";

/** How far back a tool may look in its session. */
const EARLIER_RESULTS = 50;

/** What a tool gets to know beside its arguments. */
export function toolContext(
  deps: Pick<SpineDeps, "db">,
  of: { readonly session: ToolSession; readonly toolCallId: string; readonly signal: AbortSignal },
): ToolContext {
  const { session } = of;
  return {
    teamId: session.teamId,
    session,
    toolCallId: of.toolCallId,
    signal: of.signal,
    earlierResults: async (tools) => {
      const outcomes = await listEarlierOutcomes(deps.db, session.id, tools, EARLIER_RESULTS);
      // Rows hold what end-call.ts wrote: outcomes that succeeded have a result.
      return outcomes.map((outcome) => (outcome as unknown as { readonly result: JsonObject }).result);
    },
  };
}
