import { ClientSideToolV2 } from "@quarry/contract";
import { getToolSession } from "@quarry/store";
import type { JsonObject } from "@bufbuild/protobuf";
import type { CallOutcome, Tool } from "../../tool.ts";
import { objectsOf, stateTool, type StateDeps } from "../state-tool.ts";
import { toAgentItem, toItem } from "../todo-write/todo-list.ts";
import { toTodos } from "../todo-write/todo-write.ts";
import { failureText, textOf, textsOf } from "../workspace-tool.ts";

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

/** agent.v1 may ask for some of the list alone; how long it is in all comes with it. */
function toReadResult(_: JsonObject, outcome: CallOutcome, asked: JsonObject = {}): JsonObject {
  if (outcome.kind !== "succeeded") return { error: { error: failureText(outcome) } };
  const all = objectsOf(outcome.result, "todos").map(toAgentItem);
  const statuses = textsOf(asked, "statusFilter");
  const ids = textsOf(asked, "idFilter");
  const todos = all.filter(
    (todo) =>
      (statuses.length === 0 || statuses.includes(textOf(todo, "status"))) &&
      (ids.length === 0 || ids.includes(textOf(todo, "id"))),
  );
  return { success: { todos, totalCount: all.length } };
}
