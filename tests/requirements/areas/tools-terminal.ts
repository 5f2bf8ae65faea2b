import { requirements } from "../requirement.ts";

/** What the tools terminal part promises. */
export const toolsTerminalRequirements = requirements({
  "seed 002 RunTerminalCommandV2Params": {
    "tools:run-terminal-command-v2:params:command": "runs this command",
    "tools:run-terminal-command-v2:params:cwd": "runs it there, for this call alone",
    "tools:run-terminal-command-v2:params:new-session": "starts from a fresh session",
    "tools:run-terminal-command-v2:params:is-background": "runs it in the background and answers soon",
    "tools:run-terminal-command-v2:params:require-user-approval": "asks even when a rule allows it",
    "tools:run-terminal-command-v2:params:parsing-result":
      "accepted, but the command is parsed anew before any decision",
    "tools:run-terminal-command-v2:params:idle-timeout-seconds":
      "without output for so long, the command goes on in the background",
    "tools:run-terminal-command-v2:params:requested-sandbox-policy":
      "the stricter of this and the user's policy applies",
    "tools:run-terminal-command-v2:params:file-output-threshold-bytes": "output over this goes to a file",
    "tools:run-terminal-command-v2:params:options-timeout": "the overall limit of the call",
    "tools:run-terminal-command-v2:params:options-skip-ai-check": "no check for completion beside the exit",
    "tools:run-terminal-command-v2:params:options-command-run-timeout-ms": "the limit of the command itself",
    "tools:run-terminal-command-v2:params:options-command-change-check-interval-ms": "how often output is looked at",
    "tools:run-terminal-command-v2:params:options-ai-finish-check-max-attempts":
      "how many checks for completion there are",
    "tools:run-terminal-command-v2:params:options-ai-finish-check-interval-ms": "the time between those checks",
    "tools:run-terminal-command-v2:params:options-delayer-interval-ms": "how long output settles before it is sent",
    "tools:run-terminal-command-v2:params:options-ai-check-for-hangs": "notices a command that waits for input",
  },
  "agent-protocol 3.8": {
    "tools:run-terminal-command-v2:params:command-description": "shown in the approval",
    "tools:run-terminal-command-v2:params:classifier-result": "accepted and never trusted in place of our own parsing",
  },
  "seed 002 RunTerminalCommandV2Result": {
    "tools:run-terminal-command-v2:result:output": "the output as a person would see it, head and tail kept",
    "tools:run-terminal-command-v2:result:exit-code": "the exit code, 128 + n for a signal",
    "tools:run-terminal-command-v2:result:rejected": "set when the approval was refused, and nothing ran",
    "tools:run-terminal-command-v2:result:popped-out-into-background":
      "set when a foreground command went on in the background",
    "tools:run-terminal-command-v2:result:is-running-in-background": "set while it runs",
    "tools:run-terminal-command-v2:result:not-interrupted": "set when it ended by itself",
    "tools:run-terminal-command-v2:result:resulting-working-directory": "the session's directory afterwards",
    "tools:run-terminal-command-v2:result:did-user-change": "set when the person edited the command",
    "tools:run-terminal-command-v2:result:ended-reason": "how it ended",
    "tools:run-terminal-command-v2:result:exit-code-v2": "the exit code when there is one, absent otherwise",
    "tools:run-terminal-command-v2:result:updated-command": "the command as the person edited it",
    "tools:run-terminal-command-v2:result:output-raw": "the raw bytes of the output",
    "tools:run-terminal-command-v2:result:human-review-v2": "what the person chose and wrote",
    "tools:run-terminal-command-v2:result:effective-sandbox-policy": "the policy really applied",
    "tools:run-terminal-command-v2:result:terminal-instance-id": "the session's number",
    "tools:run-terminal-command-v2:result:output-location": "where large output went",
    "tools:run-terminal-command-v2:result:output-location-file-path": "the file of the output",
    "tools:run-terminal-command-v2:result:output-location-size-bytes": "the output file's size",
    "tools:run-terminal-command-v2:result:output-location-line-count": "the output file's number of lines",
    "tools:run-terminal-command-v2:result:terminal-instance-path": "the session's transcript file",
    "tools:run-terminal-command-v2:result:background-shell-id": "the number of the background shell",
  },
  "seed 002 RunTerminalCommandEndedReason": {
    "tools:run-terminal-command-v2:ended:unspecified": "the zero value is never sent for a command that ended",
    "tools:run-terminal-command-v2:ended:completed": "a command that exited is EXECUTION_COMPLETED",
    "tools:run-terminal-command-v2:ended:aborted": "a cancelled command is EXECUTION_ABORTED",
    "tools:run-terminal-command-v2:ended:failed": "a command that could not be run is EXECUTION_FAILED",
    "tools:run-terminal-command-v2:ended:error-checking":
      "a reason that cannot be found out is ERROR_OCCURRED_CHECKING_REASON",
    "tools:run-terminal-command-v2:ended:idle-timeout": "a command that fell silent is IDLE_TIMEOUT and lives on",
  },
  "agent-tools 4 RUN_TERMINAL_COMMAND_V2": {
    "tools:run-terminal-command-v2:behaviour:cwd-persists": "cd in one call holds for the next of the session",
    "tools:run-terminal-command-v2:behaviour:pty": "a command that needs a terminal gets one",
    "tools:run-terminal-command-v2:behaviour:prompt-fails-fast":
      "a foreground prompt fails fast or is reported as waiting",
    "tools:run-terminal-command-v2:behaviour:clean-environment":
      "pagers, prompts and colours are off and rc files unread",
    "tools:run-terminal-command-v2:behaviour:trailing-ampersand": "a trailing & becomes a background run",
    "tools:run-terminal-command-v2:behaviour:background-limit": "more background shells than the limit are refused",
  },
  "issue 10 terminal": {
    "tools:run-terminal-command-v2:parsing:100-bypasses":
      "100 attempts to slip past the rules are all asked, and each works with the gate off",
    "tools:run-terminal-command-v2:parsing:50-harmless": "50 harmless commands run unasked under their rules",
    "tools:run-terminal-command-v2:sandbox:bubblewrap-then-landlock":
      "bubblewrap is used, else landlock, else every command asks",
    "tools:run-terminal-command-v2:sandbox:100-escapes": "100 escape attempts are contained",
    "tools:run-terminal-command-v2:sandbox:never-silently-none": "a command never runs unsandboxed silently",
    "tools:run-terminal-command-v2:sandbox:denial-recognised": "a denial by the sandbox is said to be one",
    "tools:run-terminal-command-v2:sandbox:git-hooks-read-only":
      ".git/hooks, .git/config and our own rules stay read-only",
    "tools:run-terminal-command-v2:process:no-orphans": "no process outlives cancel, timeout or server stop",
  },
  "agent-protocol 4.3": {
    "tools:write-shell-stdin:params:shell-id": "writes to this background shell",
    "tools:write-shell-stdin:params:chars": "these characters, control characters included",
    "tools:write-shell-stdin:result:shell-id": "the shell written to",
    "tools:write-shell-stdin:result:terminal-file-length-before-input-written":
      "the transcript's length before the write",
    "tools:write-shell-stdin:result:error": "an unknown shell lists the live ones, an ended one its exit code",
  },
});
