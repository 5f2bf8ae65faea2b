import type { JsonObject } from "@bufbuild/protobuf";
import { AppError } from "@quarry/base";
import { ClientSideToolV2 } from "@quarry/contract";
import type { CallFacts } from "../../call-facts.ts";
import { commandPrefix, readShell } from "../../read-shell.ts";
import { effectivePolicy, looserReasons, unkeptNetwork, type SandboxPolicy } from "../../sandbox/sandbox-policy.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import type { Terminals } from "../../terminal/terminals.ts";
import type { Tool, ToolContext } from "../../tool.ts";
import { resolvePath, toRelative } from "../../workspace/resolve-path.ts";
import type { WorkspaceDeps } from "../../workspace/workspace-deps.ts";
import { textOf, workspaceTool } from "../workspace-tool.ts";
import { fromShellArgs, toShellResult } from "./agent-twin.ts";
import { CALL_MS } from "./execution-options.ts";
import { runCommand, type PreparedCommand } from "./run-command.ts";
import { RUN_TERMINAL_PROPERTIES } from "./schema.ts";

type Deps = Pick<WorkspaceDeps, "rootsOf"> & { readonly terminals: Terminals };

const NAME = "run_terminal_command_v2";
/** The longest command line that is looked at. */
const MAX_COMMAND_CHARACTERS = 100_000;

/**
 * aiserver.v1 RunTerminalCommandV2: runs a command line in the session's terminal,
 * confined by the machine's sandbox. `parsing_result` and `classifier_result` are
 * accepted without effect: they come from the one who wants the command run, so the
 * line is read anew here before anything is decided.
 */
export function runTerminalCommandV2Tool(deps: Deps): Tool {
  const tool = workspaceTool(deps, {
    name: NAME,
    aliases: ["run_terminal_cmd", "run_terminal_command", "shell", "bash"],
    clientTool: ClientSideToolV2.RUN_TERMINAL_COMMAND_V2,
    title: "Run a command",
    description:
      "Runs a bash command line in the workspace, in a sandbox without network. The directory lasts from one call to the next. A command that falls silent or waits for input goes on in the background.",
    tier: "exec",
    messages: "RunTerminalCommandV2",
    properties: RUN_TERMINAL_PROPERTIES,
    required: ["command"],
    pathsOf: () => [],
    look: (args, context) => lookAt(deps, args, context),
    stream: async function* (args, context) {
      const prepared = await prepare(deps, args, context);
      return yield* runCommand(deps.terminals, prepared, { args, context });
    },
    refuse: () => ({ rejected: true }),
    agent: { member: "shellToolCall", fromArgs: fromShellArgs, toResult: toShellResult },
  });
  return {
    ...tool,
    runMs: CALL_MS,
    // In plan and ask modes its sandbox leaves the workspace read-only, and without a sandbox it refuses.
    obeysModes: true,
    annotations: { ...tool.annotations, idempotent: false, openWorld: true },
    alike: (_, facts) => ({ tools: [NAME], commands: [...new Set((facts.commands ?? []).map(commandPrefix))] }),
  };
}

async function lookAt(deps: Deps, args: JsonObject, context: ToolContext): Promise<Partial<CallFacts>> {
  const { command, cwd, policy, roots, notes } = await prepare(deps, args, context);
  const read = readShell(command);
  const sandbox = await deps.terminals.sandbox();
  const description = textOf(args, "commandDescription");
  const isPlain = policy.type !== "none" && !policy.hasNetwork;
  return {
    ...read,
    paths: [toRelative(roots[0] ?? cwd, cwd) || "."],
    risk: read.uncovered.length === 0 && isPlain ? "medium" : "high",
    alwaysAsk: [...read.alwaysAsk, ...reasonsToAsk(args, policy)],
    notes: [
      ...(description === "" ? [] : [`it is meant to: ${description}`]),
      `command: ${command}`,
      `directory: ${cwd}`,
      `sandbox: ${describe(policy, sandbox)}`,
      ...read.uncovered.map((reason) => `no rule about commands covers it: ${reason}`),
      ...notes,
    ],
  };
}

