import { AppError } from "@quarry/base";
import { ClientSideToolV2 } from "@quarry/contract";
import { getToolSession, switchSessionMode, type SessionMode } from "@quarry/store";
import type { Tool } from "../../tool.ts";
import { stateTool, type StateDeps } from "../state-tool.ts";
import { failureText, textOf } from "../workspace-tool.ts";

/** The modes by the names that clients have for them; the gate knows these three. */
const MODES: ReadonlyMap<string, SessionMode> = new Map([
  ["agent", "agent"],
  ["plan", "plan"],
  ["ask", "ask"],
  ["chat", "ask"],
]);

/** aiserver.v1 SwitchMode: changes what the session may do, once a person or a rule agrees. The gate holds every call to it. */
export function switchModeTool(deps: Pick<StateDeps, "db" | "clock">): Tool {
  return stateTool({
    name: "switch_mode",
    clientTool: ClientSideToolV2.SWITCH_MODE,
    title: "Switch the mode",
    description: "Switches to the mode agent (everything by policy), plan or ask (nothing is changed).",
    messages: "SwitchMode",
    properties: {
      fromModeId: { type: "string", description: "The mode you believe to be in; refused when it is another" },
      toModeId: { type: "string", minLength: 1, description: "agent, plan or ask" },
      explanation: { type: "string", maxLength: 4_000, description: "Why, for the person who is asked" },
    },
    required: ["toModeId"],
    query: {
      type: "switch-mode-request",
      queryCase: "switchModeRequestQuery",
      responseCase: "switchModeRequestResponse",
      toQuery: (args, toolCallId) => ({
        args: { targetModeId: args["toModeId"] ?? "", explanation: textOf(args, "explanation"), toolCallId },
      }),
    },
    look: async (args, { teamId, session }) => {
      const to = modeOf(textOf(args, "toModeId"), "toModeId");
      const { mode } = await getToolSession(deps.db, teamId, session.id);
      const explanation = textOf(args, "explanation");
      return {
        askFirst: [`it switches the session from ${mode} to ${to}`],
        notes: explanation === "" ? [] : [explanation],
      };
    },
    run: async (args, { teamId, session, grant }) => {
      const to = modeOf(textOf(args, "toModeId"), "toModeId");
      const believed = textOf(args, "fromModeId");
      const key = { teamId, id: session.id };
      if (believed !== "") {
        const { mode } = await getToolSession(deps.db, teamId, session.id);
        if (modeOf(believed, "fromModeId") !== mode) {
          throw new AppError("conflict", `the session is in ${mode} mode, not in ${believed}; it stays there`);
        }
      }
      const from = await switchSessionMode(deps.db, key, to, deps.clock.now());
      return {
        fromModeId: from,
        toModeId: to,
        autoApproved: grant === undefined,
        userApproved: grant !== undefined,
      };
    },
    refuse: (args) => ({ fromModeId: textOf(args, "fromModeId"), toModeId: textOf(args, "fromModeId") }),
    agent: {
      member: "switchModeToolCall",
      fromArgs: ({ targetModeId = "", explanation }) => ({
        toModeId: targetModeId,
        ...(explanation === undefined ? {} : { explanation }),
      }),
      toResult: (_, outcome) => {
        if (outcome.kind === "rejected") return { rejected: { reason: outcome.reason } };
        if (outcome.kind !== "succeeded") return { error: { error: failureText(outcome) } };
        const { fromModeId = "", toModeId = "" } = outcome.result;
        return { success: { fromModeId, toModeId } };
      },
    },
  });
}

function modeOf(id: string, field: string): SessionMode {
  const mode = MODES.get(id);
  if (mode !== undefined) return mode;
  throw new AppError("invalid_request", `${field}: ${id} is no mode of this session; there are agent, plan and ask`);
}
