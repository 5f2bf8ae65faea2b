import { matchesRule, type Decision, type PolicyCall, type PolicyRule, type RuleSource } from "./policy-rule.ts";

/** What policy says of a call, and why. */
export interface Verdict {
  readonly decision: Decision;
  /** The rule that decided. */
  readonly rule: PolicyRule;
  /** Every rule that is about the call and counts, the decisive one first. */
  readonly matching: readonly PolicyRule[];
  /** Rules about the call that do not count: what a workspace's own file would allow. */
  readonly ignored: readonly PolicyRule[];
}

/** Counts when no other rule does: looking is allowed, everything else is asked. */
export const DEFAULT_RULES: readonly PolicyRule[] = [
  {
    id: "default:read",
    source: "default",
    decision: "allow",
    match: { tiers: ["read"] },
    reason: "tools that only read are allowed",
  },
  {
    id: "default:ask",
    source: "default",
    decision: "ask",
    match: {},
    reason: "tools that write, run programs or reach out are asked about",
  },
];

const SEVERITY: Readonly<Record<Decision, number>> = { deny: 2, ask: 1, allow: 0 };
const STRENGTH: readonly RuleSource[] = [
  "hook",
  "builtin",
  "admin",
  "user",
  "workspace",
  "saved",
  "session",
  "default",
];

/**
 * Decides about a call: deny beats ask, ask beats allow, whoever wrote the rule;
 * between rules that agree, the stronger source gives the reason. The defaults
 * count only when no other rule is about the call, the first that is about it. A workspace's own file may
 * only tighten: a repository that came from somewhere must not grant itself writes.
 */
export function decide(rules: readonly PolicyRule[], call: PolicyCall): Verdict {
  const about = rules.filter((rule) => matchesRule(rule, call));
  const written = about.filter((rule) => rule.source !== "default" && !isSelfGrant(rule));
  // What a tool says of itself is narrower than what holds for all.
  const defaults = [...about.filter(({ source }) => source === "default"), ...DEFAULT_RULES];
  const matching = (written.length > 0 ? written : defaults.filter((rule) => matchesRule(rule, call))).toSorted(
    (a, b) => SEVERITY[b.decision] - SEVERITY[a.decision] || STRENGTH.indexOf(a.source) - STRENGTH.indexOf(b.source),
  );
  const [rule] = written.length > 0 ? matching : defaults.filter((each) => matching.includes(each));
  if (rule === undefined) throw new Error("the defaults are about every call");
  return { decision: rule.decision, rule, matching, ignored: about.filter(isSelfGrant) };
}

function isSelfGrant(rule: PolicyRule): boolean {
  return rule.source === "workspace" && rule.decision === "allow";
}
