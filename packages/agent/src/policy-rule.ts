import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { CallFacts, ToolTier } from "./call-facts.ts";
import type { RuleMatch } from "./rule-match.ts";
import type { ToolError } from "./tool-error.ts";

export type { RuleMatch } from "./rule-match.ts";

/** What policy can say of a call. */
export type Decision = "allow" | "ask" | "deny";

/** Where a rule comes from, strongest first. `hook` is a program of the owner's, `saved` and `session` come from answers, `default` counts when nothing else does. */
export type RuleSource = "hook" | "builtin" | "admin" | "user" | "workspace" | "saved" | "session" | "default";

/** A rule of the policy. */
export interface PolicyRule {
  readonly id: string;
  readonly source: RuleSource;
  readonly decision: Decision;
  readonly match: RuleMatch;
  /** Why, for the person who is asked or refused. */
  readonly reason: string;
  /** What a refusal says, where whoever refuses has words of their own. */
  readonly told?: ToolError;
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
  const { tools, tiers, hosts, paths, args, costAboveDollars, commands, mcpTools } = rule.match;
  const covers = (patterns: readonly string[], texts: readonly string[], separator: string): boolean => {
    const isCovered = (text: string): boolean => patterns.some((pattern) => matchesText(pattern, text, separator));
    return texts.length > 0 && (rule.decision === "allow" ? texts.every(isCovered) : texts.some(isCovered));
  };
  return (
    (tools === undefined || tools.some((pattern) => matchesText(pattern, call.tool, ""))) &&
    (tiers === undefined || tiers.includes(call.tier)) &&
    (hosts === undefined || covers(hosts, call.facts.hosts, "")) &&
    (paths === undefined || covers(paths, call.facts.paths, "/")) &&
    (commands === undefined || coversCommands(rule, commands, call.facts)) &&
    (mcpTools === undefined || coversMcpTools(rule, mcpTools, call.facts.mcpTools ?? [])) &&
    (costAboveDollars === undefined || call.facts.costDollars > costAboveDollars) &&
    (args === undefined || Object.entries(args).every(([name, wanted]) => matchesArg(wanted, call.args[name], covers)))
  );
}

/** A rule that allows must speak for every simple command, and for nothing but simple commands. */
function coversCommands(rule: PolicyRule, patterns: readonly string[], facts: CallFacts): boolean {
  const { commands = [], uncovered = [] } = facts;
  const isCovered = (command: string): boolean =>
    patterns.some((pattern) => command === pattern || command.startsWith(`${pattern} `));
  if (rule.decision !== "allow") return commands.some(isCovered);
  return commands.length > 0 && uncovered.length === 0 && commands.every(isCovered);
}

/** The longest name of a server or tool that a rule can be about. */
const MAX_MCP_NAME = 256;

function coversMcpTools(rule: PolicyRule, patterns: readonly string[], named: readonly string[]): boolean {
  const isCovered = (name: string): boolean => {
    const [server = "", tool = "", ...rest] = name.split(":");
    const isOdd =
      rest.length > 0 || [server, tool].some((part) => part === "" || part.length > MAX_MCP_NAME || part.includes("*"));
    if (isOdd) return rule.decision !== "allow";
    return patterns.some((pattern) => {
      const [wantedServer = "", wantedTool] = pattern.split(":");
      return (wantedServer === "*" || wantedServer === server) && (wantedTool === "*" || wantedTool === tool);
    });
  };
  return named.length > 0 && (rule.decision === "allow" ? named.every(isCovered) : named.some(isCovered));
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
