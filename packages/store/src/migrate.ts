import { AppError } from "@quarry/base";
import type { Database, Queryable, Transaction } from "./database.ts";
import { readMigrationFiles, type MigrationFile } from "./migration-files.ts";

/** What a run of migrations did. */
export interface MigrationReport {
  /** Names of the files applied now, in order. */
  readonly applied: readonly string[];
  /** The number of the newest file applied to the database, now or before. */
  readonly schemaVersion: number;
}

/** How far to go. */
export interface MigrateOptions {
  /** Stops after the file of this number; a restore of an old backup needs the schema of its time. */
  readonly upTo?: number;
}

/** The key of the advisory lock that migrators queue at: "quarry" in ASCII. */
const MIGRATION_LOCK = 0x717561727279;
const LOCK_TIMEOUT = "60s";
const INSUFFICIENT_PRIVILEGE = "42501";

/**
 * Brings the database to the schema of the `NNNN_name.sql` files in `directory`,
 * each file in a transaction of its own. Any number of processes may call this at
 * once. Throws `conflict` when the database was made by a newer program, or when a
 * file that was applied has changed since; nothing is written then.
 */
export async function migrate(db: Database, directory: string, options: MigrateOptions = {}): Promise<MigrationReport> {
  const files = await readMigrationFiles(directory);
  const upTo = options.upTo ?? Number.POSITIVE_INFINITY;
  const applied: string[] = [];
  for (;;) {
    const file = await applyNext(db, files, upTo);
    if (file === undefined) break;
    applied.push(file.name);
  }
  return { applied, schemaVersion: await readSchemaVersion(db) };
}

/** The number of the newest migration applied; 0 for a database that has none. */
export async function readSchemaVersion(db: Queryable): Promise<number> {
  const [table] = await db.query<{ exists: boolean }>(
    "SELECT to_regclass('public.schema_migrations') IS NOT NULL AS exists",
  );
  if (table?.exists !== true) return 0;
  const [newest] = await db.query<{ version: number }>(
    "SELECT coalesce(max(version), 0)::int AS version FROM public.schema_migrations",
  );
  return newest?.version ?? 0;
}

/** Applies the first file that the database lacks; undefined when it lacks none. */
async function applyNext(
  db: Database,
  files: readonly MigrationFile[],
  upTo: number,
): Promise<MigrationFile | undefined> {
  return db.transaction(async (tx) => {
    await tx.query(`SET LOCAL lock_timeout = '${LOCK_TIMEOUT}'`);
    await tx.query("SELECT pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
    await tx.query("SET LOCAL search_path = public");
    await ensureList(tx);
    const applied = await tx.query<AppliedMigration>(
      "SELECT version, name, checksum FROM schema_migrations ORDER BY version",
    );
    const file = findNext(files, applied);
    if (file === undefined || file.version > upTo) return undefined;
    try {
      await tx.query(file.sql); // without parameters the driver sends a script of many statements as it is
    } catch (error) {
      const failure = AppError.from(error);
      if (failure.retryable) throw failure;
      throw new AppError("internal", `migration ${file.name} failed: ${reasonOf(failure)}`, { cause: failure });
    }
    await tx.query("INSERT INTO schema_migrations (version, name, checksum) VALUES ($1, $2, $3)", [
      file.version,
      file.name,
      file.checksum,
    ]);
    return file;
  });
}

async function ensureList(tx: Transaction): Promise<void> {
  try {
    await tx.query(
      `CREATE TABLE IF NOT EXISTS schema_migrations (
         version int PRIMARY KEY,
         name text NOT NULL,
         checksum text NOT NULL,
         applied_at timestamptz NOT NULL DEFAULT now()
       )`,
    );
  } catch (error) {
    if (!(error instanceof AppError && error.details["sqlState"] === INSUFFICIENT_PRIVILEGE)) throw error;
    throw new AppError(
      "unavailable",
      "the database user may not make tables: as the database's owner run GRANT CREATE ON SCHEMA public TO that user",
      { cause: error },
    );
  }
}

interface AppliedMigration {
  readonly version: number;
  readonly name: string;
  readonly checksum: string;
}

/** The applied ones must be the first of the files, unchanged; the next is the first that remains. */
function findNext(files: readonly MigrationFile[], applied: readonly AppliedMigration[]): MigrationFile | undefined {
  const newestKnown = files.at(-1)?.version ?? 0;
  const newestApplied = applied.at(-1)?.version ?? 0;
  if (newestApplied > newestKnown) {
    throw new AppError(
      "conflict",
      `the database has schema version ${newestApplied}, and this program knows versions up to ${newestKnown}: ` +
        "start the newer Quarry that last used it, or restore a backup made before the upgrade",
    );
  }
  for (const [index, row] of applied.entries()) {
    const file = files[index];
    if (file?.version !== row.version) {
      throw new AppError(
        "conflict",
        `the database's migrations and this program's differ at ${row.name}: ` +
          "a migration was removed or slipped in between; number a new one after the newest",
      );
    }
    if (file.checksum !== row.checksum) {
      throw new AppError(
        "conflict",
        `migration ${row.name} has changed since it was applied to this database: ` +
          "undo the change to the file, and put what is new into a new migration",
      );
    }
  }
  return files[applied.length];
}

function reasonOf(failure: AppError): string {
  return failure.cause instanceof Error ? failure.cause.message : failure.message;
}
