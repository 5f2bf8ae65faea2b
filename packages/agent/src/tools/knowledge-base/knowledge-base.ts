import type { JsonObject } from "@bufbuild/protobuf";
import { AppError } from "@quarry/base";
import { ClientSideToolV2 } from "@quarry/contract";
import { addKnowledge, deleteKnowledge, updateKnowledge } from "@quarry/store";
import type { Tool, ToolContext } from "../../tool.ts";
import { stateTool, type StateDeps } from "../state-tool.ts";
import { textOf } from "../workspace-tool.ts";

/** How many entries a team keeps, and how long one may be. */
const MAX_ENTRIES = 1_000;
const MAX_CHARACTERS = 20_000;

const ACTIONS = ["create", "update", "delete"] as const;
type Action = (typeof ACTIONS)[number];

/** aiserver.v1 KnowledgeBase: what agents of the team should know in later sessions. */
export function knowledgeBaseTool(deps: Pick<StateDeps, "db" | "clock">): Tool {
  return stateTool({
    name: "knowledge_base",
    aliases: ["update_memory"],
    clientTool: ClientSideToolV2.KNOWLEDGE_BASE,
    title: "Keep knowledge",
    description: "Keeps, changes or forgets a piece of knowledge that later sessions read.",
    messages: "KnowledgeBase",
    properties: {
      knowledgeToStore: { type: "string", maxLength: MAX_CHARACTERS, description: "The text to keep" },
      title: { type: "string", maxLength: 200 },
      existingKnowledgeId: { type: "string", description: "The entry to update or delete" },
      action: { type: "string", enum: ["", ...ACTIONS], description: "create unless given" },
    },
    required: [],
    look: (args) => {
      const action = check(args);
      return Promise.resolve({
        askFirst: [`it would ${action} what every later session of the team is told`],
        notes: [textOf(args, "title")].filter((title) => title !== ""),
        ...(action === "delete" ? {} : { diff: textOf(args, "knowledgeToStore") }),
      });
    },
    run: (args, context) => keep(deps, args, context),
    refuse: () => ({ success: false, confirmationMessage: "The person declined; nothing was kept." }),
  });
}

async function keep(
  deps: Pick<StateDeps, "db" | "clock">,
  args: JsonObject,
  { teamId, session }: ToolContext,
): Promise<JsonObject> {
  const action = check(args);
  const now = deps.clock.now();
  const title = textOf(args, "title");
  const text = textOf(args, "knowledgeToStore");
  const key = { teamId, id: textOf(args, "existingKnowledgeId") };
  switch (action) {
    case "create": {
      const entry = { teamId, workspaceRoot: session.workspaceRoot, title, text };
      const kept = await addKnowledge(deps.db, entry, MAX_ENTRIES, now);
      if (kept === undefined) {
        throw new AppError("unprocessable", `the team keeps ${MAX_ENTRIES} entries already; delete or update one`);
      }
      return { success: true, confirmationMessage: `Kept "${kept.title}".`, id: kept.id };
    }
    case "update": {
      const kept = await updateKnowledge(deps.db, key, { title, text }, now);
      if (kept === undefined) throw unknown(key.id);
      return { success: true, confirmationMessage: `Changed "${kept.title}".`, id: kept.id };
    }
    case "delete": {
      const gone = await deleteKnowledge(deps.db, key);
      if (gone === undefined) throw unknown(key.id);
      return { success: true, confirmationMessage: `Forgot "${gone.title}".`, id: gone.id };
    }
  }
}

function check(args: JsonObject): Action {
  const action = ACTIONS.find((each) => each === textOf(args, "action")) ?? "create";
  const id = textOf(args, "existingKnowledgeId");
  const text = textOf(args, "knowledgeToStore");
  if (action !== "create" && id === "") {
    throw new AppError("invalid_request", `existingKnowledgeId: name the entry to ${action}`);
  }
  if (action === "create" && id !== "") {
    throw new AppError("invalid_request", "action: say update to change the entry, or leave existingKnowledgeId out");
  }
  if (action !== "delete" && text.trim() === "") {
    throw new AppError("invalid_request", "knowledgeToStore: there is nothing to keep");
  }
  if (action === "create" && textOf(args, "title").trim() === "") {
    throw new AppError("invalid_request", "title: give the entry one");
  }
  return action;
}

function unknown(id: string): AppError {
  return new AppError("not_found", `there is no entry ${id}; nothing was changed`);
}
