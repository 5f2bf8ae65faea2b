import { stat } from "node:fs/promises";
import type { JsonObject } from "@bufbuild/protobuf";
import { AppError } from "@quarry/base";
import { describeDenial } from "../../sandbox/denials.ts";
import { toPolicyJson, type SandboxPolicy } from "../../sandbox/sandbox-policy.ts";
import type { ShellEnd } from "../../terminal/shell-end.ts";
import type { Shell } from "../../terminal/shell.ts";
import type { Terminals } from "../../terminal/terminals.ts";
import { watchCommand, type WatchEnd } from "../../terminal/watch-command.ts";
import type { ToolContext, ToolOutput } from "../../tool.ts";
import { isWithin } from "../../workspace/resolve-path.ts";
import { numberOf } from "../workspace-tool.ts";
import { resultOf, showOutput } from "./command-result.ts";
import { watchLimitsOf } from "./execution-options.ts";

/** How long a background command may say something before its call is answered. */
const BACKGROUND_SETTLE_MS = 1_000;
const ENDED = "RUN_TERMINAL_COMMAND_ENDED_REASON_";

/** A command that may run, with everything that was found out about it. */
export interface PreparedCommand {
  readonly command: string;
  readonly isBackground: boolean;
  /** Where it runs, by its real path, and where the session is when it names none. */
  readonly cwd: string;
  readonly isOwnCwd: boolean;
  readonly roots: readonly string[];
  readonly policy: SandboxPolicy;
  readonly notes: readonly string[];
}

/** Runs a command until it ends, or until it is better left to itself. */
export async function* runCommand(
  terminals: Terminals,
  prepared: PreparedCommand,
  call: { readonly args: JsonObject; readonly context: ToolContext },
): AsyncGenerator<ToolOutput, JsonObject> {
  const { args, context } = call;
  const { signal, session } = context;
  const callStartedAt = performance.now();
  if (prepared.isBackground && !terminals.hasRoom()) throw tooMany();
  const terminal = terminals.terminalOf(session.id, { isNew: args["newSession"] === true });
  const startedAt = new Date();
  const { command, cwd, roots, policy } = prepared;
  const { writeDirectories } = session;
  let shell: Shell;
  try {
    if (!(await isDirectory(cwd))) throw new AppError("invalid_request", `${cwd} is no directory`);
    const order = {
      sessionId: session.id,
      roots,
      command,
      cwd,
      policy,
      writeDirectories: writeDirectories ?? undefined,
    };
    shell = await terminals.start(order, signal);
  } catch (error) {
    signal.throwIfAborted();
    return notRun(prepared, terminal, AppError.from(error).message);
  }
  const watched = { ...watchLimitsOf(args), ...(prepared.isBackground ? { foregroundMs: BACKGROUND_SETTLE_MS } : {}) };
  const listed = { id: shell.id, command, startedAt };
  terminals.record(session.id, terminal.number, { cwd, commands: [listed], text: "" }); // the note comes with the end
  const seen = yield* watchCommand(shell, watched, { signal, callStartedAt });
  const notes = [...prepared.notes];
  const lives = await letLive(terminals, shell, { seen, isBackground: prepared.isBackground, notes });
  const end = lives ? undefined : await shell.stop(); // ended already, or it must not go on
  const shown = await showOutput(shell, thresholdOf(args));
  if (end?.kind === "exited") {
    keepDirectory(terminals, prepared, { sessionId: session.id, terminal: terminal.number, end, notes });
    const denial = describeDenial(policy, end.exitCode, shown.text);
    if (denial !== undefined) notes.push(denial);
  }
  const after = terminals.cwdOf(session.id, roots[0] ?? cwd);
  const exitCode = end?.kind === "exited" || end?.kind === "stopped" ? end.exitCode : undefined;
  const durationMs = performance.now() - callStartedAt;
  const state = { cwd: after, commands: [{ ...listed, ...(exitCode === undefined ? {} : { exitCode, durationMs }) }] };
  const unrecorded = terminals.record(session.id, terminal.number, { ...state, text: shown.text });
  if (unrecorded !== undefined) notes.push(unrecorded);
  return {
    ...resultOf(shell, { shown, notes, terminal, cwd: after }),
    ...(end === undefined ? living(shell, seen, prepared.isBackground) : endedAs(end, seen)),
    ...(context.grant?.isEdited === true ? { didUserChange: true, updatedCommand: command } : {}),
  };
}

