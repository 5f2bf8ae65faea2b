import type { JsonObject } from "@bufbuild/protobuf";

/** How much harm a tool can do: look, change the workspace, run programs, reach out. */
export type ToolTier = "read" | "write" | "exec" | "network";

/** Which calls a rule is about; what it leaves out does not matter. `*` in a text stands for anything. */
export interface RuleMatch {
  readonly tools?: readonly string[];
  readonly tiers?: readonly ToolTier[];
  readonly hosts?: readonly string[];
  readonly paths?: readonly string[];
  /** By the JSON name of the argument. */
  readonly args?: JsonObject;
  readonly costAboveDollars?: number;
  /** How a simple command of the shell begins, such as `git status`. */
  readonly commands?: readonly string[];
  /** `server:tool` of MCP; `*` stands for any server or any tool. */
  readonly mcpTools?: readonly string[];
}
