import { createHash } from "node:crypto";
import type { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { AppError } from "@quarry/base";
import type { BlobStore } from "../blobs/blob-store.ts";
import type { Database, Transaction } from "../database.ts";
import { migrate, readSchemaVersion } from "../migrate.ts";
import { useExactTextForms } from "./backup-database.ts";
import {
  damaged,
  parseBlobLine,
  parseHeader,
  parseMarker,
  type BackupHeader,
  type BackupReport,
  type BackupTrailer,
} from "./backup-format.ts";
import { quoteName, readTables, type BackupTable } from "./catalog.ts";
import { liftConstraints } from "./lift-constraints.ts";
import { readLines } from "./read-lines.ts";

/** What a restore needs beside the file. */
export interface RestoreOptions {
  /** A backup of an older schema is loaded into that schema first and migrated afterwards. */
  readonly migrationsDirectory: string;
  /** Where the backup's blobs go; a backup that has some is refused without it. */
  readonly blobs?: BlobStore;
  readonly signal?: AbortSignal;
}

const MAX_BATCH_ROWS = 2_000;
const BATCH_BYTES = 512 * 1024;

/**
 * Puts the rows of a backup into an empty database and its blobs into their store, all that are not there or none, and
 * checks their number and the file's checksum before they count. Throws `conflict`
 * when the database has rows or a newer schema than the backup, and
 * `invalid_request` when the file is not a whole backup.
 */
export async function restoreDatabase(db: Database, input: Readable, options: RestoreOptions): Promise<BackupReport> {
  const lines = unpack(input, options.signal);
  const written: string[] = [];
  try {
    const hash = createHash("sha256");
    const first = await lines.next();
    const header = parseHeader(first.done === true ? undefined : first.value);
    hash.update(`${first.value ?? ""}\n`);
    await prepareSchema(db, header, options.migrationsDirectory);
    await db.transaction((tx) => requireEmpty(tx, header));
    const { rest, count } = await restoreBlobs(lines, options.blobs, { written, addToHash: hash.update.bind(hash) });
    const trailer = await db.transaction(async (tx) => {
      await useExactTextForms(tx);
      await requireEmpty(tx, header);
      const putBack = await liftConstraints(tx, header.tables);
      const read = await loadTables(tx, header, rest, hash.update.bind(hash));
      const isWhole = hash.digest("hex") === read.trailer.sha256 && read.trailer.blobs === count;
      if (!isWhole || !isSame(read.counts, read.trailer.rows)) throw damaged();
      await restoreSequences(tx, read.trailer);
      await putBack();
      return read.trailer;
    });
    await migrate(db, options.migrationsDirectory);
    const { rows, blobs } = trailer;
    return { schemaVersion: header.schemaVersion, createdAt: new Date(header.createdAt), rows, blobs };
  } catch (thrown) {
    for (const key of written) await options.blobs?.delete(key);
    throw thrown;
  } finally {
    await lines.return();
  }
}

async function* unpack(input: Readable, signal: AbortSignal | undefined): AsyncGenerator<string, void, void> {
  const unpacked = input.pipe(createGunzip());
  input.once("error", (error) => unpacked.destroy(error));
  try {
    for await (const line of readLines(unpacked)) {
      signal?.throwIfAborted();
      yield line;
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw error instanceof AppError ? error : damaged(error);
  } finally {
    input.destroy();
    unpacked.destroy();
  }
}

/**
 * Writes the blobs, which come before the tables, and answers how many the file has and the lines that follow them. One
 * that is there already stays as it is; `written` tells the keys of the others, which a failure takes away again.
 */
async function restoreBlobs(
  lines: AsyncGenerator<string, void, void>,
  blobs: BlobStore | undefined,
  { written, addToHash }: { readonly written: string[]; readonly addToHash: (text: string) => void },
): Promise<{ readonly rest: AsyncGenerator<string, void, void>; readonly count: number }> {
  for (let count = 0; ; count += 1) {
    const next = await lines.next();
    const line = next.done === true ? undefined : parseBlobLine(next.value);
    if (line === undefined) return { rest: startingWith(next, lines), count };
    if (blobs === undefined) throw new AppError("invalid_request", "the backup holds blobs: say where they go");
    if (!(await blobs.has(line.blob))) {
      await blobs.put(line.blob, Buffer.from(line.base64, "base64"));
      written.push(line.blob);
    }
    addToHash(`${next.value ?? ""}\n`);
  }
}

async function* startingWith(
  first: IteratorResult<string, void>,
  others: AsyncGenerator<string, void, void>,
): AsyncGenerator<string, void, void> {
  if (first.done === true) return;
  yield first.value;
  yield* others;
}

async function prepareSchema(db: Database, header: BackupHeader, migrationsDirectory: string): Promise<void> {
  const present = await readSchemaVersion(db);
  if (present > header.schemaVersion) {
    throw new AppError(
      "conflict",
      `the backup has schema version ${header.schemaVersion} and this database has ${present} already: ` +
        "restore into a new, empty database; it is brought up to date afterwards",
    );
  }
  const { schemaVersion } = await migrate(db, migrationsDirectory, { upTo: header.schemaVersion });
  if (schemaVersion !== header.schemaVersion) {
    throw new AppError(
      "conflict",
      `the backup has schema version ${header.schemaVersion} and this program knows versions up to ${schemaVersion}: ` +
        "restore it with the newer Quarry that made it",
    );
  }
}

async function requireEmpty(tx: Transaction, header: BackupHeader): Promise<void> {
  const tables = await readTables(tx);
  if (JSON.stringify(tables) !== JSON.stringify(header.tables)) {
    throw new AppError(
      "conflict",
      "the backup's tables are not those of this program's schema: use the Quarry that made it",
    );
  }
  for (const { name } of tables) {
    await tx.query(`LOCK TABLE public.${quoteName(name)} IN ACCESS EXCLUSIVE MODE`);
    const found = await tx.query(`SELECT 1 FROM public.${quoteName(name)} LIMIT 1`);
    if (found.length > 0) {
      throw new AppError(
        "conflict",
        `the database is not empty (table ${name} has rows): restore into a new, empty database`,
      );
    }
  }
}

/** Reads up to the trailer, and makes sure that nothing follows it. */
async function loadTables(
  tx: Transaction,
  header: BackupHeader,
  lines: AsyncGenerator<string, void, void>,
  addToHash: (text: string) => void,
): Promise<{ trailer: BackupTrailer; counts: Readonly<Record<string, number>> }> {
  const counts: Record<string, number> = {};
  let table: BackupTable | undefined;
  let trailer: BackupTrailer | undefined;
  let batch: string[] = [];
  let batchBytes = 0;
  const flush = async (): Promise<void> => {
    if (table === undefined || batch.length === 0) return;
    await insertRows(tx, table, batch);
    counts[table.name] = (counts[table.name] ?? 0) + batch.length;
    batch = [];
    batchBytes = 0;
  };
  for await (const line of lines) {
    if (trailer !== undefined) throw damaged();
    if (line.startsWith("[")) {
      if (table === undefined) throw damaged();
      batch.push(line);
      batchBytes += line.length;
      if (batch.length >= MAX_BATCH_ROWS || batchBytes >= BATCH_BYTES) await flush();
    } else {
      await flush();
      const marker = parseMarker(line);
      if ("sha256" in marker) {
        trailer = marker;
        continue;
      }
      table = header.tables.find((candidate) => candidate.name === marker.table);
      if (table === undefined) throw damaged();
      counts[table.name] = 0;
    }
    addToHash(`${line}\n`);
  }
  if (trailer === undefined) throw damaged();
  return { trailer, counts };
}

async function insertRows(tx: Transaction, table: BackupTable, rows: readonly string[]): Promise<void> {
  const names = table.columns.map((column) => quoteName(column.name));
  const values = table.columns.map((column, index) => `(line ->> ${index})::${column.type}`);
  try {
    await tx.query(
      `INSERT INTO public.${quoteName(table.name)} (${names.join(", ")}) OVERRIDING SYSTEM VALUE
       SELECT ${values.join(", ")} FROM json_array_elements($1::json) AS line`,
      [`[${rows.join(",")}]`],
    );
  } catch (error) {
    const failure = AppError.from(error);
    throw failure.retryable ? failure : damaged(failure);
  }
}

async function restoreSequences(tx: Transaction, trailer: BackupTrailer): Promise<void> {
  for (const { name, lastValue, isCalled } of trailer.sequences) {
    await tx.query("SELECT setval($1::regclass, $2::bigint, $3)", [`public.${quoteName(name)}`, lastValue, isCalled]);
  }
}

function isSame(counted: Readonly<Record<string, number>>, said: Readonly<Record<string, number>>): boolean {
  const names = new Set([...Object.keys(counted), ...Object.keys(said)]);
  return [...names].every((name) => counted[name] === said[name]);
}
