import type { JsonObject } from "@bufbuild/protobuf";
import { AppError } from "@quarry/base";
import { textOf, textsOf } from "../workspace-tool.ts";

/** One thing to do. */
export interface Todo {
  readonly id: string;
  readonly content: string;
  readonly status: TodoStatus;
  /** Ids of todos that must be completed first. */
  readonly dependencies: readonly string[];
}

/** The words a todo's status has. */
export const TODO_STATUSES = ["pending", "in_progress", "completed", "cancelled"] as const;
export type TodoStatus = (typeof TODO_STATUSES)[number];

const MAX_TODOS = 200;

/**
 * The list after a write. Merging matches by id: what is left empty keeps its old
 * value, unknown ids are added at the end. Throws `invalid_request` for two of one id, a dependency that is not
 * there, todos that wait for each other, and a todo without text.
 */
export function writeTodos(before: readonly Todo[], given: readonly JsonObject[], isMerge: boolean): readonly Todo[] {
  refuseDuplicates(given.map((todo) => textOf(todo, "id")));
  const old = new Map((isMerge ? before : []).map((todo) => [todo.id, todo]));
  const written = given.map((todo) => toTodo(todo, old.get(textOf(todo, "id"))));
  const changed = new Map(written.map((todo) => [todo.id, todo]));
  const kept = [...old.values()].map((todo) => changed.get(todo.id) ?? todo);
  const after = [...kept, ...written.filter(({ id }) => !old.has(id))];
  checkTodos(after);
  return after;
}

/** Refuses a list that could never be worked off. */
export function checkTodos(todos: readonly Todo[]): void {
  if (todos.length > MAX_TODOS) {
    throw new AppError("invalid_request", `todos: a list holds at most ${MAX_TODOS}; finish or drop some first`);
  }
  refuseDuplicates(todos.map(({ id }) => id));
  const byId = new Map(todos.map((todo) => [todo.id, todo]));
  for (const { id, dependencies } of todos) {
    const unknown = dependencies.find((dependency) => !byId.has(dependency));
    if (unknown === undefined) continue;
    const known = [...byId.keys()].join(", ");
    throw new AppError("invalid_request", `todos: ${id} depends on ${unknown}, which is no todo; there are ${known}`);
  }
  const cycle = findCycle(byId);
  if (cycle !== undefined) {
    throw new AppError("invalid_request", `todos: ${cycle.join(" waits for ")}; no todo may wait for itself`);
  }
}

/** Pending todos whose dependencies are all completed. */
export function readyIds(todos: readonly Todo[]): readonly string[] {
  const done = new Set(todos.filter(({ status }) => status === "completed").map(({ id }) => id));
  return todos
    .filter(({ status, dependencies }) => status === "pending" && dependencies.every((id) => done.has(id)))
    .map(({ id }) => id);
}

/** Whether some wait and none is worked on. */
export function needsProgress(todos: readonly Todo[]): boolean {
  return todos.some(({ status }) => status === "pending") && !todos.some(({ status }) => status === "in_progress");
}

/** A todo as aiserver.v1 has it. */
export function toItem({ id, content, status, dependencies }: Todo): JsonObject {
  return { id, content, status, dependencies: [...dependencies] };
}

/** A todo as agent.v1 has it. */
export function toAgentItem(item: JsonObject): JsonObject {
  const { id = "", content = "", dependencies = [] } = item;
  return { id, content, dependencies, status: `TODO_STATUS_${textOf(item, "status").toUpperCase() || "UNSPECIFIED"}` };
}

/** A todo of agent.v1 as aiserver.v1 has it. */
export function fromAgentItem(item: JsonObject): JsonObject {
  const { id = "", content = "", dependencies = [] } = item;
  const status = textOf(item, "status")
    .replace(/^TODO_STATUS_/, "")
    .toLowerCase();
  return { id, content, dependencies, ...(status === "" || status === "unspecified" ? {} : { status }) };
}

/** The JSON Schema of a list of todos. */
export const TODOS_SCHEMA: JsonObject = {
  type: "array",
  items: {
    type: "object",
    properties: {
      id: { type: "string", minLength: 1, maxLength: 200, description: "Names the todo; unique in the list" },
      content: { type: "string", maxLength: 4_000, description: "What is to be done" },
      status: { type: "string", enum: ["", ...TODO_STATUSES] },
      dependencies: {
        type: "array",
        items: { type: "string" },
        description: "Ids of todos that must be completed first",
      },
    },
    required: ["id"],
  },
};

function toTodo(given: JsonObject, old: Todo | undefined): Todo {
  const id = textOf(given, "id");
  const content = textOf(given, "content") || (old?.content ?? "");
  if (content === "")
    throw new AppError("invalid_request", `todos: ${id} is new and has no content; say what is to be done`);
  const status = TODO_STATUSES.find((each) => each === textOf(given, "status"));
  const dependencies = textsOf(given, "dependencies");
  return {
    id,
    content,
    status: status ?? old?.status ?? "pending",
    dependencies: dependencies.length > 0 ? dependencies : (old?.dependencies ?? []),
  };
}

function refuseDuplicates(ids: readonly string[]): void {
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) {
    throw new AppError("invalid_request", `todos: the id ${twice} stands there twice; give each todo its own`);
  }
}

/** The ids of todos that wait for each other, the first again at the end; undefined when there are none. */
function findCycle(byId: ReadonlyMap<string, Todo>): readonly string[] | undefined {
  const settled = new Set<string>();
  const visit = (id: string, path: readonly string[]): readonly string[] | undefined => {
    if (path.includes(id)) return [...path.slice(path.indexOf(id)), id];
    if (settled.has(id)) return undefined;
    for (const next of byId.get(id)?.dependencies ?? []) {
      const cycle = visit(next, [...path, id]);
      if (cycle !== undefined) return cycle;
    }
    settled.add(id);
    return undefined;
  };
  for (const id of byId.keys()) {
    const cycle = visit(id, []);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}
