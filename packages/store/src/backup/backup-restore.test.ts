import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { PassThrough, Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { gunzipSync, gzipSync } from "node:zlib";
import { verifies } from "@quarry/tests";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { BlobStore } from "../blobs/blob-store.ts";
import { createDirectoryBlobStore } from "../blobs/directory-blob-store.ts";
import type { Database } from "../database.ts";
import { appendEvent } from "../events.ts";
import { migrate } from "../migrate.ts";
import { migrationsDirectory, withDatabase, withEmptyDatabase } from "../testing.ts";
import { backupDatabase } from "./backup-database.ts";
import { quoteName, readSequences, readTables } from "./catalog.ts";
import { restoreDatabase } from "./restore-database.ts";

const SCHEMA = `
  CREATE TABLE "Odd ""types""" (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    words text, flag boolean, whole bigint, exact numeric, money numeric(30, 10), real4 real, real8 double precision,
    bytes bytea, data jsonb, raw json, instant timestamptz, local timestamp, day date, span interval,
    list text[], numbers int[], key uuid, place inet,
    doubled numeric GENERATED ALWAYS AS (whole::numeric * 2) STORED,
    inserted_by xid8 NOT NULL DEFAULT pg_current_xact_id()
  );
  CREATE TABLE a_children (id int PRIMARY KEY, parent_id int, boss_id int REFERENCES a_children (id));
  CREATE TABLE parents (id int PRIMARY KEY, favourite_id int REFERENCES a_children (id));
  ALTER TABLE a_children ADD CONSTRAINT of_parent FOREIGN KEY (parent_id) REFERENCES parents (id) ON DELETE CASCADE;
  CREATE SEQUENCE loose START 41;
  CREATE TABLE heard (id int);
  CREATE FUNCTION hear() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO heard VALUES (NEW.id); RETURN NEW; END $$;
  CREATE TRIGGER hears AFTER INSERT ON parents FOR EACH ROW EXECUTE FUNCTION hear();`;

const ROWS = `
  INSERT INTO "Odd ""types""" (words, flag, whole, exact, money, real4, real8, bytes, data, raw, instant, local, day, span,
                              list, numbers, key, place)
  VALUES
    (E'tab\\t "quoted" \\\\ back\\nline \\u2028 😀 é', true, 9223372036854775807, 0.1000, 12345678901234567890.0123456789,
     1.1, 0.1::float8 + 0.2::float8, '\\x00ff5c0a', '{"b": [1, 1.50, null], "a": "\\u2028 \\\\n"}', '{"b":1,  "a":2, "a":3}',
     '2026-11-15 10:00:00.123456+02', '0044-03-15 12:00:00.000001 BC', 'infinity', '1 year 2 mons -3 days 04:05:06.000007',
     ARRAY['a,b', 'c"d', NULL, ''], ARRAY[]::int[], '7b0c6f3e-2a55-4a6e-9a94-000000000001', '10.0.0.0/8'),
    ('', false, -9223372036854775808, 'NaN', -0.0000000001, 'Infinity', 5e-324, '', '[]', 'null', 'infinity', '-infinity',
     '0001-01-01', '-00:00:01', ARRAY[]::text[], '{{1,2},{3,4}}', NULL, '::1'),
    (NULL, NULL, NULL, NULL, NULL, NULL, 'NaN', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
  INSERT INTO parents VALUES (1, NULL), (2, NULL);
  INSERT INTO a_children VALUES (2, 1, NULL), (1, 2, 2);
  UPDATE parents SET favourite_id = 1;
  SELECT nextval('loose'), nextval('loose');`;

let directory = "";
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), "quarry-backup-"));
  await writeFile(path.join(directory, "0001_odd.sql"), SCHEMA);
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function backUp(db: Database): Promise<Buffer> {
  const output = new PassThrough();
  const [bytes] = await Promise.all([buffer(output), backupDatabase(db, output)]);
  return bytes;
}

