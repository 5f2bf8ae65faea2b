import { execFile, spawn } from "node:child_process";
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { verifies } from "@quarry/tests";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Database } from "../database.ts";
import { openDatabase } from "../open-database.ts";
import { findPostgresBinaries } from "./postgres-binaries.ts";
import { findPostgresProcesses } from "./postgres-processes.ts";
import { choosePostgresUser } from "./postgres-user.ts";
import { startEmbeddedPostgres, type EmbeddedPostgres, type EmbeddedPostgresEvent } from "./start-embedded-postgres.ts";
import { buildTestProgram, withDirectory, type TestProgram } from "./testing.ts";

const isRoot = process.getuid?.() === 0;
vi.setConfig({ testTimeout: 60_000 }); // starts of PostgreSQL, with fsync, on whatever disk there is

/** Making a cluster takes a second, so most tests use this one, one after the other. Its name is as odd as people's are. */
let shared = "";
beforeAll(async () => {
  shared = await mkdtemp(path.join(tmpdir(), `it's my "own", `));
});
afterAll(() => rm(shared, { recursive: true, force: true, maxRetries: 3 }));

/** Runs `work` on the embedded database of `directory` and stops it. */
async function withServer<T>(
  directory: string,
  work: (db: Database, server: EmbeddedPostgres) => Promise<T>,
  onEvent: (event: EmbeddedPostgresEvent) => void = () => undefined,
): Promise<T> {
  const server = await startEmbeddedPostgres({ dataDirectory: directory, onEvent });
  try {
    const db = await openDatabase({ address: server.address });
    try {
      return await work(db, server);
    } finally {
      await db.close();
    }
  } finally {
    await server.stop();
  }
}

/** The directory lets nobody else in, and its path is too long for a socket in it. */
function runBelowPrivateDirectory(): Promise<void> {
  return withDirectory(async (parent) => {
    await chmod(parent, 0o700);
    const directory = path.join(parent, "x".repeat(100));
    let socketDirectory = "";
    await withServer(directory, async (db, server) => {
      socketDirectory = server.address.host;
      expect(await readFile(path.join(directory, "socket-directory"), "utf8")).toBe(socketDirectory);
      expect((await stat(socketDirectory)).mode & 0o777).toBe(0o700);
      expect(await db.query("SELECT 1 AS one")).toEqual([{ one: 1 }]);
      expect((await stat(path.join(directory, "postgres"))).uid).toBe(process.getuid?.());
    });
    await expect(stat(socketDirectory)).rejects.toThrow("ENOENT");
  });
}

describe("startEmbeddedPostgres", () => {
  verifies(
    [
      "store:embedded:default",
      "store:embedded:private-socket",
      "store:embedded:fsync-on",
      "store:embedded:stale-pid-file",
      "store:embedded:ends-with-server",
    ],
    "runs durably behind a private socket, and again after a stop or over a stale postmaster.pid",
    async () => {
      const directory = shared;
      const cluster = path.join(directory, "postgres");
      await withServer(directory, async (db, server) => {
        const settings = await db.query(
          `SELECT current_setting('fsync') AS fsync, current_setting('listen_addresses') AS addresses,
                    current_setting('autovacuum') AS autovacuum, current_setting('server_encoding') AS encoding,
                    'ä' < 'z' AS "bytewise?", lower('ÄÖ') AS lower`,
        );
        expect(settings).toEqual([
          { fsync: "on", addresses: "", autovacuum: "on", encoding: "UTF8", "bytewise?": false, lower: "äö" },
        ]);
        expect((await stat(server.address.host)).mode & 0o777).toBe(0o700);
        expect(server.address.host.startsWith(directory)).toBe(true);
        await db.query("CREATE TABLE kept AS SELECT 1 AS id");
      });
      expect(await findPostgresProcesses(cluster)).toEqual([]);
      const stranger = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
      // As after a crash of the machine: the file names a process of now that is no PostgreSQL.
      await writeFile(path.join(cluster, "postmaster.pid"), `${stranger.pid}\n${cluster}\n1\n5432\n\n\n0\nready\n`);
      await writeFile(path.join(directory, "postgres-socket", ".s.PGSQL.5432.lock"), `${stranger.pid}\n`);
      await mkdir(path.join(directory, "postgres.new-abandoned"));
      await withServer(directory, async (db) => {
        expect(await db.query("SELECT * FROM kept")).toEqual([{ id: 1 }]);
      });
      stranger.kill();
      expect(await readdir(directory)).not.toContain("postgres.new-abandoned");
    },
  );

  verifies(
    "store:embedded:child-crash-recovers",
    "restarts a server that was killed, also when one of its processes is busy",
    async () => {
      const directory = shared;
      const events: EmbeddedPostgresEvent[] = [];
      await withServer(
        directory,
        async (db, server) => {
          const busy = db.query("SELECT count(*) FROM generate_series(1, 1e10)").catch((error: unknown) => error);
          await vi.waitFor(async () => {
            expect(await db.query("SELECT 1 FROM pg_stat_activity WHERE query LIKE '%1e10%' LIMIT 2")).toHaveLength(2);
          });
          const before = server.pid();
          process.kill(before, "SIGKILL");
          await vi.waitFor(() => expect(events.map((event) => event.kind)).toContain("restarted"), 10_000);
          expect(await busy).toMatchObject({ retryable: true });
          expect(await db.query("SELECT * FROM kept")).toEqual([{ id: 1 }]);
          expect(server.pid()).not.toBe(before);
        },
        (event) => events.push(event),
      );
      expect(events).toMatchObject([{ kind: "ended", reason: "signal SIGKILL" }, { kind: "restarted" }]);
      expect(await findPostgresProcesses(path.join(directory, "postgres"))).toEqual([]);
    },
  );

  if (!isRoot) it("runs below a private directory with a path too long for a socket", runBelowPrivateDirectory);

  it("refuses a cluster of another major version", async () => {
    await withDirectory(async (directory) => {
      await mkdir(path.join(directory, "postgres"));
      await writeFile(path.join(directory, "postgres", "PG_VERSION"), "14\n");
      await expect(startEmbeddedPostgres({ dataDirectory: directory })).rejects.toThrow(
        "holds a PostgreSQL 14 database and this program brings PostgreSQL",
      );
    });
  });

  it("says what the server said when it does not start", async () => {
    const settings = { shared_buffers: "nonsense" };
    await expect(startEmbeddedPostgres({ dataDirectory: shared, settings })).rejects.toThrow(
      /did not start \(exit code 1\): .*invalid value for parameter "shared_buffers"/,
    );
  });
});

