import { inspect } from "node:util";
import { AppError } from "@quarry/base";
import { verifies } from "@quarry/tests";
import { describe, expect, it, vi } from "vitest";
import { isUniqueViolation } from "./database-errors.ts";
import type { Database, Transaction } from "./database.ts";
import { openDatabase } from "./open-database.ts";
import { withDatabase, withEmptyDatabase } from "./testing.ts";

/** Ends every other connection to this database, as a crash of the server would. */
async function cutConnections(db: Database): Promise<void> {
  await db.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
  );
}

describe("openDatabase", () => {
  it("reads columns as Queryable says", async () => {
    await withEmptyDatabase(async (db) => {
      const [row] = await db.query(
        `SELECT 9007199254740991::bigint AS big, count(*) AS many, 1.10::numeric AS money, date '2026-02-03' AS day,
                timestamptz '2026-02-03 04:05:06.789+00' AS instant, timestamp '2026-02-03 04:05:06.789' AS utc,
                '\\x00ff'::bytea AS bytes, '{"a":[1]}'::jsonb AS data, ARRAY['a','b'] AS list, NULL AS nothing`,
      );
      const instant = new Date("2026-02-03T04:05:06.789Z");
      expect(row).toEqual({
        big: 9007199254740991,
        many: 1,
        money: "1.10",
        day: "2026-02-03",
        instant,
        utc: instant,
        bytes: Buffer.from([0, 255]),
        data: { a: [1] },
        list: ["a", "b"],
        nothing: null,
      });
      await expect(db.query("SELECT 9007199254740993::bigint AS big")).rejects.toMatchObject({
        cause: { message: expect.stringContaining("select it as text") as string },
      });
      expect(await db.query("SELECT 1 AS still")).toEqual([{ still: 1 }]);
    });
  });

  it("runs a prepared statement again and again, in transactions too", async () => {
    await withEmptyDatabase(
      async (db) => {
        const add = "SELECT $1::int + $2::int AS sum";
        const sums = [];
        for (let one = 0; one < 7; one += 1) sums.push(...(await db.query(add, [one, 1], { isPrepared: true })));
        const inside = await db.transaction((tx) => tx.query(add, [40, 2], { isPrepared: true }));
        const [kept] = await db.query("SELECT count(*) FROM pg_prepared_statements");
        expect([sums.at(-1), inside, kept]).toEqual([{ sum: 7 }, [{ sum: 42 }], { count: 1 }]);
      },
      { maxConnections: 1 },
    );
  });

  verifies(
    "store:external:wrong-url",
    "says what to check when it cannot be opened, without the password",
    async () => {
      const faults = [
        ["mysql://someone:hunter2@127.0.0.1/x", "must be a PostgreSQL URL"],
        ["postgres://someone:hunter2@127.0.0.1:1/x", "check that it runs and that QUARRY_DATABASE_URL names its host"],
      ] as const;
      for (const [address, message] of faults) {
        const error: unknown = await openDatabase({ address, connectPatienceMs: 0 }).catch((caught: unknown) => caught);
        expect(error).toBeInstanceOf(AppError);
        expect(String(error)).toContain(message);
        expect(inspect(error, { depth: 10 })).not.toContain("hunter2");
      }
    },
  );

  it("says that a database is missing", async () => {
    await withEmptyDatabase(async (_db, url) => {
      const missing = new URL(url);
      missing.pathname = "/no_such_database";
      await expect(openDatabase({ address: missing.href })).rejects.toThrow("the server has no database of that name");
    });
  });

  it("marks what may be tried again", async () => {
    await withEmptyDatabase(async (db) => {
      await db.query("CREATE TABLE t (id int PRIMARY KEY, n int)");
      await db.query("INSERT INTO t VALUES (1, 0), (2, 0)");
      const duplicate: unknown = await db.query("INSERT INTO t VALUES (1)").catch((error: unknown) => error);
      expect(duplicate).toMatchObject({ code: "conflict", retryable: false });
      expect([isUniqueViolation(duplicate), isUniqueViolation(duplicate, "t_pkey")]).toEqual([true, true]);
      expect(isUniqueViolation(duplicate, "other")).toBe(false);
      await expect(db.query("SELECT nonsense")).rejects.toMatchObject({ code: "internal", retryable: false });

      const lockBoth = async (tx: Transaction, first: number, second: number): Promise<void> => {
        await tx.query("SET LOCAL deadlock_timeout = '50ms'");
        await tx.query("UPDATE t SET n = n + 1 WHERE id = $1", [first]);
        await tx.query("SELECT pg_sleep(0.05)");
        await tx.query("UPDATE t SET n = n + 1 WHERE id = $1", [second]);
      };
      const outcomes = await Promise.allSettled([
        db.transaction((tx) => lockBoth(tx, 1, 2)),
        db.transaction((tx) => lockBoth(tx, 2, 1)),
      ]);
      const failures = outcomes.flatMap((outcome) =>
        outcome.status === "rejected" ? [outcome.reason as unknown] : [],
      );
      expect(failures).toMatchObject([{ code: "conflict", retryable: true, details: { sqlState: "40P01" } }]);
    });
  });

  it.each([
    ["53100", /disk is full/],
    ["58030", /fails to read or write/],
    ["53000", /too many files/],
    ["53200", /short of memory/],
    ["25006", /storage is read-only/],
  ])("says what the server's machine lacks, by SQLSTATE %s, and that it passes", async (sqlState, sentence) => {
    await withEmptyDatabase(async (db) => {
      const raise = `DO $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '${sqlState}'; END $$`;
      const error: unknown = await db.query(raise).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: "unavailable", retryable: true, details: { sqlState } });
      expect(error instanceof AppError ? error.message : "").toMatch(sentence);
    });
  });

  it("fails retryably when the connection is cut, and works as soon as that is noticed", async () => {
    await withEmptyDatabase(async (db, url) => {
      const other = await openDatabase({ address: url });
      const sleeping = db.query("SELECT pg_sleep(30)").catch((error: unknown) => error);
      const inTransaction = db
        .transaction(async (tx) => {
          await tx.query("SELECT pg_sleep(30)");
        })
        .catch((error: unknown) => error);
      await vi.waitFor(async () => {
        expect(await other.query("SELECT 1 FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(30)'")).toHaveLength(2);
      });
      await cutConnections(other);
      expect(await sleeping).toMatchObject({ code: "unavailable", retryable: true });
      expect(await inTransaction).toMatchObject({ code: "unavailable", retryable: true });
      // An idle connection was cut too; until its end has been read, it may still be lent.
      await vi.waitFor(async () => {
        expect(await db.query("SELECT 1 AS one")).toEqual([{ one: 1 }]);
      });
      await other.close();
    });
  });

  it("refuses work after close, and closes twice without harm", async () => {
    await withEmptyDatabase(async (_db, url) => {
      const db = await openDatabase({ address: url });
      await Promise.all([db.close(), db.close()]);
      await expect(db.query("SELECT 1")).rejects.toMatchObject({ code: "unavailable" });
    });
  });
});

