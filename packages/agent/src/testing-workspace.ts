import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { JsonObject } from "@bufbuild/protobuf";
import type { CodeToolsOptions } from "./code/code-tools.ts";
import type { TerminalsOptions } from "./terminal/terminals.ts";
import type { Tool, ToolContext } from "./tool.ts";
import { validateArgs } from "./validate-call.ts";
import { createWorkspace } from "./workspace/create-workspace.ts";
import type { WorkspaceDeps } from "./workspace/workspace-deps.ts";

/** A directory with files, and tools on it. */
export interface TestWorkspace {
  readonly root: string;
  readonly deps: WorkspaceDeps;
  /** Runs a tool as the executor does; rejects with what it throws. */
  readonly run: (tool: Tool, args: JsonObject) => Promise<JsonObject>;
}

/** Runs `work` with a workspace of these files, by relative path, and removes it. */
export async function withWorkspace<T>(
  files: Readonly<Record<string, string | Buffer>>,
  work: (workspace: TestWorkspace) => Promise<T>,
  options: {
    readonly terminals?: Omit<TerminalsOptions, "directory" | "ripgrep">;
    readonly code?: Omit<CodeToolsOptions, "directory" | "roots">;
  } = {},
): Promise<T> {
  const directory = realpathSync(mkdtempSync(path.join(tmpdir(), "quarry-workspace-")));
  const root = path.join(directory, "root");
  mkdirSync(root);
  for (const [name, contents] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), contents);
  }
  const deps = createWorkspace({ roots: [root], historyDirectory: path.join(directory, "history"), ...options });
  try {
    return await work({ root, deps, run: (tool, args) => run(tool, args) });
  } finally {
    await deps.code.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function run(tool: Tool, args: JsonObject): Promise<JsonObject> {
  const valid = validateArgs(tool, args);
  if (valid.kind === "invalid") throw new Error(valid.error.model);
  const context: ToolContext = {
    teamId: "team",
    session: { id: "session", workspaceRoot: "", mode: "agent" },
    toolCallId: "call",
    signal: new AbortController().signal,
    earlierResults: () => Promise.resolve([]),
  };
  await tool.inspect(valid.args, context);
  const running = tool.run(valid.args, context);
  for (;;) {
    const step = await running.next();
    if (step.done !== true) continue;
    if (step.value.kind !== "succeeded") throw new Error(step.value.error.model);
    return step.value.result;
  }
}
