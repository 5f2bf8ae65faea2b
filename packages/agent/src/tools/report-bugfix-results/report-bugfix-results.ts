import type { JsonObject } from "@bufbuild/protobuf";
import { ClientSideToolV2 } from "@quarry/contract";
import { addBugfixReport, type Json } from "@quarry/store";
import type { CallOutcome, Tool } from "../../tool.ts";
import { isJsonObject, objectsOf, stateTool, type StateDeps } from "../state-tool.ts";
import { failureText, textOf } from "../workspace-tool.ts";

const VERDICTS = [
  "BUGFIX_VERDICT_FIXED",
  "BUGFIX_VERDICT_FALSE_POSITIVE",
  "BUGFIX_VERDICT_COULD_NOT_FIX",
  "BUGFIX_VERDICT_RESOLVED_BY_OTHER_FIX",
];

/** aiserver.v1 ReportBugfixResults: keeps what became of each bug. */
export function reportBugfixResultsTool(deps: Pick<StateDeps, "db" | "clock">): Tool {
  return stateTool({
    name: "report_bugfix_results",
    clientTool: ClientSideToolV2.REPORT_BUGFIX_RESULTS,
    title: "Report bug fixes",
    description:
      "Reports what became of each bug: fixed, a false positive, could not be fixed, or fixed by another fix.",
    messages: "ReportBugfixResults",
    properties: {
      summary: { type: "string", maxLength: 10_000, description: "Sums the work up" },
      results: {
        type: "array",
        maxItems: 500,
        items: {
          type: "object",
          properties: {
            bugId: { type: "string" },
            bugTitle: { type: "string" },
            verdict: { type: "string", enum: ["BUGFIX_VERDICT_UNSPECIFIED", ...VERDICTS] },
            explanation: { type: "string" },
            severity: { type: "string" },
          },
        },
      },
    },
    required: [],
    run: async (args, { teamId, session, toolCallId }) => {
      const results = objectsOf(args, "results");
      const problem = findProblem(args, results);
      if (problem !== undefined) return { error: { error: `${problem} Nothing was stored.` } };
      const summary = textOf(args, "summary");
      const kept = results as unknown as Json; // JSON through and through
      await addBugfixReport(
        deps.db,
        { teamId, sessionId: session.id, toolCallId, summary, results: kept },
        deps.clock.now(),
      );
      return { success: { results: [...results] } };
    },
    refuse: (_, reason) => ({ error: { error: `The person declined: ${reason}` } }),
    agent: { member: "reportBugfixResultsToolCall", toResult },
  });
}

/** What is wrong with a report, in a sentence; undefined when nothing is. */
function findProblem(args: JsonObject, results: readonly JsonObject[]): string | undefined {
  if (textOf(args, "summary").trim() === "") return "summary: sum the work up.";
  if (results.length === 0) return "results: report at least one bug.";
  const seen = new Set<string>();
  for (const [index, result] of results.entries()) {
    const id = textOf(result, "bugId");
    if (id === "") return `results.${index}.bugId: name the bug.`;
    if (seen.has(id)) return `results.${index}.bugId: ${id} was reported above; give one verdict per bug.`;
    seen.add(id);
    if (!VERDICTS.includes(textOf(result, "verdict")))
      return `results.${index}.verdict: say one of ${VERDICTS.join(", ")}.`;
    if (textOf(result, "explanation").trim() === "") return `results.${index}.explanation: say why.`;
  }
  return undefined;
}

function toResult(_: JsonObject, outcome: CallOutcome): JsonObject {
  if (outcome.kind !== "succeeded") return { error: { error: failureText(outcome) } };
  const { success, error } = outcome.result;
  return isJsonObject(success) ? { success } : { error: isJsonObject(error) ? error : {} };
}
