import type { ExportFormat } from "@quarry/contract";
import type { BlobStore, Queryable, WebsetExport } from "@quarry/store";
import { readItemBatches } from "./export-rows.ts";
import { exportColumns } from "./export-table.ts";
import { writeCsv } from "./write-csv.ts";
import { writeJson } from "./write-json.ts";
import { writeParquet } from "./write-parquet.ts";
import { writeXlsx } from "./write-xlsx.ts";

/** A file lies in parts of about this size, so that neither writing nor reading it needs more memory than that. */
const PART_BYTES = 4 * 1024 * 1024;

/** How each format is called by others. */
export const EXPORT_MEDIA_TYPES: Readonly<Record<ExportFormat, string>> = {
  csv: "text/csv; charset=utf-8",
  json: "application/json; charset=utf-8",
  jsonl: "application/x-ndjson; charset=utf-8",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  parquet: "application/vnd.apache.parquet",
};

/** Writes the file of an export that has its cut, part by part. The same cut makes the same parts, so it may be done again. */
export async function writeExportFile(
  deps: { readonly database: Queryable; readonly blobs: BlobStore },
  written: WebsetExport,
  signal: AbortSignal,
): Promise<{ readonly parts: number; readonly bytes: number }> {
  let parts = 0;
  let bytes = 0;
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  const putPart = async (): Promise<void> => {
    signal.throwIfAborted();
    await deps.blobs.put(partKey(written.id, parts), Buffer.concat(waiting));
    parts += 1;
    waiting = [];
    waitingBytes = 0;
  };
  for await (const chunk of chunksOf(deps.database, written, signal)) {
    if (chunk.length === 0) continue;
    waiting.push(chunk);
    waitingBytes += chunk.length;
    bytes += chunk.length;
    if (waitingBytes >= PART_BYTES) await putPart();
  }
  if (waitingBytes > 0) await putPart();
  return { parts, bytes };
}

/** The parts of a file in order. */
export async function* readExportFile(blobs: BlobStore, written: WebsetExport): AsyncGenerator<Uint8Array> {
  for (let part = 0; part < (written.parts ?? 0); part += 1) {
    const bytes = await blobs.get(partKey(written.id, part));
    if (bytes === undefined) throw new Error(`part ${part} of ${written.id} is gone from the blob store`);
    yield bytes;
  }
}

/** Takes a file away. */
export async function removeExportFile(blobs: BlobStore, written: WebsetExport): Promise<void> {
  for (let part = 0; part < (written.parts ?? 0); part += 1) await blobs.delete(partKey(written.id, part));
}

/** Where the files of exports lie. */
export const EXPORT_BLOBS = "exports";

function partKey(id: string, part: number): string {
  return `${EXPORT_BLOBS}/${id}/${String(part).padStart(6, "0")}`;
}

function chunksOf(db: Queryable, written: WebsetExport, signal: AbortSignal): AsyncIterable<Uint8Array> {
  const batches = readItemBatches(db, written, signal);
  if (written.format === "json" || written.format === "jsonl") return writeJson(written.format, batches);
  const columns = exportColumns(written.header ?? { title: null, types: [], criteria: [], enrichments: [] });
  switch (written.format) {
    case "csv":
      return writeCsv(columns, batches);
    case "xlsx":
      return writeXlsx(columns, batches);
    case "parquet":
      return writeParquet(columns, batches);
  }
}
