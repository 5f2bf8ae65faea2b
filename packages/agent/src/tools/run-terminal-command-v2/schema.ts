import type { JsonObject } from "@bufbuild/protobuf";

const number = (description: string): JsonObject => ({ type: "integer", format: "int32", minimum: 0, description });
const flag = (description: string): JsonObject => ({ type: "boolean", description });

/** The arguments of RunTerminalCommandV2 by their JSON names. */
export const RUN_TERMINAL_PROPERTIES: JsonObject = {
  command: { type: "string", minLength: 1, description: "The bash command line" },
  cwd: { type: "string", description: "Where to run it, for this call alone; the session's directory without it" },
  newSession: flag("Start from a fresh terminal in the workspace's own directory"),
  options: {
    type: "object",
    description: "How long and how closely the command is watched",
    properties: {
      timeout: number("Milliseconds the call may take; then the command is ended"),
      skipAiCheck: flag("Wait for the exit alone: do not check whether a server is ready"),
      commandRunTimeoutMs: number("Milliseconds the command may run; then it is ended"),
      commandChangeCheckIntervalMs: number("Milliseconds between two looks at the command"),
      aiFinishCheckMaxAttempts: number("How often to check whether the command serves something by now"),
      aiFinishCheckIntervalMs: number("Milliseconds between those checks"),
      delayerIntervalMs: number("Milliseconds that output gathers before it is sent"),
      aiCheckForHangs: flag("Notice when the command waits for input; on unless false"),
    },
  },
  isBackground: flag("Run it in the background and answer soon"),
  requireUserApproval: flag("Ask the person even when a rule allows it"),
  parsingResult: { type: "object", description: "Accepted; the command is parsed anew before any decision" },
  idleTimeoutSeconds: number("Seconds without output after which it goes on in the background; 30 unless given"),
  requestedSandboxPolicy: {
    type: "object",
    description:
      "A sandbox stricter than the usual one, or with the person's approval a wider one: type, networkAccess, additionalReadwritePaths, additionalReadonlyPaths, blockGitWrites, disableTmpWrite",
  },
  fileOutputThresholdBytes: {
    type: ["integer", "string"],
    description: "Output over this many bytes is left in a file",
  },
  commandDescription: { type: "string", description: "What it is for, shown to the person who is asked" },
  classifierResult: { type: "object", description: "Accepted and never trusted" },
};
