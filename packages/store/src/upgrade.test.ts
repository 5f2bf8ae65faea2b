import { verifies } from "@quarry/tests";
import { expect } from "vitest";
import type { Database } from "./database.ts";
import { migrate, readSchemaVersion } from "./migrate.ts";
import { readMigrationFiles } from "./migration-files.ts";
import { openDatabase } from "./open-database.ts";
import { migrationsDirectory, withDatabase, withEmptyDatabase } from "./testing.ts";

/** Longer than an upgrade takes on an idle machine: some are cut off at their start, some at their end, some not at all. */
const CUT_WITHIN_MS = 150;
/** The share of versions that one run looks at, others each time: what differs between neighbours is one file. */
const LOOKED_AT = 0.4;

verifies(
  "promises:t7:upgrade",
  "a database of every schema version upgrades with its rows, also when the upgrade is cut off in the middle",
  async () => {
    const versions = (await readMigrationFiles(migrationsDirectory)).map(({ version }) => version);
    const expected = await withDatabase(readShape);
    let cuts = 0;
    for (const version of versions.slice(0, -1).filter((_, index) => index === 0 || Math.random() < LOOKED_AT)) {
      await withEmptyDatabase(async (db, url) => {
        await migrate(db, migrationsDirectory, { upTo: version });
        await db.query(
          `INSERT INTO events (id, team_id, type, resource_kind, resource_id, data)
           VALUES ('event_old', 'team_old', 'made', 'thing', 'thing_1', '{}')`,
        );
        if (await isCutOff(db, url)) cuts += 1;
        await migrate(db, migrationsDirectory);
        expect(await readSchemaVersion(db)).toBe(versions.at(-1));
        expect(await readShape(db)).toEqual(expected);
        expect(await db.query("SELECT id FROM events")).toEqual([{ id: "event_old" }]);
      });
    }
    expect(cuts).toBeGreaterThan(0);
  },
  120_000,
);

/** Upgrades from a connection that the server ends at a random moment; whether that was in the middle. */
async function isCutOff(db: Database, url: string): Promise<boolean> {
  const upgrading = await openDatabase({ address: url });
  const outcome = migrate(upgrading, migrationsDirectory).then(
    () => false,
    () => true,
  );
  await new Promise((resolve) => setTimeout(resolve, Math.random() * CUT_WITHIN_MS));
  await db.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
  );
  const wasCut = await outcome;
  await upgrading.close();
  return wasCut;
}

/** Every column, index and constraint, in words. */
async function readShape(db: Database): Promise<readonly unknown[]> {
  return [
    await db.query(
      `SELECT table_name, column_name, data_type, is_nullable, column_default FROM information_schema.columns
       WHERE table_schema = 'public' ORDER BY 1, 2`,
    ),
    await db.query("SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1"),
    await db.query(
      `SELECT conrelid::regclass::text AS table, conname, pg_get_constraintdef(oid) AS definition FROM pg_constraint
       WHERE connamespace = 'public'::regnamespace ORDER BY 1, 2`,
    ),
  ];
}
