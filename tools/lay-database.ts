import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";

/** The migrations as the built server reads them. */
const migrations = path.resolve("dist", "migrations");
const cache = path.resolve("node_modules", ".cache", "empty-databases");

/**
 * Puts an embedded database that has its tables, and no rows, into a data directory that has none: a server that starts there
 * makes neither, which would be a third of the work of its start. It is made once for each state of the migrations.
 */
export async function layDatabase(dataDirectory: string): Promise<void> {
  const cluster = path.join(dataDirectory, "postgres");
  if (process.platform === "win32" || existsSync(cluster)) return; // there each cluster has a password of its own
  const made = path.join(cache, hashOfTables());
  if (!existsSync(made)) await makeDatabase(made);
  await copy(made, cluster);
}

function hashOfTables(): string {
  const hash = createHash("sha256").update(readFileSync("package-lock.json")); // which names the PostgreSQL
  for (const name of readdirSync(migrations).sort())
    hash.update(name).update(readFileSync(path.join(migrations, name)));
  return hash.digest("hex").slice(0, 16);
}

async function makeDatabase(target: string): Promise<void> {
  // Loaded here alone: most that start a server find a database made.
  const { migrate, openDatabase, startEmbeddedPostgres } = await import("@quarry/store");
  const directory = mkdtempSync(path.join(tmpdir(), "quarry-database-"));
  mkdirSync(cache, { recursive: true });
  const unfinished = mkdtempSync(path.join(cache, "unfinished-"));
  try {
    const server = await startEmbeddedPostgres({ dataDirectory: directory, settings: { fsync: "off" } });
    try {
      const database = await openDatabase({ address: server.address });
      await migrate(database, migrations);
      await database.close();
    } finally {
      await server.stop();
    }
    await copy(path.join(directory, "postgres"), path.join(unfinished, "postgres"));
    if (!existsSync(target)) renameSync(path.join(unfinished, "postgres"), target);
  } catch (error) {
    if (!existsSync(target)) throw error; // another process was faster
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
    rmSync(directory, { recursive: true, force: true });
  }
}

/** With owners and modes, about which PostgreSQL is strict. */
async function copy(from: string, to: string): Promise<void> {
  await promisify(execFile)("cp", ["-a", from, to]);
}
