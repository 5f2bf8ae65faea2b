import { createWriteStream, mkdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { sleep } from "@quarry/base";
import {
  backupDatabase,
  createDirectoryBlobStore,
  openDatabase,
  startEmbeddedPostgres,
  type BlobStore,
  type Database,
  type DatabaseAddress,
} from "@quarry/store";
import { startLightEmbedder } from "../light-embedder.ts";
import { howSlowIsThisMachineNow } from "../machine-slowness.ts";
import { runServerProgram, startServerProcess, withDataDirectory, type ServerProcess } from "../server-process.ts";
import { fillDatabase } from "./fill-database.ts";
import { differences, digestRows } from "./read-database.ts";
import type { Soak, SoakContext } from "./soak.ts";

const GB = 1e9;
const WRITERS = 3;
const SETTINGS = { QUARRY_LOG_LEVEL: "warn", QUARRY_SAMPLE: "0" };
/** For copying a gigabyte, and for putting it back, each. */
const SECONDS_PER_GB = 60;
/** What a start and an end take, however little there is to copy. */
const START_SECONDS = 5;

/**
 * A backup of a gigabyte, taken from a server while clients write to it, and restored into a new data directory: every table has
 * the very rows that it had at the moment of the backup, every snapshot its bytes, and neither way takes more than a minute.
 */
export const backupLoadSoak: Soak = {
  name: "backup-load",
  run: (context) =>
    withDataDirectory((directory) => withDataDirectory((elsewhere) => proveCopy({ directory, elsewhere }, context))),
};

interface Places {
  readonly directory: string;
  readonly elsewhere: string;
}

async function proveCopy({ directory, elsewhere }: Places, { random, size, report }: SoakContext) {
  const violations: string[] = [];
  const embedder = await startLightEmbedder();
  const server = await startServerProcess(directory, { ...SETTINGS, ...embedder.settings });
  const blobs = createDirectoryBlobStore(path.join(directory, "blobs"));
  const file = path.join(elsewhere, "quarry.backup");
  const target = path.join(elsewhere, "data");
  mkdirSync(target);
  const address = addressIn(directory);
  const db = await openDatabase({ address });
  try {
    const bytes = await fillDatabase(db, blobs, { bytes: GB * size, random });
    const gigabytes = bytes / GB;
    report(`${gigabytes.toFixed(3)} GB stand`);
    const before = await readKeys(blobs);
    const writing = startWriters(server);
    const slownessBefore = howSlowIsThisMachineNow();
    const moment = holdMoment(db, address);
    const writtenBefore = writing.written();
    const backup = await timed(() => backupDatabase(moment.database, createWriteStream(file), { blobs }));
    const written = writing.written() - writtenBefore;
    await writing.stop();
    const expected = await moment.digest();
    report(`backed up in ${backup.seconds.toFixed(1)} s while ${written} writes were acknowledged`);
    if (written === 0) violations.push("nothing was written during the backup");

    const restore = await timed(() => runServerProgram(target, SETTINGS, ["--restore", file]));
    const { code, stderr } = restore.result;
    if (code !== 0) violations.push(`the restore ended with ${code}: ${stderr}`);
    report(`restored in ${restore.seconds.toFixed(1)} s`);
    violations.push(...differences(expected, await digestOf(target)));
    violations.push(...(await compareBlobs(before, blobs, createDirectoryBlobStore(path.join(target, "blobs")))));
    const slowness = Math.max(slownessBefore, howSlowIsThisMachineNow());
    const mostSeconds = (START_SECONDS + SECONDS_PER_GB * gigabytes) * slowness;
    for (const [name, { seconds }] of Object.entries({ backup, restore })) {
      if (seconds > mostSeconds)
        violations.push(`the ${name} took ${seconds.toFixed(1)} s of ${mostSeconds.toFixed(1)}`);
    }
    const figures = {
      "MB of database and snapshots": Math.round(bytes / 1e6),
      "MB of the file": Math.round(statSync(file).size / 1e6),
      rows: Object.values(backup.result.rows).reduce((sum, rows) => sum + rows, 0),
      snapshots: backup.result.blobs,
      "writes during the backup": written,
      "slower than an idle machine": round(slowness),
      "backup: seconds": round(backup.seconds),
      "backup: seconds per GB": round(backup.seconds / gigabytes),
      "restore: seconds": round(restore.seconds),
      "restore: seconds per GB": round(restore.seconds / gigabytes),
    };
    return { figures, violations };
  } finally {
    await db.close();
    await server.stop();
    await embedder.close();
  }
}

/** The database that a running server has started in its data directory. */
function addressIn(directory: string): DatabaseAddress {
  const lines = readFileSync(path.join(directory, "postgres", "postmaster.pid"), "utf8").split("\n");
  return { host: lines[4] ?? "", port: Number(lines[3]), user: "quarry", database: "quarry" };
}

/** A database whose backup is watched: another connection holds on to the moment that the backup shows. */
function holdMoment(
  source: Database,
  address: DatabaseAddress,
): { readonly database: Database; readonly digest: () => Promise<readonly string[]> } {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  let held: Promise<readonly string[]> = Promise.reject(new Error("there was no backup"));
  held.catch(() => undefined); // told to whoever asks for the digest
  const hold = async (snapshot: string): Promise<void> => {
    const other = await openDatabase({ address, maxConnections: 1 });
    await new Promise<void>((resolve, reject) => {
      held = other
        .transaction(async (tx) => {
          await tx.query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
          await tx.query(`SET TRANSACTION SNAPSHOT '${snapshot}'`);
          await tx.query("SELECT 1");
          resolve();
          await released;
          return digestRows(tx);
        })
        .finally(() => other.close());
      held.catch(reject);
    });
  };
  const database: Database = {
    ...source,
    transaction: (work) =>
      source.transaction(async (tx) => {
        let isHeld = false;
        return work({
          ...tx,
          query: async (sql, values, options) => {
            const rows = await tx.query<never>(sql, values, options);
            if (!isHeld && sql.includes("REPEATABLE READ")) {
              isHeld = true;
              const [exported] = await tx.query<{ id: string }>("SELECT pg_export_snapshot() AS id");
              await hold(exported?.id ?? "");
            }
            return rows;
          },
        });
      }),
  };
  return {
    database,
    digest: () => {
      release();
      return held;
    },
  };
}

/** Clients that make keys and documents, change documents and remove them, until stopped. */
function startWriters(server: ServerProcess): { readonly written: () => number; readonly stop: () => Promise<void> } {
  let written = 0;
  const stopping = new AbortController();
  const send = async (method: string, route: string, body: unknown): Promise<void> => {
    await server.call(method, route, body);
    written += 1;
  };
  const write = async (writer: number): Promise<void> => {
    for (let round = 0; !stopping.signal.aborted; round += 1) {
      const text = `Writer ${writer} wrote round ${round}. `.repeat(20);
      const place = `https://writer-${writer}.example/`;
      await send("POST", "/quarry/v1/documents", [
        { url: `${place}${round}`, text },
        { url: `${place}changing`, text },
      ]);
      await send("POST", "/quarry/v1/keys", { name: `writer ${writer} round ${round}` });
      if (round > 0) await send("DELETE", "/quarry/v1/documents", { urls: [`${place}${round - 1}`] });
      await sleep(20);
    }
  };
  const all = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
  return {
    written: () => written,
    stop: async () => {
      stopping.abort();
      await all;
    },
  };
}

async function digestOf(directory: string): Promise<readonly string[]> {
  const server = await startEmbeddedPostgres({ dataDirectory: directory });
  try {
    const db = await openDatabase({ address: server.address, maxConnections: 1 });
    try {
      return await digestRows(db);
    } finally {
      await db.close();
    }
  } finally {
    await server.stop();
  }
}

async function readKeys(blobs: BlobStore): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const key of blobs.list("")) keys.push(key);
  return keys;
}

async function compareBlobs(keys: readonly string[], source: BlobStore, copy: BlobStore): Promise<readonly string[]> {
  const violations: string[] = [];
  for (const key of keys) {
    const [bytes, copied] = [await source.get(key), await copy.get(key)];
    if (bytes === undefined) continue; // removed by the load since
    if (copied === undefined || Buffer.compare(bytes, copied) !== 0) violations.push(`the blob ${key} differs`);
  }
  return violations;
}

async function timed<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly seconds: number }> {
  const began = performance.now();
  const result = await work();
  return { result, seconds: (performance.now() - began) / 1_000 };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
