import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { checkArgs } from "../../check-args.ts";
import { toolError, ToolFailure } from "../../tool-error.ts";
import type { SpokenCall } from "../../tool.ts";

interface Offered {
  readonly name: string;
  readonly description: string;
  readonly parameters: string;
  readonly serverName: string;
}

/**
 * Finds out which of the offered tools is called, and with what. With `raw_args` (or `arguments` beside `tools` in a
 * plain JSON call) each tool's `parameters` is its JSON Schema, and the arguments must fit the chosen one's; without,
 * there is one tool, and its `parameters` are the arguments. Throws a ToolFailure that says what is wrong.
 */
export function readOffer({ name, params, raw }: SpokenCall): JsonObject {
  const source = params ?? raw;
  const offered = (Array.isArray(source["tools"]) ? source["tools"] : []).map(toOffered);
  const given = params === undefined ? raw["arguments"] : Object.keys(raw).length === 0 ? undefined : raw;
  const wanted = params === undefined ? textOf(raw, "name") : name;
  const chosen = choose(offered, wanted);
  const args = isObject(given) ? checked(chosen, given) : argumentsIn(chosen);
  const threshold = source["fileOutputThresholdBytes"] ?? source["file_output_threshold_bytes"];
  return {
    tools: [{ ...chosen, parameters: JSON.stringify(args) }],
    ...(threshold === undefined ? {} : { fileOutputThresholdBytes: threshold }),
  };
}

function choose(offered: readonly Offered[], wanted: string): Offered {
  const matching = offered.filter(({ name, serverName }) =>
    [name, `${serverName}:${name}`, `mcp_${serverName}_${name}`].includes(wanted),
  );
  const [chosen, ...others] = matching.length > 0 ? matching : offered;
  if (chosen !== undefined && others.length === 0) return chosen;
  const names = offered.map(({ name, serverName }) => `${serverName}:${name}`);
  throw wrong(
    "no tool was chosen",
    offered.length === 0 ? "The call offers no tools." : `The call offers ${names.join(", ")} and names none of them.`,
    "Name one as server:tool, or offer one tool alone.",
  );
}

function checked(chosen: Offered, args: JsonObject): JsonObject {
  const schema = chosen.parameters === "" ? {} : parse(chosen.parameters);
  if (!isObject(schema)) throw notSchema(chosen);
  // Servers name several drafts; what matters here is in all of them.
  const rules = Object.fromEntries(Object.entries(schema).filter(([name]) => name !== "$schema"));
  const problems = fit(chosen, rules, args);
  if (problems.length === 0) return args;
  throw wrong(
    `${chosen.name}: ${problems[0] ?? "wrong arguments"}`,
    `The arguments do not fit the parameters of ${chosen.name} (${problems.join("; ")}).`,
    "Correct them and call again.",
  );
}

function fit(chosen: Offered, rules: JsonObject, args: JsonObject): readonly string[] {
  try {
    return checkArgs(rules, args);
  } catch (cause) {
    throw notSchema(chosen, cause);
  }
}

function argumentsIn(chosen: Offered): JsonObject {
  const args = chosen.parameters === "" ? {} : parse(chosen.parameters);
  if (isObject(args)) return args;
  throw wrong(
    `${chosen.name}: parameters are not JSON`,
    `The parameters of ${chosen.name} are no JSON object.`,
    "Send the arguments as a JSON object in raw_args.",
  );
}

function notSchema(chosen: Offered, cause?: unknown): ToolFailure {
  const why = cause instanceof Error ? ` (${cause.message})` : "";
  return wrong(
    `${chosen.name}: parameters are no JSON Schema`,
    `The parameters of ${chosen.name} are no JSON Schema${why}.`,
    "Send the schema as the server lists it.",
  );
}

function wrong(client: string, happened: string, next: string): ToolFailure {
  return new ToolFailure(toolError(client, `${happened} Nothing was called.`, next));
}

function toOffered(value: JsonValue): Offered {
  const tool = isObject(value) ? value : {};
  const { server_name: snake = "", serverName = snake } = tool;
  return {
    name: textOf(tool, "name"),
    description: textOf(tool, "description"),
    parameters: textOf(tool, "parameters"),
    serverName: typeof serverName === "string" ? serverName : "",
  };
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined; // the caller says what was expected
  }
}

function textOf(object: JsonObject, name: string): string {
  const value = object[name];
  return typeof value === "string" ? value : "";
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
