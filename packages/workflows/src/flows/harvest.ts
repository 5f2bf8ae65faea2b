import type { Flow, FlowResult, Plain } from "../flow.ts";
import type { WorkflowArgs } from "../workflow-args.ts";
import { collectWebset, showItems } from "./collect-webset.ts";
import { unlessGone } from "./unless-gone.ts";

/** lifecycle.harvest: a webset from its making to its items. */
export async function harvest(flow: Flow, args: WorkflowArgs<"lifecycle.harvest">): Promise<FlowResult> {
  const { cleanup, ...wish } = args;
  const collected = await collectWebset(flow, { ...wish, label: "webset", before: 0, total: 3 });
  const { websetId, state, timedOut, items, included } = collected;
  if (cleanup) {
    await flow.step("cleanup", (signal) => unlessGone(flow.websets.remove(flow.teamId, websetId, signal)));
  }
  const late = timedOut ? "; out of time, so not all" : "";
  return {
    items: showItems(collected) as unknown as Plain,
    websetId,
    included: included.length,
    excluded: items.length - included.length,
    progress: { found: state.found, analyzed: state.analyzed, completion: state.completion },
    timedOut,
    _summary: `${included.length} items, ${items.length - included.length} left out${late}`,
  };
}
