import { AppError } from "@quarry/base";
import { ClientSideToolV2 } from "@quarry/contract";
import type { Tool } from "./tool.ts";

/** The tools there are. */
export interface ToolRegistry {
  readonly all: readonly Tool[];
  /** By name or by another name models use. */
  readonly byName: (name: string) => Tool | undefined;
  readonly byClientTool: (value: ClientSideToolV2) => Tool | undefined;
  /** By the member of agent.v1.ToolCall. */
  readonly byAgentCall: (member: string) => Tool | undefined;
  /** By the member of ClientSideToolV2Call.params. */
  readonly byParams: (member: string) => Tool | undefined;
}

/** Collects tools; throws when two claim one name, number or member. */
export function createToolRegistry(tools: readonly Tool[]): ToolRegistry {
  const byName = index(tools.flatMap((tool) => [tool.name, ...tool.aliases].map((name) => [name, tool] as const)));
  const byClientTool = index(
    tools.filter((tool) => tool.clientTool !== ClientSideToolV2.UNSPECIFIED).map((tool) => [tool.clientTool, tool]),
  );
  const byParams = index(tools.map((tool) => [tool.members.params, tool]));
  const byAgentCall = index(
    tools.flatMap((tool) => (tool.members.agentCall === undefined ? [] : [[tool.members.agentCall, tool] as const])),
  );
  return {
    all: tools,
    byName: (name) => byName.get(name),
    byClientTool: (value) => byClientTool.get(value),
    byAgentCall: (member) => byAgentCall.get(member),
    byParams: (member) => byParams.get(member),
  };
}

function index<Key>(entries: readonly (readonly [Key, Tool])[]): ReadonlyMap<Key, Tool> {
  const map = new Map<Key, Tool>();
  for (const [key, tool] of entries) {
    if (map.has(key)) throw new AppError("internal", `two tools claim ${String(key)}`);
    map.set(key, tool);
  }
  return map;
}
