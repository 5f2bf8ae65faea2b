import { spawn } from "node:child_process";
import { closeSync, existsSync, fstatSync, mkdirSync, openSync, readSync, renameSync, statSync } from "node:fs";
import path from "node:path";
import { AppError, sleep } from "@quarry/base";
import { readDataDirectoryOwner } from "@quarry/store";
import type { DataDirectoryOwner } from "@quarry/store";
import { probe } from "./api-client.ts";
import type { CliContext } from "./cli-context.ts";
import type { CommandIo } from "./command-io.ts";
import { findServer } from "./server-file.ts";
import type { ServerFile } from "./server-file.ts";

const START_LIMIT_MS = 60_000;
const POLL_MS = 100;
const READY_TIMEOUT_MS = 2_000;
const MAX_LOG_BYTES = 10 * 1024 * 1024;
const LOG_TAIL_BYTES = 4_096;
const LOG_TAIL_LINES = 15;
/** A server that is ready has its banner still to print. */
const BANNER_LIMIT_MS = 5_000;
const BANNER_BYTES = 1024 * 1024;
/** What the server's banner says of a key that it has just made, and at its end. */
const KEY_LINE = "API key, shown once";
const LAST_LINE = "Ctrl+C";

/**
 * The server of `dataDirectory`, ready for work. When none runs, one is started
 * in the background: it outlives this command and logs to `<data>/server.log`.
 * Of two commands that do so at once, one server wins and both use it. Throws
 * with the end of the log when none gets ready.
 */
export async function ensureServer(context: CliContext, io: CommandIo, dataDirectory: string): Promise<ServerFile> {
  const running = await findReadyServer(dataDirectory, context.signal);
  if (running !== undefined) return running;
  const owner = await readDataDirectoryOwner(dataDirectory);
  if (owner !== undefined) return waitForOwner(context, io, dataDirectory, owner);

  const log = openLog(dataDirectory);
  io.say(`Starting Quarry in the background (log: ${log.filePath})`);
  const child = startChild(context, log);
  // A child that ended may have lost against a rival that is still on its way: wait for that one.
  const isHopeless = async (): Promise<boolean> =>
    child.ending() !== undefined && (await readDataDirectoryOwner(dataDirectory)) === undefined;
  const ready = await waitUntilReady(context, io, dataDirectory, isHopeless);
  if (ready === undefined) {
    const reason = child.ending() ?? `it was not ready within ${START_LIMIT_MS / 1000} s`;
    throw new AppError(
      "unavailable",
      `The server did not start: ${reason}.\nThe end of ${log.filePath}:\n${tailOf(log)}`,
    );
  }
  const hasNewKey = child.ending() === undefined && (await showsNewKey(log, context.signal));
  io.say(`Quarry is ready at ${ready.url}${hasNewKey ? `; its first API key is in ${log.filePath}` : ""}`);
  return ready;
}

async function waitForOwner(
  context: CliContext,
  io: CommandIo,
  dataDirectory: string,
  owner: DataDirectoryOwner,
): Promise<ServerFile> {
  const name = owner.pid === undefined ? "another server" : `the server with process ${owner.pid}`;
  io.say(`Waiting for ${name}, which is not ready yet`);
  const ready = await waitUntilReady(context, io, dataDirectory, () => Promise.resolve(false));
  if (ready !== undefined) return ready;
  throw new AppError(
    "unavailable",
    `${name} owns ${dataDirectory} but was not ready within ${START_LIMIT_MS / 1000} s; ` +
      "see its log and quarry doctor",
  );
}

async function waitUntilReady(
  context: CliContext,
  io: CommandIo,
  dataDirectory: string,
  isHopeless: () => Promise<boolean>,
): Promise<ServerFile | undefined> {
  const startedAt = performance.now();
  try {
    for (;;) {
      const ready = await findReadyServer(dataDirectory, context.signal);
      const waitedMs = performance.now() - startedAt;
      if (ready !== undefined || waitedMs >= START_LIMIT_MS || (await isHopeless())) return ready;
      io.sayInPlace(`Waiting for the server… ${Math.floor(waitedMs / 1000)} s`);
      await sleep(POLL_MS, context.signal);
    }
  } finally {
    io.sayInPlace("");
  }
}

async function findReadyServer(dataDirectory: string, signal: AbortSignal): Promise<ServerFile | undefined> {
  const state = await findServer(dataDirectory, signal);
  if (state.kind !== "running") return undefined;
  const status = await probe(`${state.file.url}/readyz`, READY_TIMEOUT_MS, signal);
  return status === 200 ? state.file : undefined;
}

/** `ending` says why the child ended; undefined while it runs. */
function startChild(context: CliContext, log: LogFile): { readonly ending: () => string | undefined } {
  let ending: string | undefined;
  const child = spawn(process.execPath, [context.serverEntry], {
    cwd: context.cwd,
    env: { ...context.environment },
    detached: true,
    stdio: ["ignore", log.descriptor, log.descriptor],
  });
  closeSync(log.descriptor);
  child.once("error", (error) => (ending = `it could not be run: ${error.message}`));
  child.once("exit", (code, signal) => (ending = `it ended with ${signal ?? `exit code ${String(code)}`}`));
  child.unref();
  return { ending: () => ending };
}

interface LogFile {
  readonly filePath: string;
  readonly descriptor: number;
  /** Where this start's lines begin. */
  readonly from: number;
}

/** The log holds the first API key: it is the owner's alone. One old log is kept when it grows too long. */
function openLog(dataDirectory: string): LogFile {
  mkdirSync(dataDirectory, { recursive: true, mode: 0o700 });
  const filePath = path.join(dataDirectory, "server.log");
  if (existsSync(filePath) && statSync(filePath).size > MAX_LOG_BYTES) renameSync(filePath, `${filePath}.1`);
  const descriptor = openSync(filePath, "a", 0o600);
  return { filePath, descriptor, from: fstatSync(descriptor).size };
}

/** Whether this start has made the first key; its data directory may be there from one that failed. */
async function showsNewKey(log: LogFile, signal: AbortSignal): Promise<boolean> {
  for (const end = performance.now() + BANNER_LIMIT_MS; performance.now() < end;) {
    const text = readLog(log, () => ({ from: log.from, length: BANNER_BYTES }));
    if (text.includes(KEY_LINE)) return true;
    if (text.includes(LAST_LINE)) return false;
    await sleep(POLL_MS, signal);
  }
  return false;
}

function tailOf(log: LogFile): string {
  const text = readLog(log, (size) => ({ from: Math.max(log.from, size - LOG_TAIL_BYTES), length: LOG_TAIL_BYTES }));
  const lines = text.trimEnd().split("\n").slice(-LOG_TAIL_LINES);
  return lines.map((line) => `  ${line}`).join("\n");
}

function readLog(log: LogFile, partOf: (size: number) => { readonly from: number; readonly length: number }): string {
  const descriptor = openSync(log.filePath, "r");
  try {
    const { size } = fstatSync(descriptor);
    const { from, length } = partOf(size);
    const bytes = Buffer.alloc(Math.max(0, Math.min(length, size - from)));
    readSync(descriptor, bytes, 0, bytes.length, from);
    return bytes.toString("utf8");
  } finally {
    closeSync(descriptor);
  }
}
