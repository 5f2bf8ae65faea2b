import type { ToolSession } from "@quarry/store";
import type { CallFacts } from "../call-facts.ts";
import type { PolicyRule } from "../policy-rule.ts";

/** What a sub-agent never does: start others, steer its agent, or write its agent's list. */
export const NOT_FOR_SUBAGENTS: readonly string[] = [
  "task",
  "task_v2",
  "await_task",
  "background_composer_followup",
  "apply_agent_diff",
  "switch_mode",
  "todo_write",
  "create_plan",
  "update_project",
];

/** The bounds of a sub-agent, which no rule lifts; none for an agent itself. */
export function subagentRules(session: ToolSession, facts: CallFacts): readonly PolicyRule[] {
  const { agentName, writeDirectories } = session;
  if (agentName === null) return [];
  const deny = (id: string, match: PolicyRule["match"], reason: string): PolicyRule => ({
    id: `subagent:${id}`,
    source: "builtin",
    decision: "deny",
    match,
    reason,
  });
  const rules = [deny("tools", { tools: NOT_FOR_SUBAGENTS }, "a sub-agent does its task alone")];
  if (writeDirectories === null) return rules;
  const below = writeDirectories.join(", ") || "no directory";
  const misplaced = misplacedPath(writeDirectories, facts);
  if (misplaced !== undefined) rules.push(deny("paths", { tiers: ["write"] }, misplaced));
  // What a program writes cannot be told from its command line.
  rules.push(
    deny("programs", { tiers: ["exec"] }, `the sub-agent may write below ${below} alone, so it runs no programs`),
  );
  return rules;
}

/** Why a call would write outside of the directories; undefined when it would not. Paths are real ones, relative to the workspace. */
export function misplacedPath(writeDirectories: readonly string[], facts: CallFacts): string | undefined {
  const isInside = (path: string): boolean =>
    writeDirectories.some((directory) => directory === "." || path === directory || path.startsWith(`${directory}/`));
  const outside = facts.paths.find((path) => !isInside(path));
  const below = writeDirectories.join(", ") || "no directory";
  if (outside !== undefined) return `the sub-agent may write below ${below} alone, and ${outside} is elsewhere`;
  return facts.paths.length === 0
    ? `the sub-agent may write below ${below} alone, and the call names no path`
    : undefined;
}
