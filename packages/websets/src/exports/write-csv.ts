import type { CellValue, ExportColumn } from "./export-table.ts";
import type { ItemBatches } from "./export-rows.ts";
import { isFormula } from "./is-formula.ts";

/** A table as CSV (RFC 4180, UTF-8, CRLF). What a spreadsheet would take for a formula has an apostrophe in front. */
export async function* writeCsv(columns: readonly ExportColumn[], batches: ItemBatches): AsyncGenerator<Uint8Array> {
  yield encode([columns.map(({ name }) => name)]);
  for await (const batch of batches) {
    yield encode(batch.map((whole) => columns.map(({ read }) => read(whole))));
  }
}

function encode(rows: readonly (readonly CellValue[])[]): Uint8Array {
  return Buffer.from(rows.map((row) => `${row.map(writeCell).join(",")}\r\n`).join(""), "utf8");
}

function writeCell(value: CellValue): string {
  if (value === null) return "";
  const text = typeof value === "string" && isFormula(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
