import { mkdir } from "node:fs/promises";
import { createServer } from "node:net";
import path from "node:path";
import { AppError, sleep } from "@quarry/base";
import { EMBEDDED_DATABASE, EMBEDDED_USER, ensureCluster } from "./cluster.ts";
import { openDatabase, type DatabaseAddress } from "../open-database.ts";
import { endWithParent } from "./end-with-parent.ts";
import { findPostgresBinaries } from "./postgres-binaries.ts";
import { postgresSettings, type PostgresEndpoint, type PostgresSettings } from "./postgres-settings.ts";
import { choosePostgresUser } from "./postgres-user.ts";
import { startPostmaster, stopPostmaster, type Postmaster, type PostmasterOptions } from "./postmaster.ts";
import { prepareSocketDirectory, removeSocketDirectory, SOCKET_PORT } from "./socket-directory.ts";

/** What happened to the server while nobody asked. */
export type EmbeddedPostgresEvent =
  | { readonly kind: "ended"; readonly reason: string }
  | { readonly kind: "restart-failed"; readonly error: AppError; readonly retryInMs: number }
  | { readonly kind: "restarted"; readonly pid: number };

/** How to run the embedded server. */
export interface EmbeddedPostgresOptions {
  /** Made when missing. The caller holds its lock (`lockDataDirectory`) until after `stop()`. */
  readonly dataDirectory: string;
  readonly onEvent?: (event: EmbeddedPostgresEvent) => void;
  /** Server settings on top of ours; for tests that need no durability. */
  readonly settings?: PostgresSettings;
}

/** The embedded server, running. */
export interface EmbeddedPostgres {
  /** Stays the same when the server is restarted. */
  readonly address: Exclude<DatabaseAddress, string>;
  /** The process id of the server as it runs now. */
  readonly pid: () => number;
  /** Ends the server after what is under way, and with it the watch over it. */
  readonly stop: () => Promise<void>;
}

const FIRST_RESTART_MS = 50;
const LAST_RESTART_MS = 10_000;

/**
 * Starts the PostgreSQL that npm brought along on `<data>/postgres`, making the
 * cluster on the first call, and keeps it running until `stop()`: when it dies
 * under us it is started anew, which `onEvent` tells. Throws `unavailable` or
 * `conflict` with a way out when this machine or this data directory cannot run it.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const dataDirectory = path.resolve(options.dataDirectory);
  await mkdir(dataDirectory, { recursive: true });
  const binaries = await findPostgresBinaries();
  const user = await choosePostgresUser(binaries, dataDirectory);
  const { cluster, password } = await ensureCluster(binaries, dataDirectory, user);
  const endpoint: PostgresEndpoint =
    process.platform === "win32"
      ? { kind: "loopback", port: await findFreePort() }
      : { kind: "socket", directory: await prepareSocketDirectory(dataDirectory, user) };
  const settings = postgresSettings(endpoint, options.settings ?? {});
  const logFile = path.join(dataDirectory, "postgres.log");
  const supervisor = await supervise({ binaries, user, cluster, endpoint, settings, logFile }, options.onEvent);
  const address = toAddress(endpoint, password);
  const stop = async (): Promise<void> => {
    await supervisor.stop();
    if (endpoint.kind === "socket") await removeSocketDirectory(dataDirectory, endpoint.directory);
  };
  try {
    await ensureDatabase(address);
  } catch (error) {
    await stop();
    throw error;
  }
  return { address, pid: supervisor.pid, stop };
}

/** Keeps one server running until told to stop. */
async function supervise(
  options: PostmasterOptions,
  onEvent: EmbeddedPostgresOptions["onEvent"],
): Promise<{ readonly pid: () => number; readonly stop: () => Promise<void> }> {
  const stopping = new AbortController();
  const isStopping = (): boolean => stopping.signal.aborted;
  const first = await startPostmaster(options);
  let latestPid = first.pid;
  let running: Postmaster | undefined;

  const keepRunning = async (): Promise<void> => {
    for (let current = first; ;) {
      running = current;
      latestPid = current.pid;
      const untie = endWithParent(current.pid);
      const reason = await current.exited;
      running = undefined;
      untie();
      if (isStopping()) return;
      onEvent?.({ kind: "ended", reason });
      const next = await restart(options, onEvent, stopping.signal);
      if (next === undefined) return;
      if (isStopping()) return stopPostmaster(options, next.pid);
      current = next;
      onEvent?.({ kind: "restarted", pid: current.pid });
    }
  };
  const watch = keepRunning();

  const stop = async (): Promise<void> => {
    stopping.abort();
    if (running !== undefined) await stopPostmaster(options, running.pid);
    await watch;
  };
  let stopped: Promise<void> | undefined;
  return { pid: () => latestPid, stop: () => (stopped ??= stop()) };
}

/** Tries until the server runs again; undefined when stopped meanwhile. */
async function restart(
  options: PostmasterOptions,
  onEvent: EmbeddedPostgresOptions["onEvent"],
  signal: AbortSignal,
): Promise<Postmaster | undefined> {
  for (let retryInMs = FIRST_RESTART_MS; ; retryInMs = Math.min(retryInMs * 2, LAST_RESTART_MS)) {
    await sleep(retryInMs, signal).catch(() => undefined); // stopped: seen in the next line
    if (signal.aborted) return undefined;
    try {
      return await startPostmaster(options);
    } catch (error) {
      onEvent?.({ kind: "restart-failed", error: AppError.from(error), retryInMs: retryInMs * 2 });
    }
  }
}

function toAddress(endpoint: PostgresEndpoint, password: string | undefined): EmbeddedPostgres["address"] {
  const place =
    endpoint.kind === "socket"
      ? { host: endpoint.directory, port: SOCKET_PORT }
      : { host: "127.0.0.1", port: endpoint.port };
  return {
    ...place,
    user: EMBEDDED_USER,
    database: EMBEDDED_DATABASE,
    ...(password === undefined ? {} : { password }),
  };
}

async function ensureDatabase(address: EmbeddedPostgres["address"]): Promise<void> {
  const server = await openDatabase({ address: { ...address, database: "postgres" }, maxConnections: 1 });
  try {
    const [found] = await server.query("SELECT 1 FROM pg_database WHERE datname = $1", [EMBEDDED_DATABASE]);
    if (found === undefined) await server.query(`CREATE DATABASE ${EMBEDDED_DATABASE}`);
  } finally {
    await server.close();
  }
}

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const found = probe.address();
      probe.close(() => {
        if (found === null || typeof found === "string") reject(new Error("no port for the embedded database"));
        else resolve(found.port);
      });
    });
  });
}
