import { AppError } from "@quarry/base";
import type { Flow, FlowResult, Plain } from "../flow.ts";
import type { WorkflowItem } from "../project-item.ts";
import type { WorkflowArgs } from "../workflow-args.ts";
import { collectWebset, showItems } from "./collect-webset.ts";
import { runResearch } from "./run-research.ts";

/** How long the report on one item may take. */
const REPORT_SECONDS = 120;
/** So many reports are under way at once. */
const AT_ONCE = 3;

/** research.verifiedCollection: a webset, and a report on each of its first items. */
export async function verifiedCollection(
  flow: Flow,
  args: WorkflowArgs<"research.verifiedCollection">,
): Promise<FlowResult> {
  const { researchPrompt, researchLimit, ...wish } = args;
  const total = 1 + researchLimit;
  const collected = await collectWebset(flow, { ...wish, label: "webset", before: 0, total });
  const items = showItems(collected);
  const looked = items.slice(0, researchLimit);
  const reports: Record<string, Plain> = {};
  for (let start = 0; start < looked.length; start += AT_ONCE) {
    const batch = looked.slice(start, start + AT_ONCE);
    const begin = batch.map((item, offset) => ({
      label: `item ${start + offset + 1}`,
      instructions: fillTemplate(researchPrompt, item),
      model: "exa-research-fast",
      outputSchema: null,
      timeoutSeconds: REPORT_SECONDS,
      before: 1 + start + offset,
      total,
    }));
    const settled = await Promise.allSettled(begin.map((one) => runResearch(flow, one)));
    for (const [offset, outcome] of settled.entries()) {
      const item = batch[offset];
      if (item === undefined) continue;
      if (outcome.status === "rejected") {
        if (!isFailedResearch(outcome.reason)) throw outcome.reason;
        reports[item.id] = { status: "failed", report: "" };
      } else {
        reports[item.id] =
          outcome.value === undefined
            ? { status: "timed-out", report: "" }
            : { status: "completed", report: outcome.value.content };
      }
    }
  }
  const done = Object.values(reports).filter((report) => isCompleted(report)).length;
  return {
    items: items as unknown as Plain,
    websetId: collected.websetId,
    reports,
    timedOut: collected.timedOut,
    _summary: `${items.length} items, ${done} reports of ${looked.length}`,
  };
}

/** Puts an item's name, url and description where the template wants them. */
export function fillTemplate(template: string, item: Pick<WorkflowItem, "name" | "url" | "description">): string {
  return template.replace(
    /\{\{\s*(name|url|description)\s*\}\}/g,
    (_, field: "name" | "url" | "description") => item[field],
  );
}

function isCompleted(report: Plain): boolean {
  return typeof report === "object" && report !== null && "status" in report && report["status"] === "completed";
}

/** A research that failed is told with its item; anything else, a pause above all, is the whole run's. */
function isFailedResearch(reason: unknown): boolean {
  return reason instanceof AppError && reason.code === "upstream_failed";
}
