/** What a webset can be written to. */
export type WebsetExportFormat = "csv" | "json" | "jsonl" | "xlsx" | "parquet";

/**
 * The life of an export.
 *
 * - `pending`: its job waits.
 * - `processing`: the items of one moment are copied, and the file is being written from the copy.
 * - `completed`: the file is there, until it is thrown away.
 * - `failed`: it could not be written; the message says why.
 */
export type WebsetExportStatus = "pending" | "processing" | "completed" | "failed";

/** What the columns of an export's file are made of, at the moment of the cut. */
export interface WebsetExportHeader {
  readonly title: string | null;
  /** The kinds of entities among the items. */
  readonly types: readonly string[];
  readonly criteria: readonly string[];
  readonly enrichments: readonly {
    readonly id: string;
    readonly title: string | null;
    readonly description: string;
    readonly format: string;
  }[];
}

/** An export as the store keeps it. */
export interface WebsetExport {
  readonly id: string;
  readonly teamId: string;
  readonly websetId: string;
  readonly format: WebsetExportFormat;
  readonly status: WebsetExportStatus;
  readonly baseUrl: string;
  readonly downloadSecret: Buffer;
  /** Null before the cut. */
  readonly header: WebsetExportHeader | null;
  /** How many items the cut has. */
  readonly count: number | null;
  /** In how many blobs the file lies; null while there is none. */
  readonly parts: number | null;
  readonly bytes: number | null;
  readonly failedMessage: string | null;
  readonly keptUntil: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The columns of `toWebsetExport`. */
export const WEBSET_EXPORT_COLUMNS = `id, team_id, webset_id, format, status, base_url, download_secret, header, count, parts,
  bytes, failed_message, kept_until, created_at, updated_at`;

/** A row of `webset_exports`. */
export interface WebsetExportRow {
  readonly id: string;
  readonly team_id: string;
  readonly webset_id: string;
  readonly format: WebsetExportFormat;
  readonly status: WebsetExportStatus;
  readonly base_url: string;
  readonly download_secret: Buffer;
  readonly header: WebsetExportHeader | null;
  readonly count: number | null;
  readonly parts: number | null;
  readonly bytes: number | null;
  readonly failed_message: string | null;
  readonly kept_until: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** Reads a row. */
export function toWebsetExport(row: WebsetExportRow): WebsetExport {
  return {
    id: row.id,
    teamId: row.team_id,
    websetId: row.webset_id,
    format: row.format,
    status: row.status,
    baseUrl: row.base_url,
    downloadSecret: row.download_secret,
    header: row.header,
    count: row.count,
    parts: row.parts,
    bytes: row.bytes,
    failedMessage: row.failed_message,
    keptUntil: row.kept_until,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
