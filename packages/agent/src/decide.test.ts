import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import { decide } from "./decide.ts";
import { createPolicyFileReader, parsePolicy } from "./policy-files.ts";
import type { Decision, PolicyCall, PolicyRule, RuleMatch, RuleSource } from "./policy-rule.ts";

const fetching = callOf({ tool: "exa_fetch", tier: "network", hosts: ["a.example", "b.example"] });
const editing = callOf({ tool: "edit_file_v2", tier: "write", paths: ["src/deep/a.ts"], args: { language: "ts" } });

describe("decide", () => {
  verifies(
    ["policy:decision:allow-ask-deny", "policy:defaults:reads-allowed", "policy:defaults:others-asked"],
    "allows reading and asks about the rest when no rule speaks",
    () => {
      const decisions = (["read", "write", "exec", "network"] as const).map(
        (tier) => decide([], callOf({ tool: "any", tier })).decision,
      );
      expect(decisions).toEqual(["allow", "ask", "ask", "ask"]);
      expect(decide([], callOf({ tier: "read" })).rule).toMatchObject({ id: "default:read", source: "default" });
      expect(decide([], fetching).rule).toMatchObject({ id: "default:ask", source: "default" });
      expect(decide([rule("deny", {})], fetching).decision).toBe("deny");
    },
  );

  verifies(
    "policy:decision:deny-beats-ask-beats-allow",
    "lets deny beat ask and ask beat allow, from any source",
    () => {
      const all = [rule("allow", {}, "admin"), rule("ask", {}, "user"), rule("deny", {}, "workspace")];
      expect(decide(all, fetching).decision).toBe("deny");
      expect(decide(all.slice(0, 2), fetching).decision).toBe("ask");
      expect(decide(all.slice(0, 1), fetching).decision).toBe("allow");
    },
  );

  verifies("policy:files:admin-user-workspace", "names the stronger of two rules that agree", () => {
    const rules = [rule("deny", {}, "workspace"), rule("deny", {}, "admin"), rule("deny", {}, "user")];
    expect(decide(rules, fetching).matching.map(({ source }) => source)).toEqual(["admin", "user", "workspace"]);
  });

  it("lets a workspace file tighten, never loosen", () => {
    const selfGrant = rule("allow", {}, "workspace");
    expect(decide([selfGrant], editing)).toMatchObject({ decision: "ask", ignored: [selfGrant] });
    expect(decide([selfGrant, rule("allow", {}, "user")], editing).decision).toBe("allow");
    expect(decide([selfGrant, rule("allow", {}, "admin")], editing).decision).toBe("allow");
    expect(decide([rule("ask", {}, "workspace"), rule("allow", {}, "user")], editing).decision).toBe("ask");
    expect(decide([rule("deny", {}, "workspace")], callOf({ tool: "read_file", tier: "read" })).decision).toBe("deny");
    // One that was asked about on purpose by a file is still asked about: the self-grant counts for nothing.
    expect(decide([selfGrant, rule("ask", {}, "user")], editing).rule.source).toBe("user");
  });

  const cases: readonly (readonly [string, PolicyCall, RuleMatch, Decision, boolean])[] = [
    ["policy:rules:by-tool", fetching, { tools: ["exa_*"] }, "allow", true],
    ["policy:rules:by-tool", fetching, { tools: ["exa_search"] }, "allow", false],
    ["policy:rules:by-tier", editing, { tiers: ["write", "exec"] }, "deny", true],
    ["policy:rules:by-tier", fetching, { tiers: ["write"] }, "deny", false],
    ["policy:rules:by-arguments", editing, { args: { language: "ts" } }, "allow", true],
    ["policy:rules:by-arguments", editing, { args: { language: "py" } }, "allow", false],
    ["policy:rules:by-path", editing, { paths: ["src/**"] }, "allow", true],
    ["policy:rules:by-path", editing, { paths: ["src/*"] }, "allow", false],
    ["policy:rules:by-host", fetching, { hosts: ["*.example"] }, "allow", true],
    ["policy:rules:by-host", fetching, { hosts: ["a.example"] }, "allow", false],
    ["policy:rules:by-host", fetching, { hosts: ["a.example"] }, "deny", true],
    ["policy:rules:by-cost", callOf({ costDollars: 2 }), { costAboveDollars: 1 }, "deny", true],
    ["policy:rules:by-cost", callOf({ costDollars: 1 }), { costAboveDollars: 1 }, "deny", false],
  ];
  verifies(
    [
      "policy:rules:by-tool",
      "policy:rules:by-tier",
      "policy:rules:by-arguments",
      "policy:rules:by-path",
      "policy:rules:by-host",
      "policy:rules:by-cost",
    ],
    "matches by tool, tier, arguments, path, host and cost; an allowing rule must cover all",
    () => {
      for (const [name, call, match, decision, isAbout] of cases) {
        const verdict = decide([rule(decision, match)], call);
        expect([name, match, decision, verdict.rule.source !== "default"]).toEqual([name, match, decision, isAbout]);
      }
    },
  );
});