/** The rows of every table as PostgreSQL prints them, and where the sequences stand. */
async function readEverything(db: Database): Promise<unknown> {
  const tables = await readTables(db);
  const rows: Record<string, unknown> = {};
  for (const { name, columns } of tables) {
    const list = columns.map((column) => quoteName(column.name)).join(", ");
    rows[name] = await db.query(`SELECT ROW(${list})::text AS row FROM ${quoteName(name)} ORDER BY 1`);
  }
  const constraints = await db.query(
    "SELECT conname, pg_get_constraintdef(oid) AS definition, convalidated FROM pg_constraint WHERE connamespace = 'public'::regnamespace ORDER BY 1",
  );
  const triggers = await db.query("SELECT tgname, tgenabled FROM pg_trigger WHERE NOT tgisinternal ORDER BY 1");
  return { rows, sequences: await readSequences(db), constraints, triggers };
}

describe("backup and restore", () => {
  it("give back every row exactly, whatever its types", async () => {
    await withEmptyDatabase(async (source) => {
      await migrate(source, directory);
      await source.query(ROWS);
      const bytes = await backUp(source);
      await withEmptyDatabase(async (target) => {
        const report = await restoreDatabase(target, Readable.from([bytes]), { migrationsDirectory: directory });
        expect(report.rows).toEqual({ 'Odd "types"': 3, a_children: 2, heard: 2, parents: 2 });
        expect(await readEverything(target)).toEqual(await readEverything(source));
        expect(await target.query('SELECT doubled FROM "Odd ""types""" WHERE id = 1')).toEqual([
          { doubled: "18446744073709551614" },
        ]);
        expect(await target.query("SELECT nextval('loose')::int AS next")).toEqual([{ next: 43 }]);
        await target.query('INSERT INTO "Odd ""types""" (words) VALUES (\'next id\')');
        expect(await target.query('SELECT max(id)::int AS id FROM "Odd ""types"""')).toEqual([{ id: 4 }]);
      });
    });
  });

  verifies("durability:backup:consistent-under-load", "cut at one moment while others write", () =>
    withDatabase(async (source) => {
      await source.query("CREATE TABLE counter (id int PRIMARY KEY, n int)");
      await source.query("INSERT INTO counter VALUES (1, 0)");
      const writing = new AbortController();
      const write = async (): Promise<void> => {
        while (!writing.signal.aborted) {
          await source.transaction(async (tx) => {
            const resource = { kind: "webset", id: "w" };
            await appendEvent(tx, { teamId: "t", type: "x", resource, data: { filler: "x".repeat(2_000) } });
            await tx.query("UPDATE counter SET n = n + 1");
          });
        }
      };
      const writers = [write(), write()];
      while (((await source.query<{ n: number }>("SELECT n FROM counter"))[0]?.n ?? 0) < 200);
      const bytes = await backUp(source);
      writing.abort();
      await Promise.all(writers);
      await withEmptyDatabase(async (target) => {
        await migrate(target, migrationsDirectory);
        await target.query("CREATE TABLE counter (id int PRIMARY KEY, n int)");
        const { rows } = await restoreDatabase(target, Readable.from([bytes]), { migrationsDirectory });
        const [restored] = await target.query<{ n: number }>("SELECT n FROM counter");
        expect(rows["events"]).toBe(restored?.n);
        expect(restored?.n).toBeGreaterThanOrEqual(200);
        const cut = "SELECT id, type, data, sequence, created_at::text FROM events ORDER BY sequence";
        const ids = (await target.query<{ id: string }>(cut)).map((row) => row.id);
        expect(await source.query(cut.replace("ORDER", "WHERE id = ANY ($1) ORDER"), [ids])).toEqual(
          await target.query(cut),
        );
        await target.transaction((tx) =>
          appendEvent(tx, { teamId: "t", type: "after", resource: { kind: "a", id: "b" }, data: null }),
        );
      });
    }),
  );

  it("bring an old backup up to the schema of now", async () => {
    await withEmptyDatabase(async (source) => {
      await migrate(source, migrationsDirectory, { upTo: 1 });
      await source.transaction((tx) =>
        appendEvent(tx, { teamId: "t", type: "old", resource: { kind: "a", id: "b" }, data: null }),
      );
      const bytes = await backUp(source);
      await withEmptyDatabase(async (target) => {
        const report = await restoreDatabase(target, Readable.from([bytes]), { migrationsDirectory });
        expect(report).toMatchObject({ schemaVersion: 1, rows: { events: 1 } });
        expect((await migrate(target, migrationsDirectory)).applied).toEqual([]);
      });
      await withDatabase(async (newer) => {
        await expect(restoreDatabase(newer, Readable.from([bytes]), { migrationsDirectory })).rejects.toThrow(
          "restore into a new, empty database",
        );
      });
    });
  });
});

