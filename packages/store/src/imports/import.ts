import type { Json } from "../jsonb.ts";
import type { ImportFailure, ImportStatus } from "./import-state.ts";

/** What kind of thing a list holds, as the wire says it: `{type}`, and a description where the type is custom. */
export type ImportEntity = Readonly<Record<string, Json>>;

/** An import as the store keeps it. */
export interface Import {
  readonly id: string;
  readonly teamId: string;
  readonly status: ImportStatus;
  readonly title: string;
  readonly format: "csv";
  readonly entity: ImportEntity;
  readonly metadata: Readonly<Record<string, string>>;
  /** The most bytes its upload may have. */
  readonly sizeBytes: number;
  /** What the client counted; once the file is read, the rows that were kept. */
  readonly count: number;
  readonly identifierColumn: number | null;
  readonly uploadValidUntil: Date;
  /** Where the upload lies; null while there is none. */
  readonly blobKey: string | null;
  /** Records of the file that have been seen, and those of them that were kept. */
  readonly recordsRead: number;
  readonly rowsKept: number;
  readonly failedReason: ImportFailure | null;
  readonly failedMessage: string | null;
  readonly failedAt: Date | null;
  readonly jobId: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The columns of `toImport`. */
export const IMPORT_COLUMNS = `id, team_id, status, title, format, entity, metadata, size, announced_count,
  identifier_column, upload_valid_until, blob_key, records_read, rows_kept, failed_reason, failed_message, failed_at,
  job_id, created_at, updated_at`;

/** A row of the table. */
export interface ImportRecord {
  readonly id: string;
  readonly team_id: string;
  readonly status: ImportStatus;
  readonly title: string;
  readonly format: "csv";
  readonly entity: ImportEntity;
  readonly metadata: Readonly<Record<string, string>>;
  readonly size: number;
  readonly announced_count: number;
  readonly identifier_column: number | null;
  readonly upload_valid_until: Date;
  readonly blob_key: string | null;
  readonly records_read: number;
  readonly rows_kept: number;
  readonly failed_reason: ImportFailure | null;
  readonly failed_message: string | null;
  readonly failed_at: Date | null;
  readonly job_id: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** Reads a row. */
export function toImport(row: ImportRecord): Import {
  return {
    id: row.id,
    teamId: row.team_id,
    status: row.status,
    title: row.title,
    format: row.format,
    entity: row.entity,
    metadata: row.metadata,
    sizeBytes: row.size,
    count: row.status === "completed" ? row.rows_kept : row.announced_count,
    identifierColumn: row.identifier_column,
    uploadValidUntil: row.upload_valid_until,
    blobKey: row.blob_key,
    recordsRead: row.records_read,
    rowsKept: row.rows_kept,
    failedReason: row.failed_reason,
    failedMessage: row.failed_message,
    failedAt: row.failed_at,
    jobId: row.job_id,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
