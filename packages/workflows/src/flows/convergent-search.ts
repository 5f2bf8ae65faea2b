import type { Flow, FlowResult, Plain } from "../flow.ts";
import { mergeFindings, overlapMatrix, type MergedFinding } from "../pure/merge-findings.ts";
import type { WorkflowItem } from "../project-item.ts";
import type { WorkflowArgs } from "../workflow-args.ts";
import { collectWebset, showItems } from "./collect-webset.ts";

/** convergent.search: the same thing asked in several ways; what more than one way finds is more likely right. */
export async function convergentSearch(flow: Flow, args: WorkflowArgs<"convergent.search">): Promise<FlowResult> {
  const { queries, ...wish } = args;
  const found: WorkflowItem[][] = [];
  const websetIds: string[] = [];
  let timedOut = false;
  for (const [index, query] of queries.entries()) {
    const collected = await collectWebset(flow, {
      ...wish,
      query,
      label: `query ${index + 1}`,
      before: index,
      total: queries.length + 1,
    });
    found.push(showItems(collected));
    websetIds.push(collected.websetId);
    timedOut ||= collected.timedOut;
  }
  const merged = mergeFindings(found);
  const intersection = merged.filter((one) => one.queries.length >= 2).sort((a, b) => b.confidence - a.confidence);
  const unique = merged.filter((one) => one.queries.length === 1);
  return {
    items: [...intersection, ...unique].map(({ item }) => item) as unknown as Plain,
    websetId: websetIds[0] ?? "",
    websetIds,
    intersection: intersection.map(showHit) as unknown as Plain,
    unique: queries.map((query, index) => ({
      query,
      ids: unique.filter((one) => one.queries[0] === index).map(({ item }) => item.id),
    })),
    overlap: overlapMatrix(merged, queries.length) as unknown as Plain,
    timedOut,
    _summary: `${intersection.length} of ${merged.length} entities were found by at least two of ${queries.length} queries`,
  };
}

function showHit({ item, queries, confidence }: MergedFinding<WorkflowItem>) {
  return { id: item.id, name: item.name, queries, confidence };
}
