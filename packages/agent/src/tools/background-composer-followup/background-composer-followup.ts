import type { JsonObject } from "@bufbuild/protobuf";
import { ClientSideToolV2 } from "@quarry/contract";
import { tellAgentTask } from "@quarry/store";
import type { Tool } from "../../tool.ts";
import { stateTool, type StateDeps } from "../state-tool.ts";
import { textOf } from "../workspace-tool.ts";

/** aiserver.v1 BackgroundComposerFollowup: says something to a sub-agent that works, once a person agrees; they may change the words. */
export function backgroundComposerFollowupTool(deps: Pick<StateDeps, "db" | "clock">): Tool {
  return stateTool({
    name: "background_composer_followup",
    clientTool: ClientSideToolV2.BACKGROUND_COMPOSER_FOLLOWUP,
    title: "Tell a sub-agent",
    description: "Says something to a sub-agent that still works; it reads it before its next step.",
    messages: "BackgroundComposerFollowup",
    properties: {
      proposedFollowup: { type: "string", minLength: 1, maxLength: 20_000, description: "What to say" },
      bcId: { type: "string", minLength: 1, description: "The task's id" },
    },
    required: ["proposedFollowup", "bcId"],
    look: (args) =>
      Promise.resolve({
        askFirst: [`it tells the sub-agent ${textOf(args, "bcId")} to do more`],
        diff: textOf(args, "proposedFollowup"),
      }),
    run: async (args, { teamId, session }) => {
      const key = { teamId, parentSessionId: session.id, id: textOf(args, "bcId") };
      const isSent = await tellAgentTask(deps.db, key, textOf(args, "proposedFollowup"), deps.clock.now());
      return resultOf(args, isSent);
    },
    refuse: (args) => resultOf(args, false),
  });
}

function resultOf(args: JsonObject, isSent: boolean): JsonObject {
  return { proposedFollowup: textOf(args, "proposedFollowup"), isSent };
}