describe("policy files", () => {
  const file = { source: "user" as const, path: "policy.json" };

  it("become rules with their place as id", () => {
    const text = JSON.stringify({
      rules: [
        { decision: "allow", tools: ["web_search"] },
        { decision: "deny", hosts: ["*.evil"] },
      ],
    });
    expect(parsePolicy(file, text)).toMatchObject([
      { id: "user:1", decision: "allow", match: { tools: ["web_search"] } },
      { id: "user:2", decision: "deny", match: { hosts: ["*.evil"] } },
    ]);
  });

  verifies("policy:files:bad-file", "deny everything when broken, and say where", () => {
    const half = '{\n  "rules": [\n    {"decision": }\n  ]\n}';
    expect(decide(parsePolicy(file, half), callOf({ tier: "read" }))).toMatchObject({
      decision: "deny",
      rule: { reason: expect.stringMatching(/user policy file .*line 3/) as unknown },
    });
    const wrong = JSON.stringify({ rules: [{ decision: "perhaps" }] });
    expect(parsePolicy(file, wrong)[0]).toMatchObject({
      decision: "deny",
      reason: expect.stringContaining("rules.0.decision") as unknown,
    });
    const typo = JSON.stringify({ rules: [{ decision: "allow", tool: ["x"] }] });
    expect(parsePolicy(file, typo)[0]?.decision).toBe("deny");
    const directory = mkdtempSync(path.join(tmpdir(), "quarry-policy-"));
    try {
      const reader = createPolicyFileReader();
      const there = path.join(directory, "there.json");
      const read = (): ReturnType<typeof reader.read> =>
        reader.read([
          { source: "admin", path: there },
          { source: "workspace", path: directory },
        ]);
      expect(read()).toMatchObject([{ id: "workspace:broken" }]);
      writeFileSync(there, '{"rules": [{"decision": "ask"}]}');
      expect(read()).toMatchObject([{ id: "admin:1" }, { id: "workspace:broken" }]);
      // Changed within one tick of the file's clock, and no longer than before.
      writeFileSync(there, '{"rules": [{"tiers": ["exec"], "decision": "deny"}]}');
      expect(read()[0]?.match).toEqual({ tiers: ["exec"] });
      writeFileSync(there, '{"rules": [{"tiers": ["read"], "decision": "deny"}]}');
      expect(read()[0]?.match).toEqual({ tiers: ["read"] });
      writeFileSync(there, '{"rules": []}');
      expect(read()).toMatchObject([{ id: "workspace:broken" }]);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});

function rule(decision: Decision, match: RuleMatch, source: RuleSource = "user"): PolicyRule {
  return { id: `${source}:1`, source, decision, match, reason: "because" };
}

function callOf(
  call: Partial<Pick<PolicyCall, "tool" | "tier" | "args">> & {
    readonly hosts?: readonly string[];
    readonly paths?: readonly string[];
    readonly costDollars?: number;
  },
): PolicyCall {
  const { tool = "any", tier = "network", args = {}, hosts = [], paths = [], costDollars = 0 } = call;
  return { tool, tier, args, facts: { hosts, paths, costDollars, risk: "low", notes: [] } };
}
