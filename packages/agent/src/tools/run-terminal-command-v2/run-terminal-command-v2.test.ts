import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { JsonObject } from "@bufbuild/protobuf";
import { verifies } from "@quarry/tests";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { decide } from "../../decide.ts";
import { builtinRules } from "../../gather-rules.ts";
import type { PolicyRule } from "../../policy-rule.ts";
import { chooseSandbox, type Sandbox } from "../../sandbox/sandbox.ts";
import { contextOf, startCall } from "../../testing-terminal.ts";
import { withWorkspace } from "../../testing-workspace.ts";
import type { Tool } from "../../tool.ts";
import type { WorkspaceDeps } from "../../workspace/workspace-deps.ts";
import { validateArgs } from "../../validate-call.ts";
import { writeShellStdinTool } from "../write-shell-stdin/write-shell-stdin.ts";
import { runTerminalCommandV2Tool } from "./run-terminal-command-v2.ts";

const P = "tools:run-terminal-command-v2:params";
const R = "tools:run-terminal-command-v2:result";
const ENDED = "RUN_TERMINAL_COMMAND_ENDED_REASON_";

/** One probe for all cases. */
let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await chooseSandbox();
});

interface World {
  readonly root: string;
  readonly deps: WorkspaceDeps;
  readonly tool: Tool;
  readonly stdin: Tool;
  /** Runs a command with further arguments. */
  readonly sh: (command: string, args?: JsonObject) => Promise<JsonObject>;
  readonly start: (command: string, args?: JsonObject) => ReturnType<typeof startCall>;
}

function withTerminal(
  files: Readonly<Record<string, string>>,
  work: (world: World) => Promise<void>,
  options: { readonly maxBackground?: number; readonly sandbox?: Sandbox } = {},
): Promise<void> {
  return withWorkspace(
    files,
    async ({ root, deps }) => {
      const tool = runTerminalCommandV2Tool(deps);
      const start: World["start"] = (command, args = {}) => startCall(tool, { command, ...args });
      const sh: World["sh"] = (command, args = {}) => start(command, args).result;
      try {
        await work({ root, deps, tool, stdin: writeShellStdinTool(deps), sh, start });
      } finally {
        await deps.terminals.close();
      }
    },
    { terminals: { sandbox, ...options } },
  );
}

describe("run_terminal_command_v2", () => {
  it("runs", () =>
    withTerminal({ "a.txt": "a" }, async ({ sh }) => {
      console.log(await sh("echo hi; cat a.txt; cd /; exit 3"));
    }));
});
