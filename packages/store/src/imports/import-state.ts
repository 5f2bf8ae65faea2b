/**
 * The life of an import.
 *
 * - `pending`: it waits for its file.
 * - `processing`: the file is here and a job reads it.
 * - `completed`: every row of the file that names an entity is kept.
 * - `failed`: the file cannot be used, or did not come in time; the reason and a message say why. No row is kept.
 */
export type ImportStatus = "pending" | "processing" | "completed" | "failed";

/** Why a file cannot be used. */
export type ImportFailure = "invalid_format" | "invalid_file_content" | "missing_identifier";

/** What may happen to an import. */
export type ImportMove = "receive" | "miss" | "complete" | "fail";

/** The status after a move; undefined when an import in this status cannot make it. */
export function moveImport(status: ImportStatus, move: ImportMove): ImportStatus | undefined {
  switch (move) {
    case "receive":
      return status === "pending" ? "processing" : undefined;
    case "miss":
      return status === "pending" ? "failed" : undefined;
    case "complete":
      return status === "processing" ? "completed" : undefined;
    case "fail":
      return status === "processing" ? "failed" : undefined;
  }
}
