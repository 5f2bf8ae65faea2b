import { AppError, sleep } from "@quarry/base";
import type { Command } from "commander";
import type { CliContext } from "../cli-context.ts";
import { openIo } from "../command-io.ts";
import { findServer, isAlive } from "../server-file.ts";
import type { ServerFile } from "../server-file.ts";

/** A server promises to stop within 10 s; some more for a slow disk. */
const STOP_LIMIT_MS = 20_000;
const POLL_MS = 50;

/** `quarry stop`: ends the local server the graceful way and waits for it. */
export function addStopCommand(program: Command, context: CliContext): void {
  program
    .command("stop")
    .description("stop the local server gracefully and wait until it has ended")
    .addHelpText("after", "\nExamples:\n  quarry stop")
    .action(async (_options: unknown, command: Command) => {
      const io = openIo(context, command);
      if (io.options.url !== undefined) {
        throw new AppError("invalid_request", "--url: only the server of this machine's data directory can be stopped");
      }
      const state = await findServer(context.readConfig().dataDir, context.signal);
      if (state.kind === "silent") {
        throw new AppError(
          "unavailable",
          `process ${state.file.pid} lives but ${state.file.url} does not answer, so it may be another program; ` +
            `if it is Quarry, stop it with: kill ${state.file.pid}`,
        );
      }
      if (state.kind !== "running") {
        io.print({ stopped: false }, () => "No server is running.");
        return;
      }
      io.say(`Stopping the server with process ${state.file.pid}…`);
      const startedAt = performance.now();
      await stopProcess(state.file, context.signal);
      const seconds = (performance.now() - startedAt) / 1000;
      io.print({ stopped: true, pid: state.file.pid }, () => `Stopped after ${seconds.toFixed(1)} s.`);
    });
}

async function stopProcess({ pid }: ServerFile, signal: AbortSignal): Promise<void> {
  try {
    process.kill(pid, "SIGTERM");
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
    if (code === "ESRCH") return; // ended by itself meanwhile
    throw new AppError("forbidden", `process ${pid} belongs to another user; stop it as that user`, { cause });
  }
  for (const startedAt = performance.now(); performance.now() - startedAt < STOP_LIMIT_MS;) {
    if (!isAlive(pid)) return;
    await sleep(POLL_MS, signal);
  }
  throw new AppError(
    "timeout",
    `the server has not ended within ${STOP_LIMIT_MS / 1000} s; nothing is lost by: kill -9 ${pid}`,
  );
}
