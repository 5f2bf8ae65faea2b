import type { Flow, FlowResult } from "../flow.ts";
import { readWorkflowArgs, type WorkflowArgs, type WorkflowName } from "../workflow-args.ts";
import { adversarialVerify } from "./adversarial-verify.ts";
import { convergentSearch } from "./convergent-search.ts";
import { harvest } from "./harvest.ts";
import { researchDeep } from "./research-deep.ts";
import { expandAndCollect, searchAndRead, verifiedAnswer } from "./retrieval-flows.ts";
import { semanticCron } from "./semantic-cron.ts";
import { verifiedCollection } from "./verified-collection.ts";
import { verifyEnrichments } from "./verify-enrichments.ts";
import { winnow } from "./winnow.ts";

type RunFlow = (flow: Flow, args: unknown) => Promise<FlowResult>;

const FLOWS: Readonly<Record<WorkflowName, RunFlow>> = {
  "lifecycle.harvest": entry("lifecycle.harvest", harvest),
  "convergent.search": entry("convergent.search", convergentSearch),
  "qd.winnow": entry("qd.winnow", winnow),
  "adversarial.verify": entry("adversarial.verify", adversarialVerify),
  "research.deep": entry("research.deep", researchDeep),
  "research.verifiedCollection": entry("research.verifiedCollection", verifiedCollection),
  "retrieval.searchAndRead": entry("retrieval.searchAndRead", searchAndRead),
  "retrieval.expandAndCollect": entry("retrieval.expandAndCollect", expandAndCollect),
  "retrieval.verifiedAnswer": entry("retrieval.verifiedAnswer", verifiedAnswer),
  "verify.enrichments": entry("verify.enrichments", verifyEnrichments),
  "semantic.cron": entry("semantic.cron", semanticCron),
};

/** Runs a workflow by name; its arguments were checked when it was made, and are read again. */
export function runFlow(flow: Flow, name: WorkflowName, args: unknown): Promise<FlowResult> {
  return FLOWS[name](flow, args);
}

function entry<Name extends WorkflowName>(
  name: Name,
  run: (flow: Flow, args: WorkflowArgs<Name>) => Promise<FlowResult>,
): RunFlow {
  return (flow, args) => run(flow, readWorkflowArgs(name, args));
}
