import type { JsonObject } from "@bufbuild/protobuf";
import { protocolMessage, type ClientSideToolV2 } from "@quarry/contract";
import type { CallFacts, ToolTier } from "../call-facts.ts";
import type { CallOutcome, Tool, ToolContext, ToolEnd, ToolOutput } from "../tool.ts";
import { resolvePath } from "../workspace/resolve-path.ts";
import type { WorkspaceDeps } from "../workspace/workspace-deps.ts";

/** What is particular to a tool that works on files: exactly one of `run` and `stream` does the work. */
export type WorkspaceToolSpec = WorkspaceToolTraits & (RunsAtOnce | Streams);

/** A tool that says nothing on its way. */
interface RunsAtOnce {
  readonly run: (args: JsonObject, context: ToolContext) => Promise<JsonObject>;
  readonly stream?: never;
}

/** A tool that shows what it does while it does it; what it returns is its result. */
interface Streams {
  readonly stream: (args: JsonObject, context: ToolContext) => AsyncGenerator<ToolOutput, JsonObject>;
  readonly run?: never;
}

interface WorkspaceToolTraits {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly clientTool: ClientSideToolV2;
  readonly title: string;
  readonly description: string;
  readonly tier: ToolTier;
  /** Its messages without "Params" and "Result", such as `ReadFileV2`, and what its members are called. */
  readonly messages: string;
  readonly members?: string;
  /** Draft-07, by the JSON names of the arguments. */
  readonly properties: JsonObject;
  readonly required: readonly string[];
  /** The paths that a call names. */
  readonly pathsOf: (args: JsonObject) => readonly string[];
  /** What a person should know before they let it run, beside the paths. */
  readonly look?: (args: JsonObject, context: ToolContext) => Promise<Partial<CallFacts>>;
  readonly refuse?: (args: JsonObject, reason: string) => JsonObject;
  /** Its twin in agent.v1. */
  readonly agent?: {
    readonly member: string;
    readonly fromArgs: (args: JsonObject) => JsonObject;
    readonly toResult: (args: JsonObject, outcome: CallOutcome) => JsonObject | undefined;
  };
}

/** A tool that works on files: it runs on the machine that holds the workspace, and never outside of its roots. */
export function workspaceTool(deps: Pick<WorkspaceDeps, "rootsOf">, spec: WorkspaceToolSpec): Tool {
  const { name, tier, agent } = spec;
  const member = spec.members ?? spec.messages.charAt(0).toLowerCase() + spec.messages.slice(1);
  const isRead = tier === "read";
  return {
    name,
    aliases: spec.aliases ?? [],
    clientTool: spec.clientTool,
    description: spec.description,
    tier,
    place: "workspace",
    annotations: { title: spec.title, readOnly: isRead, destructive: !isRead, idempotent: true, openWorld: false },
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
    isEditable: true,
    inspect: async (args, context) => {
      const roots = deps.rootsOf(context.session);
      const places = await Promise.all(spec.pathsOf(args).map((each) => resolvePath(roots, each)));
      return {
        hosts: [],
        paths: places.map(({ relative }) => relative || "."),
        costDollars: 0,
        risk: isRead ? "low" : "medium",
        notes: [],
        ...(await spec.look?.(args, context)),
      };
    },
    run: (args, context) => runSpec(spec, args, context),
    refuse: (args, reason) => spec.refuse?.(args, reason) ?? {},
    ...(agent === undefined ? {} : { fromAgentArgs: agent.fromArgs }),
    toAgentResult: (args, outcome) => agent?.toResult(args, outcome),
    alike: (_, facts) => ({ tools: [name], ...(facts.paths.length === 0 ? {} : { paths: facts.paths }) }),
  };
}

/** What fails is thrown, and told in two sentences by the executor. */
async function* runSpec(
  spec: WorkspaceToolSpec,
  args: JsonObject,
  context: ToolContext,
): AsyncGenerator<ToolOutput, ToolEnd> {
  const result = spec.stream === undefined ? await spec.run(args, context) : yield* spec.stream(args, context);
  return { kind: "succeeded", result };
}

/** A text argument; empty when it was left out, as protobuf has it. */
export function textOf(args: JsonObject, name: string): string {
  const value = args[name];
  return typeof value === "string" ? value : "";
}

/** A number argument; undefined when it was left out. */
export function numberOf(args: JsonObject, name: string): number | undefined {
  const value = args[name];
  return typeof value === "number" ? value : undefined;
}

/** A list of texts; empty when it was left out. */
export function textsOf(args: JsonObject, name: string): readonly string[] {
  const value = args[name];
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

/** What agent.v1 says of a call that did not succeed, in one text. */
export function failureText(outcome: Exclude<CallOutcome, { kind: "succeeded" }>): string {
  switch (outcome.kind) {
    case "failed":
      return outcome.error.model;
    case "rejected":
      return `The person declined: ${outcome.reason}`;
    case "cancelled":
      return "The call was cancelled; nothing was returned.";
  }
}
