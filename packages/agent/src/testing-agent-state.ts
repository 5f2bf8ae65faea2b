import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { JsonObject } from "@bufbuild/protobuf";
import type { AppError } from "@quarry/base";
import { ClientSideToolV2 } from "@quarry/contract";
import {
  findApprovalOfCall,
  findToolCall,
  getToolSession,
  openToolSession,
  type Approval,
  type ApprovalDecision,
  type Database,
  type SessionMode,
  type ToolSession,
} from "@quarry/store";
import type { EndedCall } from "./spine.ts";
import type { SubagentModel } from "./subagents/model-runner.ts";
import { writeNoteTool } from "./testing-tools.ts";
import { toClientResult } from "./to-messages.ts";
import { createToolRegistry } from "./tool-registry.ts";
import { ToolRuntime } from "./tool-runtime.ts";
import { AgentState } from "./tools/agent-state.ts";
import { deleteFileTool } from "./tools/delete-file/delete-file.ts";
import { readFileV2Tool } from "./tools/read-file-v2/read-file-v2.ts";
import { runTerminalCommandV2Tool } from "./tools/run-terminal-command-v2/run-terminal-command-v2.ts";
import { textOf } from "./tools/workspace-tool.ts";
import { createWorkspace } from "./workspace/create-workspace.ts";
import type { WorkspaceDeps } from "./workspace/workspace-deps.ts";

/** A runtime with the tools of agents' state on a database and a workspace of its own. */
export interface AgentWorld {
  readonly db: Database;
  readonly root: string;
  readonly workspace: WorkspaceDeps;
  readonly runtime: ToolRuntime;
  readonly newSession: (mode?: SessionMode) => Promise<ToolSession>;
  /** Makes a call and waits for its end; `answer` is what a person says when they are asked. */
  readonly call: (
    session: ToolSession,
    tool: string,
    args: JsonObject,
    options?: CallOptions,
  ) => Promise<EndedCall & { readonly toolCallId: string }>;
  /** The result of a call that must succeed. */
  readonly result: (session: ToolSession, tool: string, args: JsonObject, options?: CallOptions) => Promise<JsonObject>;
  /** The approval of a call, once it is asked. */
  readonly approvalOf: (sessionId: string, toolCallId: string) => Promise<Approval>;
  /** A second process on the same database, such as after a restart; closed with the world. */
  readonly restart: (options?: WorldOptions) => Promise<ToolRuntime>;
  readonly failures: readonly AppError[];
}

interface CallOptions {
  readonly toolCallId?: string;
  readonly answer?: { readonly decision: ApprovalDecision; readonly args?: JsonObject; readonly reason?: string };
  readonly turnId?: string;
}

/** What a test changes about its world. */
export interface WorldOptions {
  readonly model?: SubagentModel;
  readonly headless?: "approve" | "deny";
  readonly hookFiles?: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  readonly now?: () => Date;
}

const ANSWERED_WITHIN_MS = 20_000;
const LOOK_AGAIN_MS = 5;

/** Makes worlds on databases of the store's tests, which only a test may reach for. */
export function agentWorlds(
  withDatabase: (work: (db: Database) => Promise<void>) => Promise<void>,
): (options: WorldOptions, work: (world: AgentWorld) => Promise<void>) => Promise<void> {
  return (options, work) => withDatabase((db) => inWorld(db, options, work));
}

