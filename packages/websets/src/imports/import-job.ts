import { exaEvent } from "@quarry/contract";
import {
  appendEvent,
  failMissedImports,
  finishImport,
  getImport,
  keepImportRows,
  type Import,
  type ImportRow,
  type JobHandler,
} from "@quarry/store";
import { COLUMN_SAMPLE_RECORDS, findColumns, type CsvColumns } from "./find-columns.ts";
import type { ImportDeps } from "./import-service.ts";
import { openCsv, type CsvRecords } from "./open-csv.ts";
import { showImport } from "./show-import.ts";
import { toImportRow } from "./to-import-row.ts";
import { UnusableFileError } from "./unusable-file-error.ts";

/** Records read between two transactions. */
const RECORDS_PER_BATCH = 1_000;

/**
 * Reads an uploaded file into rows, a batch a transaction. The file does not change, so a try after a crash skips what
 * is kept and goes on; the file ends the import, as completed or failed, in the transaction that ends the job. An import
 * that still waits for its file was looked at because none can come any more.
 */
export function createImportJobHandler(deps: ImportDeps): JobHandler {
  return async (run) => {
    const { importId } = run.job.payload as { readonly importId: string };
    const found = await getImport(deps.database, run.job.teamId ?? "", importId);
    if (found.status === "pending") {
      return run.complete((tx) => failMissedImports(tx, deps.clock.now(), importId));
    }
    if (found.status !== "processing") return run.complete();
    const problem = await readFile(deps, found, run.signal);
    return run.complete(async (tx) => {
      const now = deps.clock.now();
      const end = problem === undefined ? ({ kind: "completed", now } as const) : ({ ...problem, now } as const);
      const finished = await finishImport(tx, importId, end);
      if (finished?.status !== "completed") return;
      await appendEvent(tx, exaEvent(finished.teamId, "import.completed", showImport(finished)), now);
    });
  };
}

/** What is wrong with the file; undefined once all of it is kept. */
async function readFile(deps: ImportDeps, found: Import, signal: AbortSignal) {
  const bytes = found.blobKey === null ? undefined : await deps.blobs.get(found.blobKey);
  try {
    if (bytes === undefined) {
      throw new UnusableFileError("invalid_file_content", "the uploaded file is no longer kept: create another import");
    }
    const open = openCsv(bytes);
    const columns = findColumns(await firstRecords(open()), found.identifierColumn);
    const kept = await keepRecords(deps, { found, columns, records: open() }, signal);
    if (kept === 0) {
      throw new UnusableFileError(
        "missing_identifier",
        `no record has anything in the column ${JSON.stringify(columns.names[columns.identifier])}`,
      );
    }
    return undefined;
  } catch (error) {
    if (!(error instanceof UnusableFileError)) throw error;
    return { kind: "failed", reason: error.reason, message: error.message } as const;
  }
}

async function firstRecords(records: CsvRecords): Promise<readonly (readonly string[])[]> {
  const sample: (readonly string[])[] = [];
  for await (const record of records) {
    if (sample.push(record) > COLUMN_SAMPLE_RECORDS) break;
  }
  return sample;
}

/** Returns how many rows the import has once the file is read to its end. */
async function keepRecords(
  { database, clock }: ImportDeps,
  file: { readonly found: Import; readonly columns: CsvColumns; readonly records: CsvRecords },
  signal: AbortSignal,
): Promise<number> {
  const { found, columns } = file;
  let recordsBefore = found.recordsRead;
  let kept = found.rowsKept;
  let read = columns.hasHeader ? -1 : 0;
  let rows: Omit<ImportRow, "number">[] = [];
  const keep = async (): Promise<void> => {
    signal.throwIfAborted();
    const batch = { recordsBefore, recordsAfter: read, rows, now: clock.now() };
    await database.transaction((tx) => keepImportRows(tx, found.id, batch));
    recordsBefore = read;
    kept += rows.length;
    rows = [];
  };
  for await (const record of file.records) {
    read += 1;
    if (read <= recordsBefore) continue; // the header, and what an earlier try has kept
    const row = toImportRow(columns, record);
    if (row !== undefined) rows.push(row);
    if (read - recordsBefore === RECORDS_PER_BATCH) await keep();
  }
  if (read > recordsBefore) await keep();
  return kept;
}