/** Whether a command that was not seen to end goes on in the background; the notes say why, and what to do. */
async function letLive(
  terminals: Terminals,
  shell: Shell,
  of: { readonly seen: WatchEnd; readonly isBackground: boolean; readonly notes: string[] },
): Promise<boolean> {
  const { seen, notes } = of;
  if (seen.kind === "ended") return false;
  if (seen.kind === "aborted") {
    notes.push("The call was called off, and the command was ended");
    return false;
  }
  if (seen.kind === "timed-out") {
    notes.push(`The command did not end within ${seen.limitMs} ms and was ended, with all it had started`);
    return false;
  }
  if (!terminals.keep(shell)) {
    notes.push(`${tooMany().message}, so the command was ended`);
    await shell.stop();
    return false;
  }
  notes.push(
    `${whyLeft(seen, of.isBackground)} It goes on as background shell ${shell.id} (pid ${shell.pid}); its output is in ${shell.output.path}`,
  );
  return true;
}

function whyLeft(seen: WatchEnd, isBackground: boolean): string {
  switch (seen.kind) {
    case "waits-for-input":
      return "The command waits for input: answer with write_shell_stdin, or end it with the character \\x03.";
    case "idle":
      return "The command said nothing for a while.";
    case "serves":
      return `The command listens on port ${seen.ports.join(", ")} and says no more.`;
    default:
      return isBackground ? "The command was started in the background." : "The command takes long.";
  }
}

/** A command that runs on has no end; one that fell silent is told as that. */
function living(shell: Shell, seen: WatchEnd, isBackground: boolean): JsonObject {
  const isSilent = seen.kind === "idle" || seen.kind === "waits-for-input";
  return {
    isRunningInBackground: true,
    poppedOutIntoBackground: !isBackground,
    backgroundShellId: shell.id,
    ...(isSilent ? { endedReason: `${ENDED}IDLE_TIMEOUT` } : {}),
  };
}

function endedAs(end: ShellEnd, seen: WatchEnd): JsonObject {
  switch (end.kind) {
    case "exited":
      return {
        exitCode: end.exitCode,
        exitCodeV2: end.exitCode,
        notInterrupted: seen.kind === "ended",
        endedReason: `${ENDED}EXECUTION_COMPLETED`,
      };
    case "stopped":
      return { exitCode: end.exitCode, exitCodeV2: end.exitCode, endedReason: `${ENDED}EXECUTION_ABORTED` };
    case "failed":
      return { exitCode: NO_EXIT_CODE, endedReason: `${ENDED}EXECUTION_FAILED` };
    case "unknown":
      return { exitCode: NO_EXIT_CODE, endedReason: `${ENDED}ERROR_OCCURRED_CHECKING_REASON` };
  }
}

/** exit_code cannot be left out, as exit_code_v2 can. */
const NO_EXIT_CODE = -1;

/** A command that never was: no process, no output, the reason in place of it. */
function notRun(
  { policy, notes }: PreparedCommand,
  terminal: { readonly number: number; readonly path: string },
  reason: string,
): JsonObject {
  return {
    output: [...notes, `The command was not run: ${reason}`].map((note) => `[${note}]`).join("\n\n"),
    exitCode: NO_EXIT_CODE,
    endedReason: `${ENDED}EXECUTION_FAILED`,
    effectiveSandboxPolicy: toPolicyJson(policy),
    terminalInstanceId: terminal.number,
    terminalInstancePath: terminal.path,
  };
}

/** The session goes where its command went, as long as that is in the workspace and the call named no place of its own. */
function keepDirectory(
  terminals: Terminals,
  prepared: PreparedCommand,
  of: {
    readonly sessionId: string;
    readonly terminal: number;
    readonly end: Extract<ShellEnd, { readonly kind: "exited" }>;
    readonly notes: string[];
  },
): void {
  const { cwd } = of.end;
  if (cwd === undefined || cwd === prepared.cwd || prepared.isOwnCwd) return;
  if (prepared.roots.some((root) => isWithin(root, cwd))) terminals.moveTo(of.sessionId, of.terminal, cwd);
  else of.notes.push(`${cwd} lies outside the workspace: the session stays in ${prepared.cwd}`);
}

function thresholdOf(args: JsonObject): number | undefined {
  const given = args["fileOutputThresholdBytes"]; // 64 bits are a text in protobuf JSON
  const bytes = typeof given === "string" ? Number(given) : numberOf(args, "fileOutputThresholdBytes");
  return bytes === undefined || bytes <= 0 ? undefined : bytes;
}

function tooMany(): AppError {
  return new AppError(
    "conflict",
    "too many shells run in the background; end one with write_shell_stdin and the character \\x03",
  );
}

async function isDirectory(at: string): Promise<boolean> {
  return stat(at).then(
    (found) => found.isDirectory(),
    () => false, // said by the caller
  );
}
