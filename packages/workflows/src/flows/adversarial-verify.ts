import type { Flow, FlowResult, Plain } from "../flow.ts";
import type { WorkflowItem } from "../project-item.ts";
import { weighSides } from "../pure/weigh-sides.ts";
import type { WorkflowArgs } from "../workflow-args.ts";
import { collectWebset, showItems } from "./collect-webset.ts";
import { runResearch } from "./run-research.ts";

const SYNTHESIS_SECONDS = 120;
const NAMED = 8;

/** adversarial.verify: what supports a thesis, what counters it, and which weighs more. */
export async function adversarialVerify(flow: Flow, args: WorkflowArgs<"adversarial.verify">): Promise<FlowResult> {
  const { thesis, thesisQuery, antithesisQuery, synthesize, ...wish } = args;
  const total = synthesize ? 4 : 3;
  const supporting = await collectWebset(flow, { ...wish, query: thesisQuery, label: "thesis", before: 0, total });
  const countering = await collectWebset(flow, {
    ...wish,
    query: antithesisQuery,
    label: "antithesis",
    before: 1,
    total,
  });
  const [pro, contra] = [showItems(supporting), showItems(countering)];
  const weighed = weighSides(pro.length, contra.length);
  const synthesis = synthesize
    ? await runResearch(flow, {
        label: "synthesis",
        instructions: `Judge this thesis: ${thesis}. Sources for it: ${named(pro)}. Sources against it: ${named(contra)}. Give a verdict, how sure it is, the supporting factors, the countering factors, and blind spots.`,
        model: "exa-research",
        outputSchema: SYNTHESIS_SCHEMA,
        timeoutSeconds: SYNTHESIS_SECONDS,
        before: 3,
        total,
      })
    : undefined;
  return {
    items: [...pro, ...contra] as unknown as Plain,
    websetId: supporting.websetId,
    thesis,
    supporting: { websetId: supporting.websetId, ids: pro.map(({ id }) => id) },
    countering: { websetId: countering.websetId, ids: contra.map(({ id }) => id) },
    verdict: weighed.verdict,
    confidence: weighed.confidence,
    ...(synthesis !== undefined && { synthesis: (synthesis.parsed ?? { report: synthesis.content }) as Plain }),
    timedOut: supporting.timedOut || countering.timedOut,
    _summary: `${weighed.verdict}: ${pro.length} for, ${contra.length} against`,
  };
}

const text = { type: "string" };
const texts = { type: "array", items: text };
const SYNTHESIS_SCHEMA = {
  type: "object",
  properties: {
    verdict: text,
    confidence: { type: "number" },
    supportingFactors: texts,
    counteringFactors: texts,
    blindSpots: texts,
  },
};

function named(items: readonly WorkflowItem[]): string {
  const list = items.slice(0, NAMED).map(({ name, url }) => `${name} (${url})`);
  return list.length === 0 ? "none" : list.join(", ");
}
