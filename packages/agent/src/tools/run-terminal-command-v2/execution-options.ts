import type { JsonObject } from "@bufbuild/protobuf";
import type { WatchLimits } from "../../terminal/watch-command.ts";
import { numberOf } from "../workspace-tool.ts";

/** How long a command may hold up its caller, and the longest limit that can be asked for. */
const FOREGROUND_MS = 100_000;
const MAX_MS = 600_000;
const IDLE_MS = 30_000;
const LOOK_EVERY_MS = 250;
const SETTLE_MS = 100;
const PROMPT_QUIET_MS = 2_000;
const FINISH_CHECKS = 20;
const FINISH_CHECK_EVERY_MS = 1_000;
/** Looking more often than this costs more than the command. */
const LEAST_INTERVAL_MS = 10;

/**
 * The limits of a call from its arguments: every ExecutionOptions field has its place
 * here. The checks that others leave to a model are made on the kernel's word: whether
 * the command waits in a read of its terminal, and whether it listens on a port.
 */
export function watchLimitsOf(args: JsonObject): WatchLimits {
  const given = args["options"];
  const options: JsonObject = typeof given === "object" && given !== null && !Array.isArray(given) ? given : {};
  const isChecked = options["skipAiCheck"] !== true;
  const callMs = limit(numberOf(options, "timeout"));
  const commandMs = limit(numberOf(options, "commandRunTimeoutMs"));
  const idleSeconds = numberOf(args, "idleTimeoutSeconds");
  return {
    callMs,
    commandMs,
    // Whoever gives a limit of their own waits until then.
    foregroundMs: Math.max(callMs ?? 0, commandMs ?? 0) || FOREGROUND_MS,
    idleMs: idleSeconds === undefined ? IDLE_MS : Math.max(0, idleSeconds * 1_000),
    lookEveryMs: interval(numberOf(options, "commandChangeCheckIntervalMs"), LOOK_EVERY_MS),
    settleMs: interval(numberOf(options, "delayerIntervalMs"), SETTLE_MS),
    noticesPrompts: options["aiCheckForHangs"] !== false,
    promptQuietMs: PROMPT_QUIET_MS,
    finishChecks: isChecked ? Math.max(0, numberOf(options, "aiFinishCheckMaxAttempts") ?? FINISH_CHECKS) : 0,
    finishCheckEveryMs: interval(numberOf(options, "aiFinishCheckIntervalMs"), FINISH_CHECK_EVERY_MS),
  };
}

function limit(given: number | undefined): number | undefined {
  return given === undefined || given <= 0 ? undefined : Math.min(given, MAX_MS);
}

function interval(given: number | undefined, usual: number): number {
  return given === undefined || given <= 0 ? usual : Math.max(LEAST_INTERVAL_MS, Math.min(given, MAX_MS));
}

/** How long the whole call may take, with time to end the command. */
export const CALL_MS = MAX_MS + 10_000;
