import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { sleep } from "@quarry/base";
import {
  migrate,
  openDatabase,
  readSchemaVersion,
  startEmbeddedPostgres,
  type Database,
  type EmbeddedPostgres,
} from "@quarry/store";
import { buildProgram } from "./build-program.ts";
import { fillTables } from "./fill-tables.ts";
import type { Random } from "./random.ts";
import { describeSchema, differences, digestRows, readTableShapes } from "./read-database.ts";
import type { Soak, SoakContext } from "./soak.ts";

const KILLS = 50;
const MIGRATIONS = path.resolve("packages/store/migrations");
const ROWS = 3;
/** One blow in so many takes the database's own process instead of the one that upgrades. */
const DATABASE_EVERY = 5;
/**
 * 50 upgrades from the schemas of all times, each with rows in its tables, killed with `kill -9` at a random moment, the program
 * that upgrades or the database itself: upgraded once more, each has the schema and every row of one that nobody killed.
 */
export const upgradeKillsSoak: Soak = {
  name: "upgrade-kills",
  run: async (context) => {
    const directory = await mkdtemp(path.join(tmpdir(), "quarry-soak-upgrade-"));
    const program = await buildProgram("tools/soak/migrate-program.ts");
    const server = await startEmbeddedPostgres({ dataDirectory: directory });
    try {
      return await strike({ server, program }, context);
    } finally {
      await server.stop();
      await rm(directory, { recursive: true, force: true });
      await rm(program, { force: true });
    }
  },
};

interface Scene {
  readonly server: EmbeddedPostgres;
  readonly program: string;
}

async function strike({ server, program }: Scene, { random, size, report }: SoakContext) {
  const kills = Math.max(1, Math.ceil(KILLS * size));
  const versions = await readVersions();
  const newest = versions.at(-1) ?? 0;
  const from = chooseVersions(versions.slice(0, -1), kills, random);
  const grown = await growDatabases(server, versions, { wanted: new Set(from), random, report });
  const violations = grown.empty.map((table) => `no row could be made up for ${table}`);
  let [underWay, betweenFiles] = [0, 0];
  const calm = new Map<number, Calm>();
  for (const [index, version] of from.entries()) {
    const expected = calm.get(version) ?? (await upgradeInPeace(server, version, grown.since));
    calm.set(version, expected);
    const name = `struck_${index}`;
    await copyDatabase(server, `schema_${version}`, name);
    const isDatabase = random.chance(1 / DATABASE_EVERY);
    const afterMs = random.next() * expected.tookMs;
    if (await isUnderWayAtBlow(server, { program, name, afterMs, isDatabase })) underWay += 1;
    await withDatabase(server, name, async (db) => {
      const reached = await readSchemaVersion(db);
      if (reached > version && reached < newest) betweenFiles += 1;
      report(`kill ${index + 1} of ${kills}, of the ${isDatabase ? "database" : "program"}: ${version} → ${reached}`);
      await migrate(db, MIGRATIONS);
      const found = [...(await describeSchema(db)), ...(await digestRows(db, grown.since))];
      violations.push(
        ...differences(expected.result, found).map((line) => `from ${version}, killed at ${reached}: ${line}`),
      );
    });
    await onServer(server, (db) => db.query(`DROP DATABASE ${name} WITH (FORCE)`));
  }
  if (underWay === 0) violations.push("no kill hit an upgrade on its way");
  const { tables, rows } = grown;
  const figures = {
    kills,
    "on the way": underWay,
    "between two files": betweenFiles,
    versions: calm.size,
    tables,
    rows,
  };
  return { figures, violations };
}