/** Runs `work` in a world that is gone afterwards. */
async function inWorld(db: Database, options: WorldOptions, work: (world: AgentWorld) => Promise<void>): Promise<void> {
  await db.query("INSERT INTO teams (id, name) VALUES ('team', 'team')");
  const directory = realpathSync(mkdtempSync(path.join(tmpdir(), "quarry-agent-")));
  const root = path.join(directory, "root");
  for (const [name, text] of Object.entries({ "a.txt": "a\n", ...options.files })) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
    writeFileSync(path.join(root, name), text);
  }
  const workspace = createWorkspace({ roots: [root], historyDirectory: path.join(directory, "history") });
  const failures: AppError[] = [];
  const open: ToolRuntime[] = [];
  const start = async (given: WorldOptions): Promise<ToolRuntime> => {
    const clock = { now: given.now ?? (() => new Date()) };
    const state = new AgentState({
      db,
      clock,
      model: given.model,
      workspace,
      plansDirectory: path.join(directory, "plans"),
      foregroundMs: 2_000,
      onFailure: (error) => failures.push(error),
    });
    const runtime = await ToolRuntime.start({
      db,
      clock,
      registry: createToolRegistry([
        writeNoteTool((args, { session, toolCallId }) => writeNote(workspace, root, { args, session, toolCallId })),
        readFileV2Tool(workspace),
        deleteFileTool(workspace),
        runTerminalCommandV2Tool(workspace),
        ...state.tools,
      ]),
      headless: given.headless,
      filesOf: () => [],
      hookFiles: given.hookFiles ?? [],
      subagents: state,
      onFailure: (error) => failures.push(error),
    });
    await state.start(runtime);
    open.push(runtime);
    return runtime;
  };
  const runtime = await start(options);
  try {
    await work(
      worldOf({ db, root, workspace, runtime, failures, restart: (given) => start({ ...options, ...given }) }),
    );
  } finally {
    for (const each of open.toReversed()) await each.close();
    await Promise.all([workspace.code.close(), workspace.terminals.close()]);
    rmSync(directory, { recursive: true, force: true });
  }
}

function worldOf(
  parts: Pick<AgentWorld, "db" | "root" | "workspace" | "runtime" | "failures" | "restart">,
): AgentWorld {
  const { db, runtime } = parts;
  const approvalOf: AgentWorld["approvalOf"] = async (sessionId, toolCallId) => {
    for (const end = performance.now() + ANSWERED_WITHIN_MS; performance.now() < end;) {
      const call = await findToolCall(db, sessionId, toolCallId);
      const approval = call === undefined ? undefined : await findApprovalOfCall(db, call.id);
      if (approval !== undefined) return approval;
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    }
    throw new Error(`nobody was asked about ${toolCallId}`);
  };
  let calls = 0;
  const call: AgentWorld["call"] = async (session, tool, args, options = {}) => {
    calls += 1;
    const { toolCallId = `call-${calls}`, answer, turnId } = options;
    const live = runtime.call({
      caller: { teamId: "team", name: "an agent" },
      session,
      toolCallId,
      ...(turnId === undefined ? {} : { turnId }),
      given: { clientTool: ClientSideToolV2.UNSPECIFIED, name: tool, params: undefined, rawArgs: JSON.stringify(args) },
      isInternal: false,
      timeoutMs: undefined,
    });
    if (answer !== undefined) {
      const approval = await approvalOf(session.id, toolCallId);
      const { decision, reason = "" } = answer;
      const given = answer.args === undefined ? {} : { args: answer.args };
      await runtime.answer({ teamId: "team", approvalId: approval.id, decision, reason, answeredBy: "me", ...given });
    }
    return { ...(await live.ended), toolCallId };
  };
  return {
    ...parts,
    approvalOf,
    call,
    newSession: (mode) =>
      openToolSession(db, { teamId: "team", ...(mode === undefined ? {} : { mode }) }, new Date()).then((session) =>
        getToolSession(db, "team", session.id),
      ),
    result: async (session, tool, args, options) => {
      const ended = await call(session, tool, args, options);
      if (ended.outcome.kind !== "succeeded") throw new Error(`${tool}: ${JSON.stringify(ended.outcome)}`);
      // The result must fit its message, whatever the tool says.
      toClientResult(runtime.deps.registry, ended, { toolCallId: ended.toolCallId });
      return ended.outcome.result;
    },
  };
}

async function writeNote(
  workspace: WorkspaceDeps,
  root: string,
  of: { readonly args: JsonObject; readonly session: { readonly id: string }; readonly toolCallId: string },
): Promise<void> {
  const absolute = path.join(root, textOf(of.args, "relativeWorkspacePath"));
  const change = { sessionId: of.session.id, toolCallId: of.toolCallId, absolute };
  await workspace.history.make(change, { kind: "file", bytes: Buffer.from(textOf(of.args, "contentsAfterEdit")) });
}

/** What stands in a file of the world. */
export function readWorldFile(world: Pick<AgentWorld, "root">, name: string): string {
  return readFileSync(path.join(world.root, name), "utf8");
}
