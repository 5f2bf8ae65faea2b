import { execFile } from "node:child_process";

/** What git said, or that it did not in time. Outside of a repository, and without git, it says nothing. */
export type GitReply =
  { readonly kind: "said"; readonly text: string } | { readonly kind: "nothing" } | { readonly kind: "late" };

/** Asks git about the repository around a directory; changes nothing. Rejects only when `signal` aborts. */
export type Git = (directory: string, args: readonly string[], signal: AbortSignal) => Promise<GitReply>;

const TIMEOUT_MS = 5_000;
const MAX_BYTES = 32 * 1024 * 1024;

/** What a repository's own configuration could make git run: it may come from anywhere. */
const HARMLESS = [
  "--no-optional-locks",
  "--no-pager",
  ...["core.fsmonitor=false", "log.showSignature=false", "protocol.allow=never"].flatMap((one) => ["-c", one]),
];

/** Makes one. */
export function createGit(options: { readonly timeoutMs?: number } = {}): Git {
  const { timeoutMs = TIMEOUT_MS } = options;
  return (directory, args, signal) =>
    new Promise((resolve, reject) => {
      const late = AbortSignal.timeout(timeoutMs);
      execFile(
        "git",
        [...HARMLESS, ...args],
        {
          cwd: directory,
          encoding: "utf8",
          maxBuffer: MAX_BYTES,
          signal: AbortSignal.any([signal, late]),
          killSignal: "SIGKILL",
        },
        (error, text) => {
          if (signal.aborted) reject(signal.reason as Error);
          else if (error === null) resolve({ kind: "said", text });
          else resolve({ kind: late.aborted ? "late" : "nothing" });
        },
      );
    });
}