describe.runIf(isRoot)("startEmbeddedPostgres as root", () => {
  verifies(
    ["store:embedded:as-root", "store:embedded:root-only-home"],
    "runs below a directory that only root may enter, with a path too long for a socket",
    runBelowPrivateDirectory,
  );

  it("chooses a user namespace", async () => {
    expect(await choosePostgresUser(await findPostgresBinaries(), shared)).toEqual({ kind: "namespace" });
  });

  it("runs as the user that owns the cluster already", async (context) => {
    const { postgres } = await findPostgresBinaries();
    const isReachable = await promisify(execFile)(postgres, ["--version"], { uid: 65_534, cwd: "/" }).catch(
      () => false,
    );
    if (isReachable === false) context.skip("needs node_modules where every user may enter");
    await withDirectory(async (directory) => {
      await chmod(directory, 0o755);
      await mkdir(path.join(directory, "postgres"));
      await chown(path.join(directory, "postgres"), 65_534, 65_534);
      await withServer(directory, async (_db, server) => {
        expect(await readFile(`/proc/${server.pid()}/status`, "utf8")).toMatch(/^Uid:\s+65534/m);
      });
    });
  });

  verifies("store:embedded:cannot-run-says-how", "says what to do when there is no way", () =>
    withDirectory(async (directory) => {
      const binaries = { ...(await findPostgresBinaries()), postgres: "/nonexistent/postgres" };
      await expect(choosePostgresUser(binaries, directory)).rejects.toThrow(
        "set QUARRY_DATABASE_URL to a PostgreSQL that runs elsewhere",
      );
    }),
  );
});

describe("kill -9", () => {
  let ownDatabase: (...args: string[]) => TestProgram;
  beforeAll(async () => {
    ownDatabase = await buildTestProgram("own-database");
  });

  /** Reads lines until one starts with `prefix`; returns the rest of it. Acknowledged rows are collected. */
  async function readUntil(program: TestProgram, prefix: string, acknowledged: number[]): Promise<string> {
    for (;;) {
      const line = await program.nextLine();
      if (line.startsWith("acknowledged ")) acknowledged.push(Number(line.split(" ")[1]));
      if (line.startsWith(prefix)) return line.slice(prefix.length).trim();
    }
  }

  verifies(
    ["store:embedded:attach-after-kill", "store:embedded:ends-when-server-dies", "durability:kill:at-any-moment"],
    "loses no acknowledged row, whether the program or the database is killed",
    async () => {
      const directory = shared;
      const acknowledged: number[] = [];
      for (let round = 0; round < 3; round += 1) {
        const program = ownDatabase(directory);
        const found = JSON.parse(await readUntil(program, "found", acknowledged)) as number[];
        expect(found).toEqual(expect.arrayContaining(acknowledged));
        await readUntil(program, `acknowledged ${found.length + 20}`, acknowledged);
        await program.kill();
      }
      const program = ownDatabase(directory);
      await readUntil(program, "found", acknowledged);
      const postmaster = Number(await readUntil(program, "postmaster", acknowledged));
      await readUntil(program, "acknowledged", acknowledged);
      process.kill(postmaster, "SIGKILL");
      await readUntil(program, "event restarted", acknowledged);
      await readUntil(program, "acknowledged", acknowledged);
      program.send("stop");
      expect(await program.exited).toBe(0);
      await withServer(directory, async (db) => {
        const rows = await db.query<{ id: number }>("SELECT id FROM written");
        expect(rows.map((row) => row.id)).toEqual(expect.arrayContaining(acknowledged));
      });
    },
  );

  it.runIf(process.platform === "linux")(
    "ends a database whose program was killed, and replaces one that lives on",
    async () => {
      const directory = shared;
      const cluster = path.join(directory, "postgres");
      const first = ownDatabase(directory);
      await readUntil(first, "acknowledged", []);
      await first.kill();
      await vi.waitFor(async () => expect(await findPostgresProcesses(cluster)).toEqual([]), 10_000);

      const second = ownDatabase(directory);
      const orphan = Number(await readUntil(second, "postmaster", []));
      for (const pid of await findChildren(second.pid)) if (pid !== orphan) process.kill(pid, "SIGKILL");
      await second.kill();
      expect(await findPostgresProcesses(cluster)).toContain(orphan);
      await withServer(directory, async (db, server) => {
        expect(server.pid()).not.toBe(orphan);
        expect(await db.query("SELECT id FROM written WHERE id = 1")).toEqual([{ id: 1 }]);
      });
    },
  );
});

async function findChildren(parent: number): Promise<readonly number[]> {
  const children = await readFile(`/proc/${parent}/task/${parent}/children`, "utf8");
  return children.trim().split(" ").map(Number);
}
