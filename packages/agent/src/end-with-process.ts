import type { ChildProcess } from "node:child_process";

const running = new Map<ChildProcess, "itself" | "group">();
let isWatching = false;

/** Sees to it that a program does not outlive this process, however that ends by itself: it, or the whole group it leads. */
export function endWithProcess(child: ChildProcess, what: "itself" | "group"): void {
  running.set(child, what);
  child.once("exit", () => running.delete(child));
  if (isWatching) return;
  isWatching = true;
  process.on("exit", () => {
    for (const [each, scope] of running) {
      if (scope === "group") signalGroup(each, "SIGKILL");
      else each.kill("SIGKILL");
    }
  });
}

/** Signals a program and whatever it started in its group. */
export function signalGroup(child: ChildProcess, signal: "SIGTERM" | "SIGKILL"): void {
  if (child.pid === undefined) return;
  try {
    process.kill(process.platform === "win32" ? child.pid : -child.pid, signal);
  } catch {
    // nothing of the group is left
  }
}