async function readVersions(): Promise<readonly number[]> {
  return (await readdir(MIGRATIONS))
    .flatMap((name) => /^(\d{4})_.*\.sql$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
}

/** Each version as often as any other, in an order of chance. */
function chooseVersions(versions: readonly number[], count: number, random: Random): readonly number[] {
  const chosen: number[] = [];
  for (let rest: number[] = []; chosen.length < count;) {
    if (rest.length === 0) rest = [...versions];
    chosen.push(...rest.splice(random.integer(0, rest.length - 1), 1));
  }
  return chosen;
}

interface Grown {
  /** All rows were made before. */
  readonly since: Date;
  readonly tables: number;
  readonly rows: number;
  readonly empty: readonly string[];
}

/** Lets a database live through all versions, each of which puts rows into the tables it made or changed; keeps a copy of the wanted. */
async function growDatabases(
  server: EmbeddedPostgres,
  versions: readonly number[],
  {
    wanted,
    random,
    report,
  }: { readonly wanted: ReadonlySet<number>; readonly random: Random; readonly report: (line: string) => void },
): Promise<Grown> {
  await onServer(server, (db) => db.query("CREATE DATABASE grown TEMPLATE template0 ENCODING 'UTF8'"));
  const last = Math.max(...wanted);
  let known = new Map<string, string>();
  const counts = { tables: 0, rows: 0 };
  let empty: readonly string[] = [];
  for (const version of versions.filter((one) => one <= last)) {
    await withDatabase(server, "grown", async (db) => {
      await migrate(db, MIGRATIONS, { upTo: version });
      const tables = new Map((await readTableShapes(db)).map((table) => [table.name, JSON.stringify(table.columns)]));
      const changed = new Set([...tables.keys()].filter((name) => tables.get(name) !== known.get(name)));
      await fillTables(db, changed, { count: ROWS, random });
      known = tables;
      const lines = await digestRows(db);
      empty = lines.filter((line) => line.includes(": 0 rows")).map((line) => line.split(":")[0] ?? "");
      counts.tables = lines.length;
      counts.rows = lines.reduce((sum, line) => sum + Number(/: (\d+) rows/.exec(line)?.[1]), 0);
    });
    if (wanted.has(version)) await copyDatabase(server, "grown", `schema_${version}`);
  }
  report(`${counts.rows} rows in ${counts.tables - empty.length} of ${counts.tables} tables at version ${last}`);
  return { since: new Date(), ...counts, empty };
}

/** What an upgrade comes to that nobody kills. */
interface Calm {
  readonly result: readonly string[];
  readonly tookMs: number;
}

async function upgradeInPeace(server: EmbeddedPostgres, version: number, since: Date): Promise<Calm> {
  const name = `calm_${version}`;
  await copyDatabase(server, `schema_${version}`, name);
  return withDatabase(server, name, async (db) => {
    const began = performance.now();
    await migrate(db, MIGRATIONS);
    const tookMs = performance.now() - began;
    return { tookMs, result: [...(await describeSchema(db)), ...(await digestRows(db, since))] };
  });
}

/** Kills an upgrade, or its database, after so long; whether it had not ended by itself before. */
async function isUnderWayAtBlow(
  server: EmbeddedPostgres,
  blow: { readonly program: string; readonly name: string; readonly afterMs: number; readonly isDatabase: boolean },
): Promise<boolean> {
  const settings = JSON.stringify({ address: { ...server.address, database: blow.name }, directory: MIGRATIONS });
  const child = spawn(process.execPath, [blow.program, settings], { stdio: ["ignore", "pipe", "ignore"] });
  const exited = once(child, "exit") as Promise<[number | null]>;
  await once(child.stdout, "data");
  await sleep(blow.afterMs);
  if (blow.isDatabase) process.kill(server.pid(), "SIGKILL");
  else child.kill("SIGKILL");
  const [code] = await exited; // without its database it ends by itself
  return code !== 0;
}

async function copyDatabase(server: EmbeddedPostgres, from: string, to: string): Promise<void> {
  await onServer(server, async (db) => {
    // The goodbye of the last connection may still be under way.
    await db.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", [from]);
    // Copied as files: through the log, a database that is killed would have all copies to write again when it starts.
    await db.query(`CREATE DATABASE ${to} TEMPLATE ${from} STRATEGY FILE_COPY`);
  });
}

function onServer<T>(server: EmbeddedPostgres, use: (db: Database) => Promise<T>): Promise<T> {
  return withDatabase(server, "postgres", use);
}

/** Patient: a database that was killed comes back. */
async function withDatabase<T>(
  server: EmbeddedPostgres,
  database: string,
  use: (db: Database) => Promise<T>,
): Promise<T> {
  const db = await openDatabase({
    address: { ...server.address, database },
    connectPatienceMs: 120_000,
    maxConnections: 1,
  });
  try {
    return await use(db);
  } finally {
    await db.close();
  }
}
