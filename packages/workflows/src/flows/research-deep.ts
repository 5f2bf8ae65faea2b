import type { Flow, FlowResult, Plain } from "../flow.ts";
import type { WorkflowArgs } from "../workflow-args.ts";
import { runResearch } from "./run-research.ts";

/** research.deep: a report, from its beginning to its end. */
export async function researchDeep(flow: Flow, args: WorkflowArgs<"research.deep">): Promise<FlowResult> {
  const { outputSchema, ...wish } = args;
  const report = await runResearch(flow, {
    ...wish,
    outputSchema: outputSchema ?? null,
    label: "report",
    before: 0,
    total: 1,
  });
  if (report === undefined) return { timedOut: true, _summary: `no report within ${args.timeoutSeconds} s` };
  return {
    report: report.content,
    ...(report.parsed !== undefined && { parsed: report.parsed as Plain }),
    citations: report.citations as unknown as Plain,
    timedOut: false,
    _summary: `a report of ${report.content.length} characters with ${report.citations.length} sources`,
  };
}
