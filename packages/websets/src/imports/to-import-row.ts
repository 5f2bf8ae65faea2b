import type { ImportRow } from "@quarry/store";
import { toAddress, type CsvColumns } from "./find-columns.ts";

/** The entity that a record of a file names; undefined when it names none. */
export function toImportRow(columns: CsvColumns, record: readonly string[]): Omit<ImportRow, "number"> | undefined {
  const cell = (column: number | undefined): string => (column === undefined ? "" : (record[column]?.trim() ?? ""));
  const given = cell(columns.identifier);
  const url = toAddress(given) ?? toAddress(cell(columns.url)) ?? null;
  const name = cell(columns.name) === "" ? null : cell(columns.name);
  // A cell like "n/a" in a column of addresses names nothing; in a column that the caller chose any text does.
  const isNamed = given !== "" && (columns.isChosen || columns.url !== columns.identifier || url !== null);
  const identifier = isNamed ? given : (url ?? name);
  if (identifier === null) return undefined;
  const filled = record.flatMap((text, column): readonly (readonly [string, string])[] =>
    text.trim() === "" ? [] : [[columns.names[column] ?? `column ${column + 1}`, text.trim()]],
  );
  return { identifier, url, name, fields: Object.fromEntries(filled) };
}
