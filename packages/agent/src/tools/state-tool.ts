import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { Clock } from "@quarry/base";
import { protocolMessage, type ClientSideToolV2 } from "@quarry/contract";
import type { Database } from "@quarry/store";
import type { CallFacts } from "../call-facts.ts";
import type { LiveCall } from "../live-call.ts";
import type { CallRequest } from "../spine.ts";
import type { CallOutcome, Tool, ToolContext, ToolEnd, ToolOutput } from "../tool.ts";

/** What the tools share that keep what an agent knows and does in rows. */
export interface StateDeps {
  readonly db: Database;
  readonly clock: Clock;
  /** Starts another call by the same rules, as the runtime does. */
  readonly startCall: (request: CallRequest) => LiveCall;
}

/** What is particular to such a tool. It touches no file, so it runs in the server, also where the workspace is far away. */
export interface StateToolSpec extends Pick<Tool, "query" | "runMs" | "takeAnswer"> {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly clientTool: ClientSideToolV2;
  readonly title: string;
  readonly description: string;
  /** Its messages without "Params" and "Result". */
  readonly messages: string;
  /** Draft-07, by the JSON names of the arguments. */
  readonly properties: JsonObject;
  readonly required: readonly string[];
  readonly isReadOnly?: boolean;
  /** What a person should know before they let it run. */
  readonly look?: (args: JsonObject, context: ToolContext) => Promise<Partial<CallFacts>>;
  readonly run: (
    args: JsonObject,
    context: ToolContext,
  ) => AsyncGenerator<ToolOutput, JsonObject> | Promise<JsonObject>;
  readonly refuse?: (args: JsonObject, reason: string) => JsonObject;
  /** Its twin in agent.v1. */
  readonly agent?: {
    readonly member: string;
    readonly fromArgs?: (args: JsonObject) => JsonObject;
    readonly toResult: (args: JsonObject, outcome: CallOutcome, asked?: JsonObject) => JsonObject | undefined;
  };
}

/** A tool that keeps what an agent knows and does. */
export function stateTool(spec: StateToolSpec): Tool {
  const { name, agent, query, runMs, takeAnswer } = spec;
  const member = spec.messages.charAt(0).toLowerCase() + spec.messages.slice(1);
  const isReadOnly = spec.isReadOnly === true;
  return {
    name,
    aliases: spec.aliases ?? [],
    clientTool: spec.clientTool,
    description: spec.description,
    // It changes nothing outside of Quarry: plan mode needs plans, and an agent its todos.
    tier: "read",
    annotations: { title: spec.title, readOnly: isReadOnly, destructive: false, idempotent: true, openWorld: false },
    args: protocolMessage(`aiserver.v1.${spec.messages}Params`),
    result: protocolMessage(`aiserver.v1.${spec.messages}Result`),
    schema: {
      $schema: "http://json-schema.org/draft-07/schema#",
      title: `aiserver.v1.${spec.messages}Params`,
      type: "object",
      properties: spec.properties,
      required: [...spec.required],
    },
    members: {
      params: `${member}Params`,
      result: `${member}Result`,
      ...(agent === undefined ? {} : { agentCall: agent.member }),
    },
    ...(query === undefined ? {} : { query }),
    ...(runMs === undefined ? {} : { runMs }),
    ...(takeAnswer === undefined ? {} : { takeAnswer }),
    isEditable: takeAnswer === undefined,
    inspect: async (args, context) => ({
      hosts: [],
      paths: [],
      costDollars: 0,
      risk: "low",
      notes: [],
      ...(await spec.look?.(args, context)),
    }),
    run: (args, context) => runSpec(spec, args, context),
    refuse: (args, reason) => spec.refuse?.(args, reason) ?? {},
    ...(agent?.fromArgs === undefined ? {} : { fromAgentArgs: agent.fromArgs }),
    toAgentResult: (args, outcome, asked) => agent?.toResult(args, outcome, asked),
    alike: () => ({ tools: [name] }),
  };
}

async function* runSpec(
  spec: StateToolSpec,
  args: JsonObject,
  context: ToolContext,
): AsyncGenerator<ToolOutput, ToolEnd> {
  const running = spec.run(args, context);
  const result = running instanceof Promise ? await running : yield* running;
  return { kind: "succeeded", result };
}

/** A list of objects; empty when it was left out. */
export function objectsOf(args: JsonObject, name: string): readonly JsonObject[] {
  const value = args[name];
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

/** Whether a value is an object, and no list. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
