import { spawn, type ChildProcess } from "node:child_process";
import { open, readFile, rm, stat, truncate } from "node:fs/promises";
import path from "node:path";
import { AppError, sleep } from "@quarry/base";
import type { PostgresBinaries } from "./postgres-binaries.ts";
import { postgresEnvironment } from "./postgres-environment.ts";
import { findPostgresProcesses, signalProcess, waitForNoProcesses } from "./postgres-processes.ts";
import type { PostgresEndpoint, PostgresSettings } from "./postgres-settings.ts";
import { commandAs, type PostgresUser } from "./postgres-user.ts";
import { removeSockets } from "./socket-directory.ts";
import { postmasterFilePath, readPostmasterFile } from "./postmaster-file.ts";

/** What starting the server of one cluster takes. */
export interface PostmasterOptions {
  readonly binaries: PostgresBinaries;
  readonly user: PostgresUser;
  readonly cluster: string;
  readonly endpoint: PostgresEndpoint;
  readonly settings: PostgresSettings;
  readonly logFile: string;
}

/** A server that is our child and accepts connections. */
export interface Postmaster {
  readonly pid: number;
  /** Resolves when the process has ended, with how. */
  readonly exited: Promise<string>;
}

const READY_LIMIT_MS = 60_000;
const READY_POLL_MS = 10;
const FAST_STOP_LIMIT_MS = 20_000;
const IMMEDIATE_STOP_LIMIT_MS = 5_000;
const KILL_LIMIT_MS = 5_000;
const ORPHAN_LIMIT_MS = 1_000;
const MAX_LOG_BYTES = 1_000_000;
const LOG_TAIL_LINES = 5;

/**
 * Starts the server and waits until it accepts connections; crash recovery may
 * come first. Whatever an earlier owner left running in the cluster is ended
 * before: its connections belong to a process that is gone.
 */
export async function startPostmaster(options: PostmasterOptions): Promise<Postmaster> {
  await clearCluster(options);
  await limitLog(options.logFile);
  const log = await open(options.logFile, "a", 0o600);
  let child: ChildProcess;
  let exited: Promise<string>;
  try {
    const settings = Object.entries(options.settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    const command = commandAs(options.user, options.binaries.postgres, ["-D", options.cluster, ...settings]);
    child = spawn(command.file, command.args, {
      ...command.identity,
      ...postgresEnvironment(),
      // A session of its own: Ctrl-C at the terminal is for us, and we stop the database last.
      detached: process.platform !== "win32",
      windowsHide: true,
      cwd: options.cluster,
      stdio: ["ignore", log.fd, log.fd],
    });
    exited = waitForExit(child);
  } finally {
    await log.close();
  }
  const { pid } = child;
  if (pid === undefined) throw startFailure(await exited, "");
  await waitUntilReady(options, pid, exited);
  child.unref(); // it ends when we say so, and must not keep a finished program alive
  return { pid, exited };
}

/** Ends the server: connections are cut, what is committed is on disk. Harder means follow when it takes too long. */
export async function stopPostmaster(options: PostmasterOptions, pid: number): Promise<void> {
  if (process.platform === "win32") {
    await stopWithPgCtl(options);
    return;
  }
  const steps: readonly (readonly [NodeJS.Signals, number])[] = [
    ["SIGINT", FAST_STOP_LIMIT_MS],
    ["SIGQUIT", IMMEDIATE_STOP_LIMIT_MS],
  ];
  for (const [signal, limitMs] of steps) {
    signalProcess(pid, signal);
    if (await waitForNoProcesses(options.cluster, limitMs)) return;
  }
  await killAll(options.cluster);
}

/** Leaves the cluster without a running process and without a lock file that names a stranger. */
async function clearCluster(options: PostmasterOptions): Promise<void> {
  const { cluster } = options;
  if (process.platform === "win32") {
    if ((await readPostmasterFile(cluster)) !== undefined) await stopWithPgCtl(options);
    return;
  }
  const running = await findPostgresProcesses(cluster);
  const postmaster = (await readPostmasterFile(cluster))?.pid;
  if (postmaster !== undefined && running.includes(postmaster)) await stopPostmaster(options, postmaster);
  // Children of a postmaster that was killed end by themselves when they next wait for something.
  else if (running.length > 0 && !(await waitForNoProcesses(cluster, ORPHAN_LIMIT_MS))) await killAll(cluster);
  // Nothing runs here: files that are left name a process of the past, and PostgreSQL would mistake one that has its
  // number now for it.
  await rm(postmasterFilePath(cluster), { force: true });
  if (options.endpoint.kind === "socket") await removeSockets(options.endpoint.directory);
}

async function killAll(cluster: string): Promise<void> {
  for (const pid of await findPostgresProcesses(cluster)) signalProcess(pid, "SIGKILL");
  if (await waitForNoProcesses(cluster, KILL_LIMIT_MS)) return;
  throw new AppError(
    "unavailable",
    "processes of an earlier embedded database do not end: the disk may hang; restart the machine or free the disk",
  );
}

async function stopWithPgCtl(options: PostmasterOptions): Promise<void> {
  const child = spawn(options.binaries.pgCtl, ["stop", "-m", "fast", "-w", "-D", options.cluster], {
    ...postgresEnvironment(),
    stdio: "ignore",
    windowsHide: true,
  });
  await waitForExit(child);
}

function waitForExit(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once("error", (error) => {
      resolve(error.message);
    });
    child.once("exit", (code, signal) => {
      resolve(signal === null ? `exit code ${code ?? "unknown"}` : `signal ${signal}`);
    });
  });
}

async function waitUntilReady(options: PostmasterOptions, pid: number, exited: Promise<string>): Promise<void> {
  const until = performance.now() + READY_LIMIT_MS;
  let ended: string | undefined;
  void exited.then((how) => {
    ended = how;
  });
  for (;;) {
    const file = await readPostmasterFile(options.cluster);
    if (file?.isReady === true && file.pid === pid) return;
    if (ended !== undefined) throw startFailure(ended, await readLogTail(options.logFile));
    if (performance.now() >= until) {
      await stopPostmaster(options, pid);
      throw startFailure(`not ready within ${READY_LIMIT_MS / 1000} s`, await readLogTail(options.logFile));
    }
    await sleep(READY_POLL_MS);
  }
}

function startFailure(how: string, log: string): AppError {
  return new AppError("unavailable", `the embedded database did not start (${how})${log === "" ? "" : `: ${log}`}`, {
    retryable: true,
  });
}

async function limitLog(logFile: string): Promise<void> {
  const size = await stat(logFile).then(
    (found) => found.size,
    () => 0, // no log yet
  );
  if (size > MAX_LOG_BYTES) await truncate(logFile);
}

async function readLogTail(logFile: string): Promise<string> {
  const text = await readFile(logFile, "utf8");
  return `${text.trimEnd().split("\n").slice(-LOG_TAIL_LINES).join(" | ")} (${path.basename(logFile)})`;
}
