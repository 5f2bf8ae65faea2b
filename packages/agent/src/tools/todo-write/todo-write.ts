import type { JsonObject } from "@bufbuild/protobuf";
import { ClientSideToolV2 } from "@quarry/contract";
import { changeSessionTodos, type Json } from "@quarry/store";
import type { Tool } from "../../tool.ts";
import { isJsonObject, objectsOf, stateTool, type StateDeps } from "../state-tool.ts";
import { failureText } from "../workspace-tool.ts";
import {
  fromAgentItem,
  needsProgress,
  readyIds,
  toAgentItem,
  toItem,
  TODOS_SCHEMA,
  writeTodos,
  type Todo,
} from "./todo-list.ts";

/** aiserver.v1 TodoWrite: writes the session's list of todos, whole or merged by id. */
export function todoWriteTool(deps: Pick<StateDeps, "db" | "clock">): Tool {
  return stateTool({
    name: "todo_write",
    aliases: ["update_todos"],
    clientTool: ClientSideToolV2.TODO_WRITE,
    title: "Write todos",
    description:
      "Writes the list of todos. With merge, todos of known ids are changed and others added; without, the list is replaced.",
    messages: "TodoWrite",
    properties: {
      todos: TODOS_SCHEMA,
      merge: { type: "boolean", description: "Change the list instead of replacing it" },
    },
    required: [],
    run: async (args, context) => {
      const isMerge = args["merge"] === true;
      const given = objectsOf(args, "todos");
      const { before, after } = await changeSessionTodos(
        deps.db,
        { teamId: context.teamId, id: context.session.id },
        (todos) => writeTodos(toTodos(todos), given, isMerge) as unknown as Json, // readonly data through and through
        deps.clock.now(),
      );
      const todos = toTodos(after);
      return {
        success: true,
        readyTaskIds: [...readyIds(todos)],
        needsInProgressTodos: needsProgress(todos),
        finalTodos: todos.map(toItem),
        initialTodos: toTodos(before).map(toItem),
        wasMerge: isMerge,
      };
    },
    agent: {
      member: "updateTodosToolCall",
      fromArgs: (args) => ({ todos: objectsOf(args, "todos").map(fromAgentItem), merge: args["merge"] ?? false }),
      toResult: (args, outcome) => {
        if (outcome.kind !== "succeeded") return { error: { error: failureText(outcome) } };
        const todos = objectsOf(outcome.result, "finalTodos").map(toAgentItem);
        return { success: { todos, totalCount: todos.length, wasMerge: args["merge"] === true } };
      },
    },
  });
}

/** A session's todos from its row, whoever wrote them: what is no todo is left out. */
export function toTodos(kept: Json): readonly Todo[] {
  const items = Array.isArray(kept) ? (kept as JsonObject[]).filter(isJsonObject) : [];
  return writeTodosLeniently(items);
}

function writeTodosLeniently(items: readonly JsonObject[]): readonly Todo[] {
  return items.flatMap((item) => {
    try {
      return writeTodos([], [{ ...item, dependencies: [] }], false).map((todo) => ({
        ...todo,
        dependencies: Array.isArray(item["dependencies"]) ? item["dependencies"].map(String) : [],
      }));
    } catch {
      return []; // a client may have put anything into its session
    }
  });
}
