import { execFile, execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { verifies } from "@quarry/tests";
import { describe, expect } from "vitest";
import { decide } from "./decide.ts";
import { builtinRules } from "./gather-rules.ts";
import type { Decision, PolicyRule } from "./policy-rule.ts";
import { readShell } from "./read-shell.ts";
import { ALLOWED_COMMANDS, BYPASSES, HARMLESS } from "./testing-bypasses.ts";

const saved: PolicyRule = {
  id: "saved:1",
  source: "saved",
  decision: "allow",
  match: { commands: ALLOWED_COMMANDS },
  reason: "allowed before",
};

function judge(line: string): Decision {
  const facts = { hosts: [], paths: [], costDollars: 0, risk: "high", notes: [], ...readShell(line) } as const;
  const call = { tool: "run_terminal_command_v2", tier: "exec", args: { command: line }, facts } as const;
  return decide([...builtinRules(facts), saved], call).decision;
}

describe("rules about commands", () => {
  verifies(
    "tools:run-terminal-command-v2:parsing:100-bypasses",
    "let none of more than 100 bypasses through, each of which works with the gate off",
    async () => {
      expect(BYPASSES.length).toBeGreaterThanOrEqual(100);
      expect(new Set(BYPASSES).size).toBe(BYPASSES.length);
      const slipped = BYPASSES.filter((line) => judge(markedAs(line, 0)) === "allow");
      const powerless = await findPowerless();
      expect({ slipped, powerless }).toEqual({ slipped: [], powerless: [] });
    },
    60_000,
  );

  verifies("tools:run-terminal-command-v2:parsing:50-harmless", "let at least 50 harmless lines run unasked", () => {
    expect(HARMLESS.length).toBeGreaterThanOrEqual(50);
    expect(HARMLESS.filter((line) => judge(line) !== "allow")).toEqual([]);
  });
});

function markedAs(line: string, index: number): string {
  return line.replaceAll(/\bM\b/g, `m${index}`);
}

/** Runs every bypass as the shell would with no gate, and gives those that did not do what they hide. */
async function findPowerless(): Promise<readonly string[]> {
  const directory = mkdtempSync(path.join(tmpdir(), "quarry-bypass-"));
  try {
    makeRepository(path.join(directory, "repository"));
    await Promise.all(
      Array.from({ length: AT_ONCE }, async (_, lane) => {
        for (let index = lane; index < BYPASSES.length; index += AT_ONCE) {
          await runBare(directory, markedAs(BYPASSES[index] ?? "", index), index);
        }
      }),
    );
    return BYPASSES.filter((_, index) => !existsSync(path.join(directory, String(index), `m${index}`)));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const AT_ONCE = 4;

function makeRepository(cwd: string): void {
  const git = (...args: readonly string[]): unknown => execFileSync("git", args, { cwd, stdio: "ignore" });
  mkdirSync(cwd);
  writeFileSync(path.join(cwd, "a.txt"), "hello\n");
  git("init", "-q");
  git("add", "a.txt");
  git("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "hello");
  writeFileSync(path.join(cwd, "a.txt"), "hello again\n");
}

/** Every line in a directory of its own: what one does must not help another. */
async function runBare(directory: string, line: string, index: number): Promise<void> {
  const cwd = path.join(directory, String(index));
  const needs = (name: string): boolean => line.includes(name);
  mkdirSync(path.join(cwd, "bin"), { recursive: true });
  writeFileSync(path.join(cwd, "a.txt"), "hello\n");
  writeFileSync(path.join(cwd, "Makefile"), "all:\n\techo all\n");
  writeFileSync(path.join(cwd, "evil.mk"), 'all:\n\ttouch "$$MARK"\n');
  for (const name of ["evil", "evil.sh", "bin/ls"]) {
    writeFileSync(path.join(cwd, name), '#!/bin/sh\n/usr/bin/touch "$MARK"\n');
    chmodSync(path.join(cwd, name), 0o755);
  }
  if (needs("x.tar")) execFileSync("tar", ["-cf", "x.tar", "a.txt"], { cwd });
  if (needs("git")) cpSync(path.join(directory, "repository"), cwd, { recursive: true });
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: cwd, MARK: path.join(cwd, `m${index}`), GIT_PAGER: "cat" };
  await new Promise<void>((resolve) => {
    const child = execFile("/bin/bash", ["--noprofile", "--norc", "-c", line], { cwd, env, timeout: 10_000 }, () =>
      resolve(),
    );
    child.stdin?.end();
  });
}
