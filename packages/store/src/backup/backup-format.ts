import { AppError } from "@quarry/base";
import type { BackupSequence, BackupTable } from "./catalog.ts";

/**
 * A backup is gzip of lines of JSON: a header, then for each table a line that
 * names it and one line per row (an array of the columns' text forms, as PostgreSQL
 * writes them, or null), then a trailer. Before the tables comes a line for every blob. The trailer proves that the file is whole.
 */
export const BACKUP_FORMAT = "quarry-backup";
export const BACKUP_FORMAT_VERSION = 2;
/** Without blobs; still read. */
const FIRST_FORMAT_VERSION = 1;

/** The first line. */
export interface BackupHeader {
  readonly format: typeof BACKUP_FORMAT;
  readonly version: number;
  readonly schemaVersion: number;
  readonly createdAt: string;
  readonly tables: readonly BackupTable[];
}

/** A blob, its bytes in base64. */
export interface BackupBlobLine {
  readonly blob: string;
  readonly base64: string;
}

/** The line before a table's rows. */
export interface BackupTableLine {
  readonly table: string;
}

/** The last line. */
export interface BackupTrailer {
  readonly sequences: readonly BackupSequence[];
  /** Rows by table. */
  readonly rows: Readonly<Record<string, number>>;
  readonly blobs: number;
  /** SHA-256 of all bytes before this line. */
  readonly sha256: string;
}

/** What a backup holds. */
export interface BackupReport {
  readonly schemaVersion: number;
  readonly createdAt: Date;
  /** Rows by table. */
  readonly rows: Readonly<Record<string, number>>;
  readonly blobs: number;
}

/** Reads the first line. Throws `invalid_request` when this is no backup, or one of a later format. */
export function parseHeader(line: string | undefined): BackupHeader {
  const header = line === undefined ? undefined : parseLine(line);
  if (!isRecord(header) || header["format"] !== BACKUP_FORMAT) throw notABackup();
  const { version } = header;
  if (version !== BACKUP_FORMAT_VERSION && version !== FIRST_FORMAT_VERSION) {
    throw new AppError("invalid_request", "this backup was made by a newer Quarry: restore it with that one");
  }
  const { schemaVersion, createdAt, tables } = header;
  if (typeof schemaVersion !== "number" || typeof createdAt !== "string" || !isTables(tables)) throw notABackup();
  return { format: BACKUP_FORMAT, version, schemaVersion, createdAt, tables };
}

/** Reads a line as a blob; undefined when it is the first of another kind. */
export function parseBlobLine(line: string): BackupBlobLine | undefined {
  if (!line.startsWith('{"blob":')) return undefined;
  const value = parseLine(line);
  const { blob, base64 } = isRecord(value) ? value : {};
  if (typeof blob !== "string" || typeof base64 !== "string") throw damaged();
  return { blob, base64 };
}

/** Reads a line between header and end: the name of a table, or the trailer. */
export function parseMarker(line: string): BackupTableLine | BackupTrailer {
  const value = parseLine(line);
  if (isRecord(value)) {
    const { table, sequences, rows, sha256, blobs = 0 } = value;
    if (typeof table === "string") return { table };
    if (typeof sha256 === "string" && typeof blobs === "number" && isRowCounts(rows) && isSequences(sequences)) {
      return { sequences, rows, blobs, sha256 };
    }
  }
  throw damaged();
}

/** For a file that breaks off, was changed, or does not unpack. */
export function damaged(cause?: unknown): AppError {
  return new AppError(
    "invalid_request",
    "the backup file is damaged or incomplete: nothing was restored; use another copy",
    { cause },
  );
}

function notABackup(): AppError {
  return new AppError("invalid_request", "this file is not a Quarry backup: pass one that quarry backup made");
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // the caller says what is wrong with the file
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isTables(value: unknown): value is readonly BackupTable[] {
  return (
    Array.isArray(value) &&
    value.every((table) => isRecord(table) && typeof table["name"] === "string" && isColumns(table["columns"]))
  );
}

function isColumns(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.every(
      (column) => isRecord(column) && typeof column["name"] === "string" && typeof column["type"] === "string",
    )
  );
}

function isSequences(value: unknown): value is readonly BackupSequence[] {
  return (
    Array.isArray(value) &&
    value.every(
      (sequence) =>
        isRecord(sequence) &&
        typeof sequence["name"] === "string" &&
        typeof sequence["lastValue"] === "string" &&
        typeof sequence["isCalled"] === "boolean",
    )
  );
}

function isRowCounts(value: unknown): value is Readonly<Record<string, number>> {
  return isRecord(value) && Object.values(value).every((count) => typeof count === "number");
}
