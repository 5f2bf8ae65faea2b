import { fromJson, type JsonObject } from "@bufbuild/protobuf";
import { AgentToolCallSchema } from "@quarry/contract";
import type { Database } from "@quarry/store";
import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import { toAgentCall } from "./to-messages.ts";
import { createToolRegistry } from "./tool-registry.ts";
import type { CallOutcome, Tool } from "./tool.ts";
import { AgentState } from "./tools/agent-state.ts";
import { outsideTools } from "./tools/outside-tools.ts";
import { webTools } from "./tools/web-tools.ts";
import { workspaceTools } from "./tools/workspace-tools.ts";
import { validateArgs } from "./validate-call.ts";
import type { WorkspaceDeps } from "./workspace/workspace-deps.ts";

/** Members of agent.v1.ToolCall up to 2.4 that are no tool of the catalogue: what an agent's own machinery does. */
const NO_TOOLS = [
  "reflectToolCall",
  "setupVmEnvironmentToolCall",
  "truncatedToolCall",
  "startGrindExecutionToolCall",
  "startGrindPlanningToolCall",
];
/** The last member of 2.4; later ones are for forward compatibility. */
const LAST = 38;

/** Arguments that each twin takes, as its own client sends them. */
const SAMPLES: Readonly<Record<string, JsonObject>> = {
  shellToolCall: { command: "ls" },
  deleteToolCall: { path: "a" },
  globToolCall: { globPattern: "*.ts" },
  grepToolCall: { pattern: "x" },
  readToolCall: { path: "a" },
  updateTodosToolCall: { todos: [{ id: "a", content: "x", status: "TODO_STATUS_PENDING" }], merge: true },
  readTodosToolCall: {},
  editToolCall: { path: "a", streamContent: "x" },
  lsToolCall: { path: "." },
  readLintsToolCall: { paths: ["a"] },
  mcpToolCall: { name: "s-t", toolName: "t", providerIdentifier: "s" },
  semSearchToolCall: { query: "where" },
  createPlanToolCall: { plan: "p", todos: [{ id: "a", content: "x" }], phases: [{ name: "one" }] },
  webSearchToolCall: { searchTerm: "x" },
  taskToolCall: {
    description: "d",
    prompt: "p",
    resume: "task_1",
    subagentType: { explore: {} },
    mode: "TASK_MODE_PLAN",
  },
  listMcpResourcesToolCall: {},
  readMcpResourceToolCall: { server: "s", uri: "u:1" },
  applyAgentDiffToolCall: { agentId: "x" },
  askQuestionToolCall: {
    title: "t",
    questions: [
      {
        id: "q",
        prompt: "p",
        options: [
          { id: "a", label: "A" },
          { id: "b", label: "B" },
        ],
      },
    ],
  },
  fetchToolCall: { url: "https://a.example" },
  switchModeToolCall: { targetModeId: "plan", explanation: "why" },
  exaSearchToolCall: { query: "x" },
  exaFetchToolCall: { ids: ["https://a.example"] },
  generateImageToolCall: { description: "a cat", filePath: "cat.png" },
  recordScreenToolCall: { mode: "RECORDING_MODE_START_RECORDING" },
  computerUseToolCall: { actions: [{ screenshot: {} }] },
  writeShellStdinToolCall: { shellId: 1, chars: "y" },
  webFetchToolCall: { url: "https://a.example" },
  reportBugfixResultsToolCall: { summary: "s", results: [] },
};

const OUTCOMES: readonly CallOutcome[] = [
  { kind: "failed", error: { client: "c", model: "it failed" } },
  { kind: "rejected", reason: "no", review: null },
  { kind: "cancelled" },
];

describe("twins in agent.v1", () => {
  verifies(
    "agent-protocol:agent-twins:every-tool",
    "are there for every member of its ToolCall, take its arguments and answer in its form",
    () => {
      const registry = createToolRegistry(everyTool());
      const members = AgentToolCallSchema.fields
        .filter((field) => field.oneof !== undefined && field.number <= LAST)
        .map(({ jsonName }) => jsonName);
      const wanted = members.filter((member) => !NO_TOOLS.includes(member));
      expect(wanted.filter((member) => registry.byAgentCall(member) === undefined)).toEqual([]);
      expect(Object.keys(SAMPLES).toSorted()).toEqual(wanted.toSorted());
      for (const member of wanted) {
        const tool = registry.byAgentCall(member);
        if (tool === undefined) throw new Error(`${member} has no tool`);
        // One executor: what the twin runs is the tool that the other door finds by its name.
        expect(registry.byName(tool.name)).toBe(tool);
        const args = SAMPLES[member] ?? {};
        const given = fromJson(AgentToolCallSchema, { [member]: { args } });
        const valid = validateArgs(tool, tool.fromAgentArgs?.(args) ?? args);
        expect([member, valid.kind === "invalid" ? valid.error.model : "valid"]).toEqual([member, "valid"]);
        const ran = valid.kind === "valid" ? valid.args : {};
        for (const outcome of OUTCOMES) {
          const made = toAgentCall(tool, given, { tool: tool.name, args: ran, outcome, call: undefined });
          expect(made.tool.case).toBe(member);
        }
      }
    },
  );
});

it("narrows a list of todos as its twin was asked, and says how long it is", () => {
  const tool = createToolRegistry(everyTool()).byName("todo_read");
  const todos = [
    { id: "a", content: "x", status: "pending" },
    { id: "b", content: "y", status: "completed" },
    { id: "c", content: "z", status: "completed" },
  ];
  const ask = (args: JsonObject): readonly unknown[] => {
    if (tool === undefined) throw new Error("there is no todo_read");
    const given = fromJson(AgentToolCallSchema, { readTodosToolCall: { args } });
    const outcome = { kind: "succeeded", result: { todos } } as const;
    const { tool: made } = toAgentCall(tool, given, { tool: tool.name, args: {}, outcome, call: undefined });
    const result = made.case === "readTodosToolCall" ? made.value.result?.result : undefined;
    return result?.case === "success" ? [result.value.todos.map(({ id }) => id), result.value.totalCount] : [];
  };
  expect(ask({})).toEqual([["a", "b", "c"], 3]);
  expect(ask({ statusFilter: ["TODO_STATUS_COMPLETED"] })).toEqual([["b", "c"], 3]);
  expect(ask({ statusFilter: ["TODO_STATUS_COMPLETED"], idFilter: ["a", "c"] })).toEqual([["c"], 3]);
});

/** Every tool there is; none is run here, so that what they work on need not be there. */
function everyTool(): readonly Tool[] {
  const nothing = {} as WorkspaceDeps;
  const state = new AgentState({
    db: {} as Database,
    clock: { now: () => new Date(0) },
    model: undefined,
    workspace: nothing,
    plansDirectory: "",
    onFailure: () => undefined,
  });
  return [
    ...webTools({ search: () => Promise.resolve([]), readContents: () => Promise.resolve([]) }),
    ...workspaceTools(nothing),
    ...outsideTools({ screens: {} } as Parameters<typeof outsideTools>[0]),
    ...state.tools,
  ];
}