describe("restoreDatabase", () => {
  let whole: Buffer;
  beforeAll(async () => {
    whole = await withEmptyDatabase(async (source) => {
      await migrate(source, directory);
      await source.query(ROWS);
      return backUp(source);
    });
  });
  const change = (from: string, to: string): Buffer => gzipSync(gunzipSync(whole).toString("utf8").replace(from, to));

  it.each<[string, () => Buffer, string]>([
    ["is cut short", () => whole.subarray(0, whole.length - 40), "damaged or incomplete"],
    [
      "lost its trailer",
      () => change(/\{"sequences".*\n$/.exec(gunzipSync(whole).toString())?.[0] ?? "?", ""),
      "damaged",
    ],
    ["lost a row", () => change('["2","1",null]\n', ""), "damaged or incomplete"],
    ["has a changed value", () => change('["1","1"]', '["1","2"]'), "damaged or incomplete"],
    [
      "has a changed byte",
      () => Buffer.concat([whole.subarray(0, 200), Buffer.from("?"), whole.subarray(201)]),
      "damaged",
    ],
    ["goes on after its end", () => gzipSync(Buffer.concat([gunzipSync(whole), Buffer.from("[]\n")])), "damaged"],
    ["is something else", () => gzipSync("hello\n"), "not a Quarry backup"],
    ["is of a later format", () => change('"version":2', '"version":3'), "made by a newer Quarry"],
    ["is of a newer schema", () => change('"schemaVersion":1', '"schemaVersion":9'), "knows versions up to 1"],
  ])("leaves nothing behind when the file %s", async (_name, makeFile, message) => {
    await withEmptyDatabase(async (target) => {
      await expect(
        restoreDatabase(target, Readable.from([makeFile()]), { migrationsDirectory: directory }),
      ).rejects.toThrow(message);
      const tables = await readTables(target);
      for (const { name } of tables) expect(await target.query(`SELECT * FROM ${quoteName(name)}`)).toEqual([]);
    });
  });

  it("refuses a database that has rows", async () => {
    await withEmptyDatabase(async (target) => {
      await migrate(target, directory);
      await target.query("INSERT INTO heard VALUES (1)");
      await expect(restoreDatabase(target, Readable.from([whole]), { migrationsDirectory: directory })).rejects.toThrow(
        "the database is not empty (table heard has rows)",
      );
    });
  });
});

describe("blobs", () => {
  const blobsOf = (): { store: BlobStore; folder: string } => {
    const folder = mkdtempSync(path.join(tmpdir(), "quarry-blobs-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    return { store: createDirectoryBlobStore(folder), folder };
  };
  const keysOf = async (store: BlobStore): Promise<readonly string[]> => {
    const keys: string[] = [];
    for await (const key of store.list("")) keys.push(key);
    return keys.sort();
  };
  const backUpWith = async (db: Database, blobs: BlobStore): Promise<Buffer> => {
    const output = new PassThrough();
    const [bytes] = await Promise.all([buffer(output), backupDatabase(db, output, { blobs })]);
    return bytes;
  };
  const bytesOf = (text: string): Buffer => Buffer.from(text, "latin1");

  it("come back byte for byte, and rows with them", async () => {
    const source = blobsOf();
    await source.store.put("snapshots/ab/one.gz", bytesOf("\x00\xff\n\r\u0080"));
    await source.store.put("uploads/empty", bytesOf(""));
    await source.store.put("uploads/large", Buffer.alloc(3_000_000, 7));
    const file = await withEmptyDatabase(async (db) => {
      await migrate(db, directory);
      await db.query(ROWS);
      return backUpWith(db, source.store);
    });
    const target = blobsOf();
    await withEmptyDatabase(async (db) => {
      const options = { migrationsDirectory: directory, blobs: target.store };
      const report = await restoreDatabase(db, Readable.from([file]), options);
      expect(report).toMatchObject({ blobs: 3, rows: { parents: 2 } });
    });
    expect(await keysOf(target.store)).toEqual(await keysOf(source.store));
    for (const key of await keysOf(source.store)) {
      expect(
        Buffer.compare((await target.store.get(key)) ?? bytesOf("?"), (await source.store.get(key)) ?? bytesOf("!")),
      ).toBe(0);
    }
  });

  it("that were written are taken back when the rest of the file is damaged", async () => {
    const source = blobsOf();
    await source.store.put("snapshots/ab/one.gz", bytesOf("1"));
    const whole = await withEmptyDatabase(async (db) => {
      await migrate(db, directory);
      await db.query(ROWS);
      return backUpWith(db, source.store);
    });
    const broken = gzipSync(gunzipSync(whole).toString("utf8").replace('["1","1"]', '["1","2"]'));
    const target = blobsOf();
    await withEmptyDatabase(async (db) => {
      const options = { migrationsDirectory: directory, blobs: target.store };
      await expect(restoreDatabase(db, Readable.from([broken]), options)).rejects.toThrow("damaged");
      await expect(restoreDatabase(db, Readable.from([whole]), { migrationsDirectory: directory })).rejects.toThrow(
        "holds blobs",
      );
    });
    expect(await keysOf(target.store)).toEqual([]);
  });

  it("that were there before stay, whatever becomes of the restore", async () => {
    const { store } = blobsOf();
    await store.put("snapshots/ab/one.gz", bytesOf("1"));
    await store.put("snapshots/cd/two.gz", bytesOf("2"));
    const whole = await withEmptyDatabase(async (db) => {
      await migrate(db, directory);
      await db.query(ROWS);
      return backUpWith(db, store);
    });
    await store.delete("snapshots/cd/two.gz");
    await withEmptyDatabase(async (db) => {
      const options = { migrationsDirectory: directory, blobs: store };
      const broken = gzipSync(gunzipSync(whole).toString("utf8").replace('["1","1"]', '["1","2"]'));
      await expect(restoreDatabase(db, Readable.from([broken]), options)).rejects.toThrow("damaged");
      expect(await keysOf(store)).toEqual(["snapshots/ab/one.gz"]);
      expect(await restoreDatabase(db, Readable.from([whole]), options)).toMatchObject({ blobs: 2 });
      expect(await keysOf(store)).toEqual(["snapshots/ab/one.gz", "snapshots/cd/two.gz"]);
    });
  });

  it("are not asked of a backup of the first format", async () => {
    const file = await withEmptyDatabase(async (db) => {
      await migrate(db, directory);
      return backUp(db);
    });
    const old = gunzipSync(file).toString("utf8").replace('"version":2', '"version":1').replace('"blobs":0,', "");
    const end = old.lastIndexOf('{"sequences"');
    const [body, last] = [old.slice(0, end), old.slice(end)];
    const sha256 = createHash("sha256").update(body).digest("hex");
    const whole = gzipSync(body + last.replace(/"sha256":"[0-9a-f]+"/, `"sha256":"${sha256}"`));
    await withEmptyDatabase(async (db) => {
      const report = await restoreDatabase(db, Readable.from([whole]), { migrationsDirectory: directory });
      expect(report.blobs).toBe(0);
    });
  });
});

describe("backupDatabase", () => {
  it("stops when aborted and leaves the database usable", async () => {
    await withDatabase(
      async (db) => {
        const stop = new AbortController();
        const output = new PassThrough({ highWaterMark: 1 }); // nobody reads: the backup waits for it
        const backup = backupDatabase(db, output, { signal: stop.signal });
        stop.abort();
        await expect(backup).rejects.toThrow("aborted");
        expect(await db.query("SELECT 1 AS one")).toEqual([{ one: 1 }]);
      },
      { maxConnections: 1 },
    );
  });
});
