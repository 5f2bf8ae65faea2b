import { createHash } from "node:crypto";
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { Database, Queryable, Transaction } from "../database.ts";
import { readSchemaVersion } from "../migrate.ts";
import type { BlobStore } from "../blobs/blob-store.ts";
import {
  BACKUP_FORMAT,
  BACKUP_FORMAT_VERSION,
  type BackupBlobLine,
  type BackupHeader,
  type BackupReport,
} from "./backup-format.ts";
import { quoteName, readSequences, readTables, type BackupTable } from "./catalog.ts";

/** What a backup may be told. */
export interface BackupOptions {
  /** Whose blobs go into the backup, too. */
  readonly blobs?: BlobStore;
  readonly signal?: AbortSignal;
  readonly now?: Date;
}

const FIRST_BATCH_ROWS = 50;
const MAX_BATCH_ROWS = 2_000;
/** Rows are fetched in batches of about this size, whatever their width. */
const BATCH_BYTES = 512 * 1024;

/**
 * Writes every row of the database, as of one moment, and every blob that was there then, to `output` and ends it.
 * Others go on reading and writing meanwhile. Memory does not grow with the
 * database. Rejects, with `output` destroyed, when the database or `output` fails.
 */
export function backupDatabase(db: Database, output: Writable, options: BackupOptions = {}): Promise<BackupReport> {
  const createdAt = options.now ?? new Date();
  return db.transaction(async (tx) => {
    await tx.query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
    await useExactTextForms(tx);
    const schemaVersion = await readSchemaVersion(tx);
    const tables = await readTables(tx);
    const header: BackupHeader = {
      format: BACKUP_FORMAT,
      version: BACKUP_FORMAT_VERSION,
      schemaVersion,
      createdAt: createdAt.toISOString(),
      tables,
    };
    const report = { rows: {}, blobs: 0 };
    await pipeline(Readable.from(makeLines(tx, header, options.blobs, report)), createGzip({ level: 6 }), output, {
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
    return { schemaVersion, createdAt, ...report };
  });
}

/** Settings under which PostgreSQL's text form of a value gives back exactly that value, wherever it is read. */
export async function useExactTextForms(tx: Transaction): Promise<void> {
  await tx.query(
    `SELECT set_config('timezone', 'UTC', true), set_config('datestyle', 'ISO, YMD', true),
            set_config('intervalstyle', 'postgres', true), set_config('bytea_output', 'hex', true),
            set_config('extra_float_digits', '3', true), set_config('lc_monetary', 'C', true),
            set_config('search_path', 'public', true)`,
  );
}

/** Fills `report` on its way. */
async function* makeLines(
  tx: Transaction,
  header: BackupHeader,
  blobs: BlobStore | undefined,
  report: { readonly rows: Record<string, number>; blobs: number },
): AsyncGenerator<string, void, void> {
  const counts = report.rows;
  const hash = createHash("sha256");
  const hashed = (text: string): string => {
    hash.update(text);
    return text;
  };
  yield hashed(`${JSON.stringify(header)}\n`);
  // A blob is written before the row that names it: listed after the rows' moment, none of theirs is missing.
  for await (const key of blobs?.list("") ?? []) {
    const bytes = await blobs?.get(key);
    if (bytes === undefined) continue; // removed since it was listed
    const line: BackupBlobLine = { blob: key, base64: Buffer.from(bytes).toString("base64") };
    report.blobs += 1;
    yield hashed(`${JSON.stringify(line)}\n`);
  }
  for (const table of header.tables) {
    yield hashed(`${JSON.stringify({ table: table.name })}\n`);
    counts[table.name] = 0;
    for await (const batch of readBatches(tx, table)) {
      counts[table.name] = (counts[table.name] ?? 0) + batch.length;
      yield hashed(`${batch.join("\n")}\n`);
    }
  }
  const sequences = await readSequences(tx);
  yield `${JSON.stringify({ sequences, rows: counts, blobs: report.blobs, sha256: hash.digest("hex") })}\n`;
}

/** Yields rows as lines, in batches that hold about BATCH_BYTES and at least one row. */
async function* readBatches(db: Queryable, table: BackupTable): AsyncGenerator<readonly string[], void, void> {
  const columns = table.columns.map((column) => `${quoteName(column.name)}::text`);
  await db.query(
    `DECLARE backup_rows NO SCROLL CURSOR FOR
     SELECT to_json(ARRAY[${columns.join(", ")}]::text[])::text AS line FROM ONLY public.${quoteName(table.name)}`,
  );
  for (let limit = FIRST_BATCH_ROWS; ;) {
    const rows = await db.query<{ line: string }>(`FETCH ${limit} FROM backup_rows`);
    if (rows.length === 0) break;
    const lines = rows.map((row) => row.line);
    yield lines;
    const bytesPerRow = lines.reduce((sum, line) => sum + line.length, 0) / lines.length;
    limit = Math.min(MAX_BATCH_ROWS, limit * 2, Math.max(1, Math.floor(BATCH_BYTES / bytesPerRow)));
  }
  await db.query("CLOSE backup_rows");
}
