import type { JsonObject } from "@bufbuild/protobuf";
import { AppError } from "@quarry/base";
import { ClientSideToolV2 } from "@quarry/contract";
import { addAgentPlan, changeAgentPlan, findAgentPlan, type AgentPlan } from "@quarry/store";
import type { Tool, ToolContext } from "../../tool.ts";
import { objectsOf, stateTool, type StateDeps } from "../state-tool.ts";
import { fromAgentItem, toItem, TODOS_SCHEMA } from "../todo-write/todo-list.ts";
import { failureText, textOf } from "../workspace-tool.ts";
import { planTodos, replaceTexts, writePlan } from "./plan-text.ts";

/** What the tools of plans need beside the rows. */
export interface PlanDeps extends Pick<StateDeps, "db" | "clock"> {
  /** Puts a plan where people can open it, and says where; the row stays what counts. */
  readonly showPlan: (plan: Pick<AgentPlan, "fileName" | "text">) => Promise<string>;
}

/** aiserver.v1 CreatePlan: proposes a plan, which a person accepts, changes or refuses; or replaces a text of the current one. */
export function createPlanTool(deps: PlanDeps): Tool {
  return stateTool({
    name: "create_plan",
    clientTool: ClientSideToolV2.CREATE_PLAN,
    title: "Propose a plan",
    description:
      "Proposes a plan with todos, steps or phases. With oldStr and newStr it replaces one text of the plan there is.",
    messages: "CreatePlan",
    properties: {
      plan: { type: "string", description: "The plan, in Markdown" },
      title: { type: "string" },
      summary: { type: "string", description: "Stands before the plan" },
      steps: {
        type: "array",
        items: { type: "object" },
        description: "id, title, description, instructions, prerequisites",
      },
      oldStr: { type: "string", description: "A text of the plan there is, found exactly once" },
      newStr: { type: "string", description: "What to put there" },
      name: { type: "string", maxLength: 200, description: "Names the plan and its file" },
      todos: TODOS_SCHEMA,
      overview: { type: "string" },
      isSpec: { type: "boolean", description: "It is a specification" },
      isProject: { type: "boolean", description: "It is the plan of a project" },
      phases: {
        type: "array",
        items: { type: "object", properties: { name: { type: "string" }, todos: TODOS_SCHEMA } },
        description: "Groups of todos",
      },
    },
    required: [],
    query: {
      type: "create-plan-request",
      queryCase: "createPlanRequestQuery",
      responseCase: "createPlanRequestResponse",
      toQuery: (args, toolCallId) => ({ args: toAgentArgs(args), toolCallId }),
    },
    look: async (args, context) => ({
      askFirst: ["a plan is the person's to accept, change or refuse"],
      diff: await preview(deps, args, context),
    }),
    run: async (args, context) => {
      const { plan, todos } = await writeDown(deps, args, context);
      const planUri = await deps.showPlan(plan);
      const finalTodos = todos.map(toItem);
      return context.grant?.isEdited === true
        ? { planUri, modified: { newPlan: plan.text, finalTodos } }
        : { planUri, accepted: { finalTodos } };
    },
    refuse: () => ({ rejected: {} }),
    agent: {
      member: "createPlanToolCall",
      fromArgs: (args) => ({
        ...args,
        todos: objectsOf(args, "todos").map(fromAgentItem),
        phases: objectsOf(args, "phases").map((phase) => ({
          ...phase,
          todos: objectsOf(phase, "todos").map(fromAgentItem),
        })),
      }),
      toResult: (_, outcome) => {
        if (outcome.kind !== "succeeded") return { error: { error: failureText(outcome) } };
        return { planUri: textOf(outcome.result, "planUri"), success: {} };
      },
    },
  });
}

/** Whether a call changes the plan there is. */
function isPatch(args: JsonObject): boolean {
  return textOf(args, "oldStr") !== "";
}

/** The plan as it would be; throws what writing it would. */
async function preview(deps: PlanDeps, args: JsonObject, context: ToolContext): Promise<string> {
  if (!isPatch(args)) return writePlan(args).text;
  const plan = await findAgentPlan(deps.db, keyOf(args, context));
  if (plan === undefined) throw noPlan();
  return patch(args, plan.text);
}

async function writeDown(
  deps: PlanDeps,
  args: JsonObject,
  context: ToolContext,
): Promise<{ readonly plan: AgentPlan; readonly todos: ReturnType<typeof writePlan>["todos"] }> {
  const now = deps.clock.now();
  const key = keyOf(args, context);
  if (isPatch(args)) {
    const plan = await changeAgentPlan(deps.db, key, (text) => patch(args, text), now);
    if (plan === undefined) throw noPlan();
    return { plan, todos: planTodos(args) };
  }
  const { todos, ...written } = writePlan(args);
  const { teamId, sessionId } = key;
  return { plan: await addAgentPlan(deps.db, { teamId, sessionId, ...written }, now), todos };
}

function patch(args: JsonObject, text: string): string {
  return replaceTexts(text, [{ oldText: textOf(args, "oldStr"), newText: textOf(args, "newStr"), field: "oldStr" }]);
}

function keyOf(args: JsonObject, { teamId, session }: ToolContext): Parameters<typeof findAgentPlan>[1] {
  const name = textOf(args, "name");
  return { teamId, sessionId: session.id, ...(name === "" || !isPatch(args) ? {} : { name }) };
}

function noPlan(): AppError {
  return new AppError("not_found", "there is no such plan in this session; leave oldStr and newStr out to make one");
}

function toAgentArgs(args: JsonObject): JsonObject {
  const { plan = "", overview = "", name = "", isProject = false } = args;
  const toAgent = (todo: JsonObject): JsonObject => ({
    id: todo["id"] ?? "",
    content: todo["content"] ?? "",
    dependencies: todo["dependencies"] ?? [],
    status: `TODO_STATUS_${textOf(todo, "status").toUpperCase() || "PENDING"}`,
  });
  return {
    plan,
    overview,
    name,
    isProject,
    todos: objectsOf(args, "todos").map(toAgent),
    phases: objectsOf(args, "phases").map((phase) => ({
      name: phase["name"] ?? "",
      todos: objectsOf(phase, "todos").map(toAgent),
    })),
  };
}
