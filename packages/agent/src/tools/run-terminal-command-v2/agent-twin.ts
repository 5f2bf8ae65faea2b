import type { JsonObject } from "@bufbuild/protobuf";
import type { CallOutcome } from "../../tool.ts";
import { failureText, numberOf, textOf } from "../workspace-tool.ts";

/** agent.v1.ShellArgs as arguments of the tool. What it says of approvals is not taken over: policy decides. */
export function fromShellArgs(args: JsonObject): JsonObject {
  const timeoutMs = numberOf(args, "timeout") ?? 0;
  const hardMs = numberOf(args, "hardTimeout") ?? 0;
  const goesOn = args["timeoutBehavior"] === "TIMEOUT_BEHAVIOR_BACKGROUND";
  const endMs = goesOn ? hardMs : timeoutMs;
  return {
    command: textOf(args, "command"),
    ...taken(args, { workingDirectory: "cwd", description: "commandDescription" }),
    ...taken(args, {
      isBackground: "isBackground",
      requestedSandboxPolicy: "requestedSandboxPolicy",
      fileOutputThresholdBytes: "fileOutputThresholdBytes",
      classifierResult: "classifierResult",
    }),
    ...(endMs > 0 ? { options: { commandRunTimeoutMs: endMs } } : {}),
    ...(goesOn && timeoutMs > 0 ? { idleTimeoutSeconds: Math.ceil(timeoutMs / 1_000) } : {}),
  };
}

/** What became of a command as agent.v1.ShellResult. */
export function toShellResult(args: JsonObject, outcome: CallOutcome): JsonObject {
  const command = textOf(args, "command");
  const workingDirectory = textOf(args, "cwd");
  if (outcome.kind === "rejected") return { rejected: { command, workingDirectory, reason: outcome.reason } };
  if (outcome.kind !== "succeeded") return { spawnError: { command, workingDirectory, error: failureText(outcome) } };
  const { result } = outcome;
  const place = {
    command: textOf(result, "updatedCommand") || command,
    workingDirectory: textOf(result, "resultingWorkingDirectory"),
  };
  const common = {
    ...place,
    exitCode: numberOf(result, "exitCode") ?? 0,
    stdout: textOf(result, "output"),
    ...taken(result, { outputLocation: "outputLocation", outputRaw: "interleavedOutput" }),
  };
  const around = {
    ...taken(result, { effectiveSandboxPolicy: "sandboxPolicy" }),
    ...(result["isRunningInBackground"] === true ? { isBackground: true } : {}),
  };
  const reason = textOf(result, "endedReason").replace("RUN_TERMINAL_COMMAND_ENDED_REASON_", "");
  if (reason === "EXECUTION_FAILED") return { ...around, spawnError: { ...place, error: common.stdout } };
  if (reason === "EXECUTION_ABORTED") return { ...around, failure: { ...common, aborted: true } };
  const shellId = numberOf(result, "backgroundShellId");
  if (shellId === undefined && (common.exitCode !== 0 || reason !== "EXECUTION_COMPLETED"))
    return { ...around, failure: common };
  return { ...around, success: { ...common, ...(shellId === undefined ? {} : { shellId }) } };
}

/** The members that are there, by their other names. */
function taken(from: JsonObject, names: Readonly<Record<string, string>>): JsonObject {
  const members = Object.entries(names).flatMap(([name, other]) => {
    const value = from[name];
    return value === undefined || value === "" ? [] : [[other, value] as const];
  });
  return Object.fromEntries(members);
}
