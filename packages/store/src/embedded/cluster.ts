import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chown, mkdir, open, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { AppError } from "@quarry/base";
import type { PostgresBinaries } from "./postgres-binaries.ts";
import { postgresEnvironment } from "./postgres-environment.ts";
import { findPostgresProcesses, signalProcess } from "./postgres-processes.ts";
import { commandAs, type PostgresUser } from "./postgres-user.ts";

/** The superuser and the database of an embedded cluster. */
export const EMBEDDED_USER = "quarry";
export const EMBEDDED_DATABASE = "quarry";

const INITDB_TIMEOUT_MS = 120_000;
const UNFINISHED_PREFIX = "postgres.new-";

/**
 * Makes sure that `<data>/postgres` is a cluster these binaries can run. A new one
 * is made beside it and moved into place when complete, so a crash half-way leaves
 * nothing behind but a directory that the next call removes. Throws `conflict`
 * when the cluster is of another major version.
 */
export async function ensureCluster(
  binaries: PostgresBinaries,
  dataDirectory: string,
  user: PostgresUser,
): Promise<{ readonly cluster: string; readonly password: string | undefined }> {
  const cluster = path.join(dataDirectory, "postgres");
  const version = await readClusterVersion(cluster);
  if (version !== undefined && version !== binaries.majorVersion) {
    throw new AppError(
      "conflict",
      `the data directory holds a PostgreSQL ${version} database and this program brings PostgreSQL ${binaries.majorVersion}: ` +
        "make a backup with the Quarry that last used it (quarry backup), then restore it into an empty data directory",
    );
  }
  await removeUnfinished(dataDirectory);
  const password = await ensurePassword(dataDirectory);
  if (version === undefined) await initialise(binaries, dataDirectory, user, cluster);
  return { cluster, password };
}

async function readClusterVersion(cluster: string): Promise<number | undefined> {
  try {
    return Number.parseInt(await readFile(path.join(cluster, "PG_VERSION"), "utf8"), 10);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** Whoever began them is gone, but the initdb that it started may go on for a while. */
async function removeUnfinished(dataDirectory: string): Promise<void> {
  const names = (await readdir(dataDirectory)).filter((name) => name.startsWith(UNFINISHED_PREFIX));
  for (const name of names) {
    const directory = path.join(dataDirectory, name);
    for (const pid of await findPostgresProcesses(directory)) signalProcess(pid, "SIGKILL");
    // What cannot be removed since initdb still writes there is left to the next start.
    await rm(directory, { recursive: true, force: true, maxRetries: 5 }).catch(() => undefined);
  }
}

/** Where there are no unix sockets (Windows) the server listens on loopback and asks for this password. */
async function ensurePassword(dataDirectory: string): Promise<string | undefined> {
  if (process.platform !== "win32") return undefined;
  const file = passwordPath(dataDirectory);
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
  }
  const password = randomBytes(24).toString("base64url");
  await writeFile(file, password, { mode: 0o600 });
  return password;
}

function passwordPath(dataDirectory: string): string {
  return path.join(dataDirectory, "postgres-password");
}

async function initialise(
  binaries: PostgresBinaries,
  dataDirectory: string,
  user: PostgresUser,
  cluster: string,
): Promise<void> {
  const unfinished = path.join(dataDirectory, UNFINISHED_PREFIX + randomBytes(6).toString("hex"));
  await mkdir(unfinished, { mode: 0o700 });
  if (user.kind === "other") await chown(unfinished, user.uid, user.gid);
  const authentication =
    process.platform === "win32"
      ? ["--auth=scram-sha-256", `--pwfile=${passwordPath(dataDirectory)}`]
      : ["--auth-local=trust", "--auth-host=reject"];
  const command = commandAs(user, binaries.initdb, [
    `--pgdata=${unfinished}`,
    `--username=${EMBEDDED_USER}`,
    "--encoding=UTF8",
    "--locale=C",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--no-instructions",
    ...authentication,
  ]);
  try {
    await promisify(execFile)(command.file, command.args, {
      ...command.identity,
      ...postgresEnvironment(),
      cwd: dataDirectory,
      timeout: INITDB_TIMEOUT_MS,
    });
  } catch (cause) {
    await rm(unfinished, { recursive: true, force: true });
    const reason = cause instanceof Error && "stderr" in cause ? String(cause.stderr).trim() : String(cause);
    throw new AppError("unavailable", `the embedded database could not be made: ${reason}`, { cause });
  }
  await rename(unfinished, cluster);
  await syncDirectory(dataDirectory);
}

/** Were the move lost in a power failure, the next start would take the cluster for an unfinished one. */
async function syncDirectory(directory: string): Promise<void> {
  if (process.platform === "win32") return; // directories cannot be opened there
  const handle = await open(directory, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
