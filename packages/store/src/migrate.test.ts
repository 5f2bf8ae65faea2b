import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { verifies } from "@quarry/tests";
import { describe, expect, it } from "vitest";
import { migrate, readSchemaVersion } from "./migrate.ts";
import { openDatabase } from "./open-database.ts";
import { migrationsDirectory, withDatabase, withEmptyDatabase } from "./testing.ts";

/** A directory with these migrations, gone after `work`. */
async function withMigrations(
  files: Record<string, string>,
  work: (directory: string) => Promise<unknown>,
): Promise<void> {
  const directory = await mkdtemp(path.join(tmpdir(), "quarry-migrations-"));
  try {
    for (const [name, sql] of Object.entries(files)) await writeFile(path.join(directory, name), sql);
    await work(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

const ONE = { "0001_one.sql": "CREATE TABLE one (id int);\nINSERT INTO one VALUES (1);" };
const TWO = { ...ONE, "0002_two.sql": "CREATE TABLE two (id int);" };

describe("migrate", () => {
  verifies("store:migrations:numbered-in-order", "applies the files in order, once", async () => {
    await withMigrations(TWO, (directory) =>
      withEmptyDatabase(async (db) => {
        expect(await readSchemaVersion(db)).toBe(0);
        expect(await migrate(db, directory)).toEqual({ applied: ["0001_one", "0002_two"], schemaVersion: 2 });
        expect(await migrate(db, directory)).toEqual({ applied: [], schemaVersion: 2 });
        expect(await readSchemaVersion(db)).toBe(2);
        expect(await db.query("SELECT * FROM one")).toEqual([{ id: 1 }]);
      }),
    );
  });

  verifies(
    "store:migrations:two-starts-at-once",
    "lets many migrate at once: each file is applied exactly once",
    async () => {
      const files = Object.fromEntries(
        Array.from({ length: 6 }, (_, index) => [
          `000${index + 1}_t.sql`,
          `CREATE TABLE t${index} AS SELECT 1 AS id FROM pg_sleep(0.02)`,
        ]),
      );
      await withMigrations(files, (directory) =>
        withEmptyDatabase(async (_db, url) => {
          const pools = await Promise.all(Array.from({ length: 4 }, () => openDatabase({ address: url })));
          const reports = await Promise.all(pools.map((pool) => migrate(pool, directory)));
          expect(reports.flatMap((report) => report.applied).sort()).toEqual(
            Object.keys(files).map((name) => name.replace(".sql", "")),
          );
          await Promise.all(pools.map((pool) => pool.close()));
        }),
      );
    },
  );

  verifies("store:migrations:newer-schema-refused", "refuses a schema newer than the program", async () => {
    await withEmptyDatabase(async (db) => {
      await withMigrations(TWO, (directory) => migrate(db, directory));
      await withMigrations(ONE, async (directory) => {
        await expect(migrate(db, directory)).rejects.toThrow(
          "the database has schema version 2, and this program knows versions up to 1",
        );
      });
    });
  });

  verifies(
    "store:migrations:changed-file-detected",
    "refuses when an applied file was changed, and writes nothing",
    async () => {
      await withEmptyDatabase(async (db) => {
        await withMigrations(ONE, (directory) => migrate(db, directory));
        const changed = { ...TWO, "0001_one.sql": "CREATE TABLE one (id bigint);" };
        await withMigrations(changed, async (directory) => {
          await expect(migrate(db, directory)).rejects.toThrow("0001_one has changed since it was applied");
        });
        expect(await readSchemaVersion(db)).toBe(1);
      });
    },
  );

  it("refuses a migration that slipped in before an applied one", async () => {
    await withEmptyDatabase(async (db) => {
      const later = { "0001_one.sql": ONE["0001_one.sql"], "0003_three.sql": "SELECT 1" };
      await withMigrations(later, (directory) => migrate(db, directory));
      await withMigrations({ ...TWO, ...later }, async (directory) => {
        await expect(migrate(db, directory)).rejects.toThrow("differ at 0003_three");
      });
    });
  });

  verifies("store:migrations:transactional", "rolls a failing file back whole and names it", async () => {
    const files = { ...ONE, "0002_bad.sql": "CREATE TABLE half (id int); SELECT no_such_column;" };
    await withMigrations(files, (directory) =>
      withEmptyDatabase(async (db) => {
        await expect(migrate(db, directory)).rejects.toThrow('migration 0002_bad failed: column "no_such_column"');
        expect(await readSchemaVersion(db)).toBe(1);
        expect(await db.query("SELECT to_regclass('half') AS half")).toEqual([{ half: null }]);
      }),
    );
  });

  it.each([
    [{ "1_one.sql": "" }, "a migration is named NNNN_name.sql"],
    [{ "0001_a.sql": "", "0001_b.sql": "" }, "0001_a and 0001_b have the same number"],
  ])("refuses malformed file names %j", async (files, message) => {
    await withMigrations(files, (directory) =>
      withEmptyDatabase((db) => expect(migrate(db, directory)).rejects.toThrow(message)),
    );
  });

  it("says which right the database user lacks", async () => {
    await withEmptyDatabase(async (db, url) => {
      const role = `limited_${process.pid}_${Math.random().toString(36).slice(2)}`;
      await db.query("REVOKE CREATE ON SCHEMA public FROM PUBLIC");
      await db.query(`CREATE ROLE ${role} LOGIN`);
      const limitedUrl = new URL(url);
      limitedUrl.username = role;
      const limited = await openDatabase({ address: limitedUrl.href });
      try {
        await expect(migrate(limited, migrationsDirectory)).rejects.toThrow("GRANT CREATE ON SCHEMA public");
      } finally {
        await limited.close();
        await db.query(`DROP ROLE ${role}`);
      }
    });
  });

  it("has nothing left to do on a test database", async () => {
    await withDatabase(async (db) => {
      expect((await migrate(db, migrationsDirectory)).applied).toEqual([]);
    });
  });
});
