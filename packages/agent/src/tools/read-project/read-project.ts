import { AppError } from "@quarry/base";
import { ClientSideToolV2 } from "@quarry/contract";
import { findAgentPlan } from "@quarry/store";
import type { Tool } from "../../tool.ts";
import { stateTool, type StateDeps } from "../state-tool.ts";

/** aiserver.v1 ReadProject: the text of the session's current plan. */
export function readProjectTool(deps: Pick<StateDeps, "db">): Tool {
  return stateTool({
    name: "read_project",
    clientTool: ClientSideToolV2.READ_PROJECT,
    title: "Read the plan",
    description: "Reads the current plan.",
    messages: "ReadProject",
    properties: {},
    required: [],
    isReadOnly: true,
    run: async (_, { teamId, session }) => {
      const plan = await findAgentPlan(deps.db, { teamId, sessionId: session.parentId ?? session.id });
      if (plan === undefined) throw new AppError("not_found", "there is no plan yet; make one with create_plan");
      return { plan: plan.text };
    },
  });
}