function reasonsToAsk(args: JsonObject, policy: SandboxPolicy & { readonly lacks?: string }): readonly string[] {
  return [
    ...(args["requireUserApproval"] === true ? ["the caller wants it asked about"] : []),
    ...(policy.lacks === undefined ? [] : [policy.lacks]),
    // Without a sandbox on the machine, running without one is not what was asked for.
    ...(policy.lacks !== undefined && policy.type === "none" ? [] : looserReasons(policy)),
  ];
}

function describe(policy: SandboxPolicy, sandbox: Sandbox): string {
  if (policy.type === "none") return "none";
  const writing =
    policy.type === "workspace-readonly" ? "nothing" : ["the workspace", ...policy.readwritePaths].join(", ");
  return `${sandbox.kind}, may write ${writing}, ${policy.hasNetwork ? "with" : "without"} network`;
}

/** Finds out where and how a command would run. Throws for one that nobody could run. */
async function prepare(
  deps: Deps,
  args: JsonObject,
  context: ToolContext,
): Promise<PreparedCommand & { readonly policy: SandboxPolicy & { readonly lacks?: string } }> {
  const given = textOf(args, "command");
  if (given.trim() === "") throw new AppError("invalid_request", "command: it is empty; say what to run");
  if (given.includes("\0")) throw new AppError("invalid_request", "command: it cannot hold a zero byte");
  if (given.length > MAX_COMMAND_CHARACTERS) {
    throw new AppError("invalid_request", `command: at most ${MAX_COMMAND_CHARACTERS} characters; put it in a script`);
  }
  const { session } = context;
  const places = deps.rootsOf(session);
  const { absolute: root } = await resolvePath(places, places[0] ?? ".");
  const roots = await Promise.all(places.map(async (each) => (await resolvePath([each], each)).absolute));
  const asked = textOf(args, "cwd");
  const isFresh = args["newSession"] === true;
  const own = asked === "" ? undefined : (await resolvePath(roots, asked)).absolute;
  const cwd = own ?? (isFresh ? root : deps.terminals.cwdOf(session.id, root));
  const { command, isStripped } = withoutAmpersand(given);
  const requested = args["requestedSandboxPolicy"];
  const wanted = effectivePolicy(requested, { ceiling: deps.terminals.ceiling, mode: session.mode, cwd });
  const policy = await feasible(deps.terminals, wanted, session.mode);
  return {
    command,
    isBackground: args["isBackground"] === true || isStripped,
    cwd,
    isOwnCwd: own !== undefined,
    roots,
    policy,
    notes: [
      ...(isStripped ? ["The & at the end was taken off: the command runs in the background by itself"] : []),
      ...[unkeptNetwork(requested, policy)].filter((note) => note !== undefined),
    ],
  };
}

/**
 * What this machine can do of a policy. Without a sandbox a command runs without one,
 * which a person is asked about each time, unless it must not change anything.
 */
async function feasible(
  terminals: Terminals,
  wanted: SandboxPolicy,
  mode: string,
): Promise<SandboxPolicy & { readonly lacks?: string }> {
  if (wanted.type === "none") return wanted;
  const sandbox = await terminals.sandbox();
  if (sandbox.kind !== "none") return sandbox.lacks === undefined ? wanted : { ...wanted, lacks: sandbox.lacks };
  if (mode !== "agent" || terminals.ceiling.type !== "none") {
    const because = mode === "agent" ? "commands must run in a sandbox here" : `the session is in ${mode} mode`;
    throw new AppError("forbidden", `${because}, and this machine has no sandbox (${sandbox.why})`);
  }
  const lacks = `it would run without a sandbox: this machine has none (${sandbox.why})`;
  return { ...wanted, type: "none", hasNetwork: true, lacks };
}

/** A command that sends itself to the background is run there by us, so that it can be seen and ended. */
function withoutAmpersand(command: string): { readonly command: string; readonly isStripped: boolean } {
  const [, before] = /^([^]*[^&\\>|\s])\s*&\s*$/.exec(command) ?? [];
  return before === undefined ? { command, isStripped: false } : { command: before, isStripped: true };
}
