import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import { decide } from "./decide.ts";
import { builtinRules } from "./gather-rules.ts";
import type { Decision, PolicyRule } from "./policy-rule.ts";
import { readShell } from "./read-shell.ts";

/** Someone allowed these, and programs of no harm, for good. */
const saved: PolicyRule = {
  id: "saved:1",
  source: "saved",
  decision: "allow",
  match: { commands: ["git status", "git diff", "ls", "npm run test", "echo", "head", "rm", "grep", "find", "cat"] },
  reason: "allowed before",
};

function judge(line: string, rules: readonly PolicyRule[] = [saved]): Decision {
  const facts = { hosts: [], paths: [], costDollars: 0, risk: "high", notes: [], ...readShell(line) } as const;
  const call = { tool: "run_terminal_cmd", tier: "exec", args: { command: line }, facts } as const;
  return decide([...builtinRules(facts), ...rules], call).decision;
}

describe("a command line", () => {
  verifies("policy:shell:every-command-must-match", "runs unasked when every simple command is allowed", () => {
    for (const line of [
      "git status",
      "git status && ls -la | head -3",
      "ls; git diff HEAD~1",
      "(ls || echo no)",
      "npm run test -- --watch=false",
      'grep -rn "a && b; c" src',
      "ls 2>&1",
      "ls >/dev/null 2>&1",
      "! git status",
    ]) {
      expect([line, judge(line)]).toEqual([line, "allow"]);
    }
    for (const line of [
      "git status && curl x",
      "ls | sh",
      "git statusx",
      "git push",
      "ls & make",
      "ls\nmake",
      "npm run testing",
    ]) {
      expect([line, judge(line)]).toEqual([line, "ask"]);
    }
  });

  verifies(
    ["policy:shell:substitution-asks", "policy:shell:unparsed-asks"],
    "asks about every form that can hide another command",
    () => {
      for (const line of [
        "echo $(curl x)",
        "echo `curl x`",
        "cat <(curl x)",
        "echo hi > .bashrc",
        "ls >> f",
        "eval ls",
        "bash -c ls",
        "sh -c 'ls'",
        "find . -exec rm {} +",
        "find . -delete",
        "ls | xargs rm",
        "echo $HOME",
        "echo ${x:-$(id)}",
        "if ls; then ls; fi",
        "for f in a; do ls; done",
        "f() { ls; }; f",
        "git -c core.pager=sh diff",
        "git diff --exec-path=/tmp",
        "env ls",
        "ls &> out",
        "ls && (",
        "echo 'a",
        "",
        "echo {a,b}",
        "[[ -n $(id) ]]",
        "ls <<< $(id)",
        "cat << EOF\n$(id)\nEOF",
      ]) {
        expect([line, judge(line)]).toEqual([line, "ask"]);
      }
    },
  );

  verifies("policy:shell:env-prefix", "matches a saved rule behind a safe environment prefix, and no other", () => {
    expect(judge("CI=1 NO_COLOR=1 npm run test")).toBe("allow");
    for (const line of [
      "PATH=/tmp git status",
      "LD_PRELOAD=/tmp/x.so ls",
      "GIT_SSH_COMMAND=x git status",
      "CI=$(id) ls",
    ]) {
      expect([line, judge(line)]).toEqual([line, "ask"]);
    }
  });

  const everything: PolicyRule = { ...saved, id: "user:1", source: "user", match: {} };
  verifies("policy:shell:sudo-asks", "asks about sudo whatever the rules allow", () => {
    expect([
      judge("make", [everything]),
      judge("sudo ls", [everything]),
      judge("ls && /usr/bin/sudo ls", [everything]),
    ]).toEqual(["allow", "ask", "ask"]);
  });

  verifies("policy:shell:rm-root-denied", "never deletes /, home, . or .., whatever the rules allow", () => {
    for (const line of [
      "rm -rf /",
      "rm -rf ~",
      "rm -fr ~/",
      "rm -r $HOME",
      'rm -rf "$HOME"/',
      "rm -rf .",
      "rm -rf ..",
      "rm -rf ../..",
      "rm --recursive /",
      "sudo rm -rf /*",
      "rm -rf //",
      "rm -rf ./",
      "ls && rm -Rf /.",
      "/bin/rm -rf /",
    ]) {
      expect([line, judge(line, [everything])]).toEqual([line, "deny"]);
    }
    expect(judge("rm -rf build", [everything])).toBe("allow");
    expect(judge("rm -rf ./build", [everything])).toBe("allow");
  });

  verifies("policy:mcp:allowlist", "covers MCP tools by server:tool with wildcards", () => {
    const on = (pattern: string, tool: string): Decision => {
      const facts = { hosts: [], paths: [], costDollars: 0, risk: "medium", notes: [], mcpTools: [tool] } as const;
      const rule: PolicyRule = { ...saved, match: { mcpTools: [pattern] } };
      return decide([rule], { tool: "mcp", tier: "network", args: {}, facts }).decision;
    };
    expect(["docs:find", "docs:*", "*:find", "*:*"].map((pattern) => on(pattern, "docs:find"))).toEqual(
      Array(4).fill("allow"),
    );
    expect([
      on("docs:find", "docs:drop"),
      on("docs:*", "files:find"),
      on("*:find", "docs:found"),
      on("docs", "docs:find"),
    ]).toEqual(Array(4).fill("ask"));
    // A server or tool that calls itself by a sign of ours is never covered.
    expect([on("*:*", "docs:*"), on("*:*", "a:b:c"), on("*:*", `docs:${"x".repeat(300)}`)]).toEqual(
      Array(3).fill("ask"),
    );
  });

  it("names the simple commands as rules see them", () => {
    expect(readShell("CI=1 git commit -m 'a b' && ls").commands).toEqual(["git commit -m a b", "ls"]);
  });
});
