import { ClientSideToolV2 } from "@quarry/contract";
import { getToolSession } from "@quarry/store";
import type { JsonObject } from "@bufbuild/protobuf";
import type { CallOutcome, Tool } from "../../tool.ts";
import { objectsOf, stateTool, type StateDeps } from "../state-tool.ts";
import { toAgentItem, toItem } from "../todo-write/todo-list.ts";
import { toTodos } from "../todo-write/todo-write.ts";
import { failureText } from "../workspace-tool.ts";

/** aiserver.v1 TodoRead: the session's list of todos. A sub-agent sees its agent's. */
export function todoReadTool(deps: Pick<StateDeps, "db">): Tool {
  return stateTool({
    name: "todo_read",
    aliases: ["read_todos"],
    clientTool: ClientSideToolV2.TODO_READ,
    title: "Read todos",
    description: "Reads the list of todos.",
    messages: "TodoRead",
    // Asking is the whole argument: the list comes whether it is set or not, as the seed's one reader sends it always.
    properties: { read: { type: "boolean", description: "Asks for the list; it comes in any case" } },
    required: [],
    isReadOnly: true,
    run: async (_, { teamId, session }) => {
      const { todos } = await getToolSession(deps.db, teamId, session.parentId ?? session.id);
      return { todos: toTodos(todos).map(toItem) };
    },
    agent: { member: "readTodosToolCall", fromArgs: () => ({ read: true }), toResult: toReadResult },
  });
}

function toReadResult(_: JsonObject, outcome: CallOutcome): JsonObject {
  if (outcome.kind !== "succeeded") return { error: { error: failureText(outcome) } };
  const todos = objectsOf(outcome.result, "todos").map(toAgentItem);
  return { success: { todos, totalCount: todos.length } };
}
