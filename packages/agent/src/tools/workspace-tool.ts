import type { JsonObject } from "@bufbuild/protobuf";
import { protocolMessage, type ClientSideToolV2 } from "@quarry/contract";
import type { CallFacts, ToolTier } from "../call-facts.ts";
import type { CallOutcome, Tool, ToolContext, ToolEnd, ToolOutput } from "../tool.ts";
import { findOutside } from "../workspace/outside-places.ts";
import { resolvePath } from "../workspace/resolve-path.ts";

type PlaceDeps = Parameters<typeof findOutside>[0];

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
  /** The full names of its messages, where they are not aiserver.v1's own. */
  readonly types?: { readonly args: string; readonly result: string };
  /** Draft-07, by the JSON names of the arguments. */
  readonly properties: JsonObject;
  readonly required: readonly string[];
  /** The paths that a call names. */
  readonly pathsOf: (args: JsonObject) => readonly string[];
  /** A link that is named is meant itself, not what it points to. */
  readonly isLinkItself?: boolean;
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

/** A tool that works on files: it runs on the machine that holds the workspace, and outside of its roots only where a person says so. */
export function workspaceTool(deps: PlaceDeps, spec: WorkspaceToolSpec): Tool {
  const { name, tier, agent } = spec;
  const member = spec.members ?? spec.messages.charAt(0).toLowerCase() + spec.messages.slice(1);
  const isRead = tier === "read";
  const argsType = spec.types?.args ?? `aiserver.v1.${spec.messages}Params`;
  return {
    name,
    aliases: spec.aliases ?? [],
    clientTool: spec.clientTool,
    description: spec.description,
    tier,
    place: "workspace",
    annotations: { title: spec.title, readOnly: isRead, destructive: !isRead, idempotent: true, openWorld: false },
    args: protocolMessage(argsType),
    result: protocolMessage(spec.types?.result ?? `aiserver.v1.${spec.messages}Result`),
    schema: {
      $schema: "http://json-schema.org/draft-07/schema#",
      title: argsType,
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
    inspect: (args, context) => inspect(deps, spec, args, context),
    run: (args, context) => runSpec(deps, spec, args, context),
    refuse: (args, reason) => spec.refuse?.(args, reason) ?? {},
    ...(agent === undefined ? {} : { fromAgentArgs: agent.fromArgs }),
    toAgentResult: (args, outcome) => agent?.toResult(args, outcome),
    alike: (_, facts) => ({ tools: [name], ...(facts.paths.length === 0 ? {} : { paths: facts.paths }) }),
  };
}

/** What a call would touch. A path outside of the workspace is asked about, whatever the rules say. */
async function inspect(
  deps: PlaceDeps,
  spec: WorkspaceToolSpec,
  args: JsonObject,
  context: ToolContext,
): Promise<CallFacts> {
  const { isLinkItself = false, tier } = spec;
  const named = spec.pathsOf(args);
  const beyond = await findOutside(deps, context.session, named, { isLinkItself, isRead: tier === "read" });
  const at = withGranted(context, [...beyond.asked, ...beyond.free]);
  const roots = deps.rootsOf(at.session);
  const places = await Promise.all(named.map((each) => resolvePath(roots, each, { isLinkItself })));
  const isBeyond = (absolute: string): boolean => beyond.asked.includes(absolute) || beyond.free.includes(absolute);
  const looked = await spec.look?.(args, at);
  const paths =
    looked?.paths ?? places.map(({ absolute, relative }) => (isBeyond(absolute) ? absolute : relative || "."));
  const reasons = beyond.asked.map((absolute) => `${absolute} lies outside the workspace`);
  return {
    hosts: [],
    costDollars: 0,
    risk: tier === "read" ? "low" : "medium",
    notes: [],
    ...looked,
    paths: [...new Set([...paths, ...beyond.asked])],
    ...(reasons.length === 0 ? {} : { risk: "high" as const, alwaysAsk: [...(looked?.alwaysAsk ?? []), ...reasons] }),
  };
}

function withGranted(context: ToolContext, paths: readonly string[]): ToolContext {
  if (paths.length === 0) return context;
  const grantedPaths = [...(context.session.grantedPaths ?? []), ...paths];
  return { ...context, session: { ...context.session, grantedPaths } };
}

/** What fails is thrown, and told in two sentences by the executor. */
async function* runSpec(
  deps: PlaceDeps,
  spec: WorkspaceToolSpec,
  args: JsonObject,
  given: ToolContext,
): AsyncGenerator<ToolOutput, ToolEnd> {
  const isRead = spec.tier === "read";
  const { free } = isRead
    ? await findOutside(deps, given.session, spec.pathsOf(args), { isLinkItself: spec.isLinkItself ?? false, isRead })
    : { free: [] };
  const context = withGranted(given, free);
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
