import type { CallContext, ToolSession } from "@quarry/store";
import type { CallFacts } from "./call-facts.ts";
import type { PolicyRule, RuleMatch } from "./policy-rule.ts";
import type { SpineDeps } from "./spine.ts";
import { subagentRules } from "./subagents/subagent-rules.ts";
import type { Tool } from "./tool.ts";

/** Every rule that holds in a session: built in, from files, saved by answers. */
export function gatherRules(
  deps: Pick<SpineDeps, "policyFiles" | "filesOf">,
  { session, rules }: CallContext,
  facts: CallFacts,
  tool: Pick<Tool, "obeysModes">,
): readonly PolicyRule[] {
  return [
    ...modeRules(session, tool),
    ...subagentRules(session, facts),
    ...builtinRules(facts),
    ...(facts.askFirst ?? []).map((reason): PolicyRule => ({
      id: "default:tool",
      source: "default",
      decision: "ask",
      match: {},
      reason,
    })),
    ...deps.policyFiles.read(deps.filesOf(session)),
    ...(facts.tightening ?? []).map((rule): PolicyRule => ({ ...rule, source: "workspace" })),
    ...rules.map((rule): PolicyRule => {
      const isSession = rule.sessionId !== null;
      return {
        id: rule.id,
        source: isSession ? "session" : "saved",
        decision: "allow",
        match: rule.rule as unknown as RuleMatch, // written by answer-approval.ts from a tool's `alike`
        reason: `${rule.createdBy} allowed like calls ${isSession ? "for this session" : "for good"}`,
      };
    }),
  ];
}

/** What no rule can lift: commands that are never run, and those that are always asked about. */
export function builtinRules(facts: CallFacts): readonly PolicyRule[] {
  const rules = (decision: "ask" | "deny", reasons: readonly string[] = []): readonly PolicyRule[] =>
    reasons.map((reason) => ({ id: `builtin:${decision}`, source: "builtin", decision, match: {}, reason }));
  return [...rules("deny", facts.forbidden), ...rules("ask", facts.alwaysAsk)];
}

/** In the modes plan and ask nothing may be changed, whatever the rules say; a tool that sees to that itself may look. */
export function modeRules(session: ToolSession, tool: Pick<Tool, "obeysModes">): readonly PolicyRule[] {
  if (session.mode === "agent" || tool.obeysModes === true) return [];
  return [
    {
      id: `mode:${session.mode}`,
      source: "builtin",
      decision: "deny",
      match: { tiers: ["write", "exec"] },
      reason: `the session is in ${session.mode} mode, which changes nothing`,
    },
  ];
}
