import type { RuleMatch } from "./rule-match.ts";

export type { ToolTier } from "./rule-match.ts";

/** What one call would touch: all that policy and the person who is asked get to see. */
export interface CallFacts {
  readonly hosts: readonly string[];
  readonly paths: readonly string[];
  readonly costDollars: number;
  readonly risk: "low" | "medium" | "high";
  /** What the person should know beside the arguments. */
  readonly notes: readonly string[];
  readonly diff?: string;
  /** The simple commands of a command line, and what read-shell.ts says of the line. */
  readonly commands?: readonly string[];
  readonly uncovered?: readonly string[];
  readonly alwaysAsk?: readonly string[];
  readonly forbidden?: readonly string[];
  /** Why a person is asked unless a rule says otherwise, though the tool only looks: it changes what later calls may do or know. */
  readonly askFirst?: readonly string[];
  /** `server:tool` of every MCP tool it calls. */
  readonly mcpTools?: readonly string[];
  /** Rules of the workspace's own file, where the machine that holds it is far away; they can only tighten. */
  readonly tightening?: readonly {
    readonly id: string;
    readonly decision: "ask" | "deny";
    readonly match: RuleMatch;
    readonly reason: string;
  }[];
}
