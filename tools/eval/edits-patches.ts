import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createWorkspace, workspaceTools, type Tool } from "@quarry/agent";
import type { JudgedEdit } from "./edits.ts";

/** Judges the scenarios of a folder: each has `patch.txt`, and may have `input/` and `expected/`. A patch that is refused must leave all as it was. */
export async function judgePatches(folder: string): Promise<readonly JudgedEdit[]> {
  const judged: JudgedEdit[] = [];
  const scenarios = readdirSync(folder).filter((name) => existsSync(path.join(folder, name, "patch.txt")));
  for (const name of scenarios.sort()) judged.push(await judgePatch(folder, name));
  return judged;
}

async function judgePatch(folder: string, name: string): Promise<JudgedEdit> {
  const scenario = path.join(folder, name);
  const directory = mkdtempSync(path.join(tmpdir(), "quarry-eval-edits-"));
  const root = path.join(directory, "root");
  mkdirSync(root);
  const [input, expected] = [path.join(scenario, "input"), path.join(scenario, "expected")];
  if (existsSync(input)) cpSync(input, root, { recursive: true });
  const before = treeOf(root);
  const deps = createWorkspace({ roots: [root], historyDirectory: path.join(directory, "history") });
  try {
    const tool = workspaceTools(deps).find((each) => each.name === "edit_file");
    if (tool === undefined) throw new Error("there is no tool edit_file");
    const isRefused = await wasRefused(tool, readFileSync(path.join(scenario, "patch.txt"), "utf8"));
    const after = treeOf(root);
    if (after === treeOf(expected)) return { name, verdict: "right" };
    return { name, verdict: isRefused && after === before ? "refused" : "wrong" };
  } finally {
    await deps.code.close();
    await deps.terminals.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function wasRefused(tool: Tool, contents: string): Promise<boolean> {
  const args = { relativeWorkspacePath: ".", contents };
  try {
    const end = await tool
      .run(args, {
        teamId: "eval",
        session: { id: "eval", workspaceRoot: "", mode: "agent" },
        toolCallId: "eval",
        signal: AbortSignal.timeout(60_000),
        earlierResults: () => Promise.resolve([]),
      })
      .next();
    return end.done !== true || end.value.kind !== "succeeded";
  } catch {
    return true; // whatever it says, nothing may have changed
  }
}

/** All files of a folder with their contents, as one text. */
function treeOf(folder: string): string {
  if (!existsSync(folder)) return "[]";
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .map((file) => [path.relative(folder, file), readFileSync(file, "utf8")] as const)
    .sort(([a], [b]) => a.localeCompare(b));
  return JSON.stringify(files);
}
