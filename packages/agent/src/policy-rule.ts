import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { CallFacts, ToolTier } from "./call-facts.ts";
import type { RuleMatch } from "./rule-match.ts";

export type { RuleMatch } from "./rule-match.ts";

/** What policy can say of a call. */
export type Decision = "allow" | "ask" | "deny";

/** Where a rule comes from, strongest first. `saved` and `session` come from answers, `default` counts when nothing else does. */
export type RuleSource = "builtin" | "admin" | "user" | "workspace" | "saved" | "session" | "default";

/** A rule of the policy. */
export interface PolicyRule {
  readonly id: string;
  readonly source: RuleSource;
  readonly decision: Decision;
  readonly match: RuleMatch;
  /** Why, for the person who is asked or refused. */
  readonly reason: string;
}

/** A call as policy sees it: no tool, no session, only what it would touch. */
export interface PolicyCall {
  readonly tool: string;
  readonly tier: ToolTier;
  readonly args: JsonObject;
  readonly facts: CallFacts;
}

/**
 * Whether a rule is about a call. Where a call touches several hosts or paths, a
 * rule that allows must cover them all, and one that asks or denies need cover one.
 */
export function matchesRule(rule: PolicyRule, call: PolicyCall): boolean {
  const { tools, tiers, hosts, paths, args, costAboveDollars } = rule.match;
  const covers = (patterns: readonly string[], texts: readonly string[], separator: string): boolean => {
    const isCovered = (text: string): boolean => patterns.some((pattern) => matchesText(pattern, text, separator));
    return texts.length > 0 && (rule.decision === "allow" ? texts.every(isCovered) : texts.some(isCovered));
  };
  return (
    (tools === undefined || tools.some((pattern) => matchesText(pattern, call.tool, ""))) &&
    (tiers === undefined || tiers.includes(call.tier)) &&
    (hosts === undefined || covers(hosts, call.facts.hosts, "")) &&
    (paths === undefined || covers(paths, call.facts.paths, "/")) &&
    (costAboveDollars === undefined || call.facts.costDollars > costAboveDollars) &&
    (args === undefined || Object.entries(args).every(([name, wanted]) => matchesArg(wanted, call.args[name], covers)))
  );
}

function matchesArg(
  wanted: JsonValue,
  given: JsonValue | undefined,
  covers: (patterns: readonly string[], texts: readonly string[], separator: string) => boolean,
): boolean {
  if (typeof wanted === "string" && Array.isArray(given)) {
    return given.every((item) => typeof item === "string") && covers([wanted], given, "");
  }
  if (typeof wanted === "string" && typeof given === "string") return matchesText(wanted, given, "");
  return given !== undefined && JSON.stringify(wanted) === JSON.stringify(given);
}

/** Whether the whole text fits. With a separator, `*` stays within one part and `**` does not. */
function matchesText(pattern: string, text: string, separator: string): boolean {
  const any = separator === "" ? "[^]*" : `[^${separator}]*`;
  const source = pattern
    .split(/(\*+)/)
    .map((part) =>
      part === "*" ? any : part.startsWith("**") ? "[^]*" : part.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"),
    )
    .join("");
  return new RegExp(`^${source}$`).test(text);
}
