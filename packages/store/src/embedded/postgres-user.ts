import { execFile } from "node:child_process";
import { stat } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { AppError } from "@quarry/base";
import type { PostgresBinaries } from "./postgres-binaries.ts";

/**
 * As whom PostgreSQL runs; it refuses root.
 * - `ourselves`: we are not root.
 * - `namespace`: in a user namespace where we look like uid 1000; its files stay root's.
 * - `other`: under an unprivileged uid that owns the cluster's files.
 */
export type PostgresUser =
  | { readonly kind: "ourselves" }
  | { readonly kind: "namespace" }
  | { readonly kind: "other"; readonly uid: number; readonly gid: number };

/** A program with its arguments and what spawn needs to run it as that user. */
export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly identity: { readonly uid?: number; readonly gid?: number };
}

const NOBODY = 65_534;
const PROBE_TIMEOUT_MS = 10_000;
const UNSHARE: readonly string[] = ["--user", "--map-user=1000", "--map-group=1000", "--"];

/**
 * Chooses as whom to run PostgreSQL on `directory`. An existing cluster keeps the
 * kind of user that made it. Throws `unavailable` when root has no way.
 */
export async function choosePostgresUser(binaries: PostgresBinaries, directory: string): Promise<PostgresUser> {
  if (process.getuid?.() !== 0) return { kind: "ourselves" };
  const owner = await stat(path.join(directory, "postgres")).catch(() => undefined); // no cluster yet
  if (owner !== undefined && owner.uid !== 0) return { kind: "other", uid: owner.uid, gid: owner.gid };
  const namespace: PostgresUser = { kind: "namespace" };
  if (await canRun(namespace, binaries.postgres, ["--version"])) return namespace;
  const other: PostgresUser = { kind: "other", uid: NOBODY, gid: NOBODY };
  const reachesDirectory = await canRun(other, "/bin/sh", ["-c", 'cd "$1"', "sh", directory]);
  if (owner === undefined && reachesDirectory && (await canRun(other, binaries.postgres, ["--version"]))) return other;
  throw new AppError(
    "unavailable",
    "PostgreSQL refuses to run as root, and this machine allows neither a user namespace (unshare) nor another user " +
      "on the data directory: start Quarry as an ordinary user, put QUARRY_DATA_DIR where every user may enter, " +
      "or set QUARRY_DATABASE_URL to a PostgreSQL that runs elsewhere",
  );
}

/** How to run `file` as `user`. The process keeps its pid: nothing stands between it and us. */
export function commandAs(user: PostgresUser, file: string, args: readonly string[]): Command {
  switch (user.kind) {
    case "ourselves":
      return { file, args, identity: {} };
    case "namespace":
      return { file: "unshare", args: [...UNSHARE, file, ...args], identity: {} };
    case "other":
      return { file, args, identity: { uid: user.uid, gid: user.gid } };
  }
}

async function canRun(user: PostgresUser, file: string, args: readonly string[]): Promise<boolean> {
  const command = commandAs(user, file, args);
  try {
    await promisify(execFile)(command.file, command.args, { ...command.identity, timeout: PROBE_TIMEOUT_MS });
    return true;
  } catch {
    return false; // that is the answer asked for
  }
}
