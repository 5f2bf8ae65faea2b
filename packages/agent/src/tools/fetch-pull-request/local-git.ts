import { execFile } from "node:child_process";
import { AppError } from "@quarry/base";

const TIMEOUT_MS = 30_000;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/**
 * What a repository's own configuration could run is switched off: it may come
 * from anywhere. Only these ways of transport are left, none of which runs a helper of the repository's choice.
 */
const HARMLESS = [
  "core.fsmonitor=false",
  "core.hooksPath=/dev/null",
  "core.sshCommand=ssh",
  "log.showSignature=false",
  "credential.helper=",
  "protocol.allow=never",
  "protocol.https.allow=always",
  "protocol.ssh.allow=always",
  "protocol.git.allow=always",
  "protocol.file.allow=always",
];

/** It asks nobody for anything, and fetches nothing by itself. */
const QUIET = ["GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_ASKPASS=true", "LC_ALL=C"];

/** Runs git in a directory and gives what it printed; undefined when it says no. Throws `unavailable` when there is no git. */
export function runGit(directory: string, args: readonly string[], signal: AbortSignal): Promise<string | undefined> {
  const all = [
    ...QUIET,
    "git",
    "--no-pager",
    "--no-optional-locks",
    ...HARMLESS.flatMap((setting) => ["-c", setting]),
    ...args,
  ];
  const options = {
    cwd: directory,
    timeout: TIMEOUT_MS,
    maxBuffer: MAX_OUTPUT_BYTES,
    signal,
    encoding: "utf8",
  } as const;
  return new Promise((resolve, reject) => {
    execFile("env", all, options, (error, output) => {
      if (signal.aborted) reject(signal.reason as Error);
      else if (error === null) resolve(output);
      else if (error.code === 127) reject(new AppError("unavailable", "git is not installed where the workspace is"));
      else resolve(undefined);
    });
  });
}
