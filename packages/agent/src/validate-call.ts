import { fromJson, toJson, type DescMessage, type JsonObject, type JsonValue } from "@bufbuild/protobuf";
import { nearestName } from "@quarry/base";
import { ClientSideToolV2 } from "@quarry/contract";
import { checkArgs } from "./check-args.ts";
import { acceptSeedNames } from "./seed-names.ts";
import { toolError, ToolFailure, type ToolError } from "./tool-error.ts";
import type { ToolRegistry } from "./tool-registry.ts";
import type { Tool } from "./tool.ts";

/** A call as a door hands it over, before anything was checked. */
export interface GivenCall {
  readonly clientTool: ClientSideToolV2;
  readonly name: string;
  /** The typed member as protobuf JSON, and which one it is; undefined when only `rawArgs` came. */
  readonly params: { readonly member: string; readonly args: JsonObject } | undefined;
  readonly rawArgs: string;
}

/** A call that may be looked at by policy, or the two sentences why not. */
export type ValidatedCall =
  | { readonly kind: "valid"; readonly tool: Tool; readonly args: JsonObject }
  | { readonly kind: "invalid"; readonly tool: string; readonly error: ToolError };

/** Finds the tool and checks its arguments: the typed member where there is one, else `raw_args` by the tool's JSON Schema. */
export function validateCall(registry: ToolRegistry, given: GivenCall): ValidatedCall {
  const tool = findTool(registry, given);
  if (tool === undefined) return unknownTool(registry, given);
  if (given.params !== undefined && given.params.member !== tool.members.params) {
    const error = toolError(
      `${tool.name}: wrong arguments`,
      `The call names ${tool.name} but carries ${given.params.member}, so nothing was done.`,
      `Send ${tool.members.params}, or the arguments as JSON in raw_args.`,
    );
    return { kind: "invalid", tool: tool.name, error };
  }
  const raw = parseRawArgs(given.rawArgs);
  const args = tool.readCall === undefined ? (given.params?.args ?? raw) : raw;
  if (args === undefined) {
    const error = toolError(
      `${tool.name}: arguments are not JSON`,
      `The raw_args of ${tool.name} are not a JSON object, so nothing was done.`,
      `Send one that fits its schema: ${JSON.stringify(tool.schema)}`,
    );
    return { kind: "invalid", tool: tool.name, error };
  }
  if (tool.readCall === undefined) return validateArgs(tool, args);
  try {
    return validateArgs(tool, tool.readCall({ name: given.name, params: given.params?.args, raw: args }));
  } catch (error) {
    if (error instanceof ToolFailure) return { kind: "invalid", tool: tool.name, error: error.toolError };
    throw error;
  }
}

/** Checks arguments and brings them into their one form: JSON names, defaults left out, without tool_call_id. */
export function validateArgs(tool: Tool, given: JsonObject): ValidatedCall {
  const named = toJsonNames(tool.args, acceptSeedNames(tool.args.typeName, given));
  const problems = checkArgs(tool.schema, named);
  if (problems.length > 0) {
    const error = toolError(
      `${tool.name}: ${problems[0] ?? "wrong arguments"}`,
      `The arguments of ${tool.name} do not fit (${problems.join("; ")}), so nothing was done.`,
      "Correct them and call again.",
    );
    return { kind: "invalid", tool: tool.name, error };
  }
  const message = fromJson(tool.args, named, { ignoreUnknownFields: true });
  const args = Object.entries(toJson(tool.args, message) as JsonObject).filter(([name]) => name !== "toolCallId");
  return { kind: "valid", tool, args: Object.fromEntries(args) };
}

/** The typed member decides, then the enum, then the name. */
function findTool(registry: ToolRegistry, given: GivenCall): Tool | undefined {
  if (given.clientTool !== ClientSideToolV2.UNSPECIFIED) return registry.byClientTool(given.clientTool);
  if (given.name !== "") return registry.byName(given.name);
  return given.params === undefined ? undefined : registry.byParams(given.params.member);
}

function unknownTool(registry: ToolRegistry, given: GivenCall): ValidatedCall {
  const asked = given.name || nameOf(given.clientTool);
  const names = registry.all.map(({ name }) => name);
  const near = nearestName(asked, names);
  const error = toolError(
    `There is no tool ${asked}`,
    `There is no tool ${asked} here, so nothing was done.`,
    `${near === undefined ? "" : `Did you mean ${near}? `}Tools: ${names.join(", ")}.`,
  );
  return { kind: "invalid", tool: asked, error };
}

/** A number from the future has no name. */
function nameOf(clientTool: ClientSideToolV2): string {
  const names: Readonly<Record<number, string>> = ClientSideToolV2;
  return names[clientTool] ?? `number ${clientTool}`;
}

function parseRawArgs(text: string): JsonObject | undefined {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined; // the caller says what was expected
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Protobuf JSON takes a field's own name as well as its JSON name; a schema knows one. */
function toJsonNames(message: DescMessage, value: JsonObject): JsonObject {
  const named: Record<string, JsonValue> = {};
  for (const [name, member] of Object.entries(value)) {
    const field = message.fields.find((candidate) => candidate.name === name || candidate.jsonName === name);
    if (field?.message === undefined || field.fieldKind === "map") named[field?.jsonName ?? name] = member;
    else if (Array.isArray(member)) {
      const inner = field.message;
      named[field.jsonName] = member.map((item) => (isObject(item) ? toJsonNames(inner, item) : item));
    } else named[field.jsonName] = isObject(member) ? toJsonNames(field.message, member) : member;
  }
  return named;
}
