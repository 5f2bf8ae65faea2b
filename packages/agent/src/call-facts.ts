/** How much harm a tool can do: look, change the workspace, run programs, reach out. */
export type ToolTier = "read" | "write" | "exec" | "network";

/** What one call would touch: all that policy and the person who is asked get to see. */
export interface CallFacts {
  readonly hosts: readonly string[];
  readonly paths: readonly string[];
  readonly costDollars: number;
  readonly risk: "low" | "medium" | "high";
  /** What the person should know beside the arguments. */
  readonly notes: readonly string[];
  readonly diff?: string;
}
