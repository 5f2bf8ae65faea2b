import type { JsonObject } from "@bufbuild/protobuf";
import { AppError } from "@quarry/base";
import { ClientSideToolV2 } from "@quarry/contract";
import { changeAgentPlan } from "@quarry/store";
import type { Tool } from "../../tool.ts";
import type { PlanDeps } from "../create-plan/create-plan.ts";
import { replaceTexts } from "../create-plan/plan-text.ts";
import { objectsOf, stateTool } from "../state-tool.ts";
import { textOf } from "../workspace-tool.ts";

/** aiserver.v1 UpdateProject: replaces texts of the current plan, each found exactly once, all or none. */
export function updateProjectTool(deps: PlanDeps): Tool {
  return stateTool({
    name: "update_project",
    clientTool: ClientSideToolV2.UPDATE_PROJECT,
    title: "Change the plan",
    description: "Replaces texts of the current plan; each must stand in it exactly once, or nothing is changed.",
    messages: "UpdateProject",
    properties: {
      stringReplacements: {
        type: "array",
        minItems: 1,
        items: {
          type: "object",
          properties: { oldString: { type: "string", minLength: 1 }, newString: { type: "string" } },
          required: ["oldString"],
        },
      },
      summary: { type: "string", maxLength: 2_000, description: "What the change is, for whoever is asked about it" },
    },
    required: ["stringReplacements"],
    look: (args) => Promise.resolve({ notes: summaryOf(args), diff: diffOf(args) }),
    run: async (args, { teamId, session }) => {
      const replacements = objectsOf(args, "stringReplacements").map((each, index) => ({
        oldText: textOf(each, "oldString"),
        newText: textOf(each, "newString"),
        field: `stringReplacements.${index}`,
      }));
      const plan = await changeAgentPlan(
        deps.db,
        { teamId, sessionId: session.id },
        (text) => replaceTexts(text, replacements),
        deps.clock.now(),
      );
      if (plan === undefined) throw new AppError("not_found", "there is no plan yet; make one with create_plan");
      await deps.showPlan(plan);
      return { success: true, updatedPlan: plan.text };
    },
  });
}

function summaryOf(args: JsonObject): readonly string[] {
  const summary = textOf(args, "summary");
  return summary === "" ? [] : [summary];
}

function diffOf(args: JsonObject): string {
  const lines = (text: string, sign: string): string =>
    text
      .split("\n")
      .map((line) => `${sign}${line}`)
      .join("\n");
  return objectsOf(args, "stringReplacements")
    .map((each) => `${lines(textOf(each, "oldString"), "-")}\n${lines(textOf(each, "newString"), "+")}`)
    .join("\n\n");
}
