import type { CallFacts } from "./call-facts.ts";
import { describe, expect, it } from "vitest";
import { matchesRule, type Decision, type PolicyCall, type RuleMatch } from "./policy-rule.ts";

type Facts = Partial<CallFacts>;

function isAbout(decision: Decision, match: RuleMatch, facts: Facts = {}, call: Partial<PolicyCall> = {}): boolean {
  return matchesRule(
    { id: "user:1", source: "user", decision, match, reason: "because" },
    {
      tool: "edit_file_v2",
      tier: "write",
      args: {},
      ...call,
      facts: { hosts: [], paths: [], costDollars: 0, risk: "low", notes: [], ...facts },
    },
  );
}

it("without any condition is about every call", () => {
  expect(isAbout("deny", {})).toBe(true);
});

it.each<[string, RuleMatch, Facts, Decision, boolean]>([
  ["one of several tools", { tools: ["read_file", "edit_*"] }, {}, "allow", true],
  ["other tools", { tools: ["edit"] }, {}, "deny", false],
  ["a tool's end only", { tools: ["file_v2"] }, {}, "deny", false],
  ["the tier", { tiers: ["write"] }, {}, "allow", true],
  ["another tier", { tiers: ["read", "exec"] }, {}, "allow", false],
  ["the tool, not the tier", { tools: ["*"], tiers: ["read"] }, {}, "deny", false],
  ["no host where none is touched", { hosts: ["*"] }, {}, "deny", false],
  ["one host of two, asked", { hosts: ["a.example"] }, { hosts: ["a.example", "b.example"] }, "ask", true],
  ["one host of two, allowed", { hosts: ["a.example"] }, { hosts: ["a.example", "b.example"] }, "allow", false],
  ["both hosts", { hosts: ["a.example", "b.*"] }, { hosts: ["a.example", "b.example"] }, "allow", true],
  ["a dot that is a dot", { hosts: ["a.example"] }, { hosts: ["axexample"] }, "deny", false],
  ["a star over dots", { hosts: ["*.example"] }, { hosts: ["a.b.example"] }, "deny", true],
  ["a star within a folder", { paths: ["src/*.ts"] }, { paths: ["src/a.ts"] }, "allow", true],
  ["a star not over folders", { paths: ["src/*.ts"] }, { paths: ["src/a/b.ts"] }, "allow", false],
  ["two stars over folders", { paths: ["src/**.ts"] }, { paths: ["src/a/b.ts"] }, "allow", true],
  ["a path's end only", { paths: ["a.ts"] }, { paths: ["src/a.ts"] }, "deny", false],
  ["more than the cost", { costAboveDollars: 1 }, { costDollars: 1.01 }, "deny", true],
  ["just the cost", { costAboveDollars: 1 }, { costDollars: 1 }, "deny", false],
])("about %s", (_, match, facts, decision, wanted) => {
  expect(isAbout(decision, match, facts)).toBe(wanted);
});

describe("a rule about commands", () => {
  const match = { commands: ["git status", "npm test"] };
  it.each<[readonly string[], readonly string[], Decision, boolean]>([
    [["git status"], [], "allow", true],
    [["git status --short"], [], "allow", true],
    [["git statusx"], [], "allow", false],
    [["git"], [], "allow", false],
    [["git status", "npm test"], [], "allow", true],
    [["git status", "rm -r ."], [], "allow", false],
    [["git status", "rm -r ."], [], "deny", true],
    [["rm -r ."], [], "deny", false],
    [["git status"], ["a redirection"], "allow", false],
    [["git status"], ["a redirection"], "ask", true],
    [[], [], "allow", false],
    [[], [], "deny", false],
  ])("with %j and uncovered %j, to %s: %j", (commands, uncovered, decision, wanted) => {
    expect(isAbout(decision, match, { commands, uncovered })).toBe(wanted);
  });

  it("is about no call without a command", () => {
    expect(isAbout("allow", match)).toBe(false);
    expect(isAbout("deny", match)).toBe(false);
  });
});

describe("a rule about tools of MCP", () => {
  it.each<[readonly string[], readonly string[], Decision, boolean]>([
    [["notes:read"], ["notes:read"], "allow", true],
    [["notes:read"], ["notes:write"], "allow", false],
    [["notes:read"], ["other:read"], "deny", false],
    [["notes:*"], ["notes:write"], "allow", true],
    [["notes:*"], ["other:write"], "allow", false],
    [["*:read"], ["other:read"], "allow", true],
    [["*:read"], ["other:write"], "allow", false],
    [["notes"], ["notes:read"], "deny", false],
    [["notes:read"], ["notes:read", "notes:write"], "allow", false],
    [["notes:read"], ["notes:read", "notes:write"], "deny", true],
    [["*:*"], [], "allow", false],
    [["*:*"], [], "deny", false],
    // Names that no rule can speak of are never allowed, and always asked or denied.
    [["*:*"], ["notes:"], "allow", false],
    [["*:*"], [":read"], "allow", false],
    [["*:*"], ["notes:read:more"], "allow", false],
    [["*:*"], ["notes:re*d"], "allow", false],
    [["*:*"], [`notes:${"x".repeat(257)}`], "allow", false],
    [["*:*"], [`notes:${"x".repeat(256)}`], "allow", true],
    [["other:read"], ["notes:"], "deny", true],
    [["other:read"], ["notes:re*d"], "ask", true],
  ])("%j and a call of %j, to %s: %j", (mcpTools, named, decision, wanted) => {
    expect(isAbout(decision, { mcpTools }, { mcpTools: named })).toBe(wanted);
  });

  it("is about no call of another kind", () => {
    expect(isAbout("deny", { mcpTools: ["*:*"] })).toBe(false);
  });
});

describe("a rule about arguments", () => {
  it.each<[RuleMatch["args"], PolicyCall["args"], Decision, boolean]>([
    [{ mode: "fast" }, { mode: "fast" }, "allow", true],
    [{ mode: "f*t" }, { mode: "fast" }, "allow", true],
    [{ mode: "f*t" }, { mode: "slow" }, "allow", false],
    [{ mode: "fast" }, {}, "deny", false],
    [{ mode: "fast", deep: true }, { mode: "fast", deep: true, more: 1 }, "allow", true],
    [{ mode: "fast", deep: true }, { mode: "fast", deep: false }, "allow", false],
    [{ count: 2 }, { count: 2 }, "deny", true],
    [{ count: 2 }, { count: 3 }, "deny", false],
    [{ count: "2" }, { count: 2 }, "deny", false],
    [{ names: "a*" }, { names: ["ab", "ac"] }, "allow", true],
    [{ names: "a*" }, { names: ["ab", "bc"] }, "allow", false],
    [{ names: "a*" }, { names: ["ab", "bc"] }, "deny", true],
    [{ names: "a*" }, { names: ["bc"] }, "deny", false],
    [{ names: "a*" }, { names: ["ab", 1] }, "deny", false],
    [{ names: "a*" }, { names: [] }, "allow", false],
    [{ names: ["a", "b"] }, { names: ["a", "b"] }, "allow", true],
    [{ names: ["a", "b"] }, { names: ["b", "a"] }, "allow", false],
    [{ text: "*" }, { text: "of\ntwo lines" }, "deny", true],
  ])("%j and a call with %j, to %s: %j", (args, given, decision, wanted) => {
    expect(isAbout(decision, args === undefined ? {} : { args }, {}, { args: given })).toBe(wanted);
  });
});