describe("transaction", () => {
  verifies("store:transactions:roll-back-on-error", "rolls back all of it and passes the error unchanged", () =>
    withEmptyDatabase(async (db) => {
      await db.query("CREATE TABLE t (id int)");
      const failure = new TypeError("of the caller");
      const failing = db.transaction(async (tx) => {
        await tx.query("INSERT INTO t VALUES (1)");
        throw failure;
      });
      await expect(failing).rejects.toBe(failure);
      expect(await db.query("SELECT * FROM t")).toEqual([]);
      expect(await db.transaction((tx) => tx.query("INSERT INTO t VALUES (2) RETURNING id"))).toEqual([{ id: 2 }]);
    }),
  );

  it("does not pretend to have committed when a failed statement was swallowed", async () => {
    await withEmptyDatabase(async (db) => {
      await db.query("CREATE TABLE t (id int)");
      const swallowing = db.transaction(async (tx) => {
        await tx.query("INSERT INTO t VALUES (1)");
        await tx.query("SELECT nonsense").catch(() => undefined);
      });
      await expect(swallowing).rejects.toThrow("nobody rethrew it");
      expect(await db.query("SELECT * FROM t")).toEqual([]);
    });
  });

  it("waits for statements nobody awaited, and refuses later ones", async () => {
    await withEmptyDatabase(async (db) => {
      await db.query("CREATE TABLE t (id int)");
      let leaked: Transaction | undefined;
      await db.transaction((tx) => {
        leaked = tx;
        void Promise.all([tx.query("INSERT INTO t VALUES (1)"), tx.query("INSERT INTO t VALUES (2)")]);
        return Promise.resolve();
      });
      expect(await db.query("SELECT * FROM t ORDER BY id")).toEqual([{ id: 1 }, { id: 2 }]);
      await expect(leaked?.query("SELECT 1")).rejects.toThrow("after the end of its transaction");
    });
  });
});

describe("listen", () => {
  it("hears every channel on one connection, until closed", async () => {
    await withEmptyDatabase(async (db) => {
      const heard: string[] = [];
      const [first, second] = await Promise.all([
        db.listen("one", (payload) => heard.push(`one ${payload}`)),
        db.listen("Two's \"", (payload) => heard.push(`two ${payload}`)),
      ]);
      await db.query("SELECT pg_notify('one', 'a'), pg_notify('Two''s \"', 'b')");
      await vi.waitFor(() => expect(heard).toEqual(["one a", "two b"]));
      await first.close();
      await db.query("SELECT pg_notify('one', 'c'), pg_notify('Two''s \"', 'd')");
      await vi.waitFor(() => expect(heard).toEqual(["one a", "two b", "two d"]));
      await second.close();
    });
  });

  it("comes back after a cut connection and says that something may have been missed", async () => {
    const errors: AppError[] = [];
    await withDatabase(
      async (db, url) => {
        const other = await openDatabase({ address: url });
        const heard: string[] = [];
        await db.listen("one", (payload) => heard.push(payload));
        await cutConnections(other);
        await vi.waitFor(() => expect(heard).toEqual([""]), { timeout: 5_000 });
        await other.query("SELECT pg_notify('one', 'after')");
        await vi.waitFor(() => expect(heard).toEqual(["", "after"]));
        expect(errors.every((error) => error.retryable)).toBe(true);
        expect(errors).not.toEqual([]);
        await other.close();
      },
      { onError: (error) => errors.push(error) },
    );
  });

  it("reports a listener that throws and goes on", async () => {
    const errors: AppError[] = [];
    await withDatabase(
      async (db) => {
        const heard: string[] = [];
        await db.listen("one", () => {
          throw new Error("listener's fault");
        });
        await db.listen("one", (payload) => heard.push(payload));
        await db.query("SELECT pg_notify('one', 'a')");
        await vi.waitFor(() => expect(heard).toEqual(["a"]));
        expect(errors).toMatchObject([{ cause: { message: "listener's fault" } }]);
      },
      { onError: (error) => errors.push(error) },
    );
  });
});
