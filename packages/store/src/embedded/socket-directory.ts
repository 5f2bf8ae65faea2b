import { chmod, chown, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { PostgresUser } from "./postgres-user.ts";

/** The port is part of the socket's file name and nothing else: no TCP is opened. */
export const SOCKET_PORT = 5432;
const SOCKET_NAME = `.s.PGSQL.${SOCKET_PORT}`;

/** sun_path holds 108 bytes on Linux and 104 on macOS, the closing zero included. */
const MAX_SOCKET_PATH_BYTES = process.platform === "darwin" ? 103 : 107;

/**
 * Makes the directory of the server's socket, closed to all but its user (mode
 * 0700; that is the only door lock, authentication is `trust`). It lies in the
 * data directory, or where that path is too long for a socket under the system's
 * temporary directory, its name recorded in `<data>/socket-directory`.
 */
export async function prepareSocketDirectory(dataDirectory: string, user: PostgresUser): Promise<string> {
  const inside = path.join(dataDirectory, "postgres-socket");
  const directory = fitsSocket(inside) ? await makeInside(inside) : await makeOutside(dataDirectory);
  await chmod(directory, 0o700);
  if (user.kind === "other") await chown(directory, user.uid, user.gid);
  return directory;
}

/** Removes a directory outside of the data directory together with its record; one inside stays. */
export async function removeSocketDirectory(dataDirectory: string, directory: string): Promise<void> {
  if (directory.startsWith(dataDirectory + path.sep)) return;
  await rm(directory, { recursive: true, force: true });
  await rm(recordPath(dataDirectory), { force: true });
}

/** Removes a socket that nobody listens to any more, and its lock file. */
export async function removeSockets(directory: string): Promise<void> {
  const socket = path.join(directory, SOCKET_NAME);
  await rm(socket, { force: true });
  await rm(`${socket}.lock`, { force: true });
}

function fitsSocket(directory: string): boolean {
  return Buffer.byteLength(path.join(directory, SOCKET_NAME)) <= MAX_SOCKET_PATH_BYTES;
}

async function makeInside(directory: string): Promise<string> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  return directory;
}

async function makeOutside(dataDirectory: string): Promise<string> {
  const recorded = await readFile(recordPath(dataDirectory), "utf8").catch(() => undefined); // none recorded yet
  if (recorded !== undefined && (await isPrivate(recorded))) return recorded;
  const parent = fitsSocket(path.join(tmpdir(), "quarry-000000")) ? tmpdir() : "/tmp";
  const directory = await mkdtemp(path.join(parent, "quarry-"));
  await writeFile(recordPath(dataDirectory), directory, { mode: 0o600 });
  return directory;
}

/** Others may write to the temporary directory: what stands there now need not be ours any more. */
async function isPrivate(directory: string): Promise<boolean> {
  const found = await stat(directory).catch(() => undefined); // cleaned away
  if (found === undefined || !found.isDirectory()) return false;
  const isOurs = process.getuid?.() === 0 || found.uid === process.getuid?.();
  return isOurs && (found.mode & 0o077) === 0;
}

function recordPath(dataDirectory: string): string {
  return path.join(dataDirectory, "socket-directory");
}
