import { createHash, randomBytes } from "node:crypto";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { inject } from "vitest";
import type { Database } from "./database.ts";
import { migrate } from "./migrate.ts";
import { readMigrationFiles } from "./migration-files.ts";
import { openDatabase, type OpenDatabaseOptions } from "./open-database.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** URL of a PostgreSQL where tests may make databases; set by tools/test-database.ts. */
    databaseServerUrl: string;
  }
}

/** The migrations of this package as they lie in the repository. */
export const migrationsDirectory = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..", "migrations");

/** Found or made once per test file. */
let template: Promise<string> | undefined;

/** Serialises the making of templates between test processes; any number will do. */
const TEMPLATE_LOCK = 7_700_001;

/**
 * Runs `work` on a database of its own that has every migration, and drops it
 * afterwards. It is a copy of a template, which the first caller makes.
 */
export async function withDatabase<T>(
  work: (db: Database, url: string) => Promise<T>,
  options: Omit<OpenDatabaseOptions, "address"> = {},
): Promise<T> {
  template ??= ensureTemplate();
  return withNewDatabase(await template, work, options);
}

/** As `withDatabase`, without any migration applied. */
export function withEmptyDatabase<T>(
  work: (db: Database, url: string) => Promise<T>,
  options: Omit<OpenDatabaseOptions, "address"> = {},
): Promise<T> {
  return withNewDatabase("template0", work, options);
}

async function withNewDatabase<T>(
  template: string,
  work: (db: Database, url: string) => Promise<T>,
  options: Omit<OpenDatabaseOptions, "address">,
): Promise<T> {
  const name = `test_${randomBytes(8).toString("hex")}`;
  // Copied as files, not through the log: half the cost where the server's files lie in memory; on a disk it costs more.
  const how = `TEMPLATE ${template} ENCODING 'UTF8' STRATEGY FILE_COPY`;
  await onServer((server) => server.query(`CREATE DATABASE ${name} ${how}`));
  const url = urlOf(name);
  try {
    const db = await openDatabase({ ...options, address: url });
    try {
      return await work(db, url);
    } finally {
      await db.close();
    }
  } finally {
    await onServer((server) => server.query(`DROP DATABASE ${name} WITH (FORCE)`));
  }
}

/** The template's name carries the migrations' checksums, so that a changed file makes a new one. */
async function ensureTemplate(): Promise<string> {
  const files = await readMigrationFiles(migrationsDirectory);
  const hash = createHash("sha256");
  for (const file of files) hash.update(file.name).update(file.checksum);
  const name = `template_${hash.digest("hex").slice(0, 16)}`;
  await onServer(async (server) => {
    await server.query("SELECT pg_advisory_lock($1)", [TEMPLATE_LOCK]);
    const [found] = await server.query("SELECT 1 FROM pg_database WHERE datname = $1", [name]);
    if (found === undefined) await makeTemplate(server, name);
  });
  return name;
}

async function makeTemplate(server: Database, name: string): Promise<void> {
  const unfinished = `${name}_${randomBytes(4).toString("hex")}`;
  await server.query(`CREATE DATABASE ${unfinished} TEMPLATE template0 ENCODING 'UTF8'`);
  const db = await openDatabase({ address: urlOf(unfinished), maxConnections: 1 });
  try {
    await migrate(db, migrationsDirectory);
  } finally {
    await db.close();
  }
  await server.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", // the pool's last goodbye may be under way
    [unfinished],
  );
  await server.query(`ALTER DATABASE ${unfinished} RENAME TO ${name}`);
}

/** One connection to the server itself; a session lock taken on it ends with it. */
async function onServer(use: (server: Database) => Promise<unknown>): Promise<void> {
  const server = await openDatabase({ address: inject("databaseServerUrl"), maxConnections: 1 });
  try {
    await use(server);
  } finally {
    await server.close();
  }
}

function urlOf(database: string): string {
  const url = new URL(inject("databaseServerUrl"));
  url.pathname = `/${database}`;
  return url.href;
}
