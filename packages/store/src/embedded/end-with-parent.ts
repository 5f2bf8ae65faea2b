import { spawn } from "node:child_process";
import { Socket } from "node:net";
import type { Writable } from "node:stream";
import { postgresEnvironment } from "./postgres-environment.ts";
import { signalProcess } from "./postgres-processes.ts";

/**
 * Ties the server's life to ours: it gets the signal for a fast shutdown when this
 * process exits, and also when it is killed, by a small shell that waits for the
 * end of our pipe. The result unties them.
 */
export function endWithParent(pid: number): () => void {
  const stopNow = (): void => signalProcess(pid, "SIGINT");
  process.once("exit", stopNow);
  if (process.platform === "win32") return () => process.off("exit", stopNow);
  const watcher = spawn("/bin/sh", ["-c", 'read line; [ "$line" = "stay" ] || kill -INT "$1"', "sh", String(pid)], {
    ...postgresEnvironment(),
    detached: true, // Ctrl-C at the terminal must not end it before us
    stdio: ["pipe", "ignore", "ignore"],
  });
  watcher.on("error", () => undefined); // no shell: the next start still finds and ends the server
  watcher.unref();
  const stdin = inputOf(watcher);
  stdin?.on("error", () => undefined); // it has ended already
  if (stdin instanceof Socket) stdin.unref();
  return () => {
    process.off("exit", stopNow);
    stdin?.end("stay\n");
  };
}

/** Without a descriptor left for it the process has no streams, whatever its type says. */
function inputOf(child: { readonly stdin?: Writable }): Writable | undefined {
  return child.stdin;
}
