import { ByteWriter, ParquetWriter, type SchemaElement } from "hyparquet-writer";
import type { CellValue, ExportColumn } from "./export-table.ts";
import type { ItemBatches } from "./export-rows.ts";

/** Rows that are packed together; the columns of that many are in memory. */
const ROWS_PER_GROUP = 2_000;

/** A table as Parquet: texts and doubles, each of which may be null, in groups of rows that are sent as they are made. */
export async function* writeParquet(
  columns: readonly ExportColumn[],
  batches: ItemBatches,
): AsyncGenerator<Uint8Array> {
  const bytes = new ByteWriter();
  const writer = new ParquetWriter({ writer: bytes, schema: schemaOf(columns) });
  const take = (): Uint8Array => {
    const made = Uint8Array.from(bytes.getBytes()); // a copy: the writer goes on in the same memory
    bytes.index = 0;
    return made;
  };
  let rows: CellValue[][] = [];
  const writeGroup = async (): Promise<Uint8Array> => {
    const group = rows;
    rows = [];
    const columnData = columns.map(({ name }, index) => ({ name, data: group.map((row) => row[index] ?? undefined) }));
    await writer.write({ columnData, rowGroupSize: group.length });
    return take();
  };
  for await (const batch of batches) {
    for (const whole of batch) rows.push(columns.map(({ read }) => read(whole)));
    if (rows.length >= ROWS_PER_GROUP) yield await writeGroup();
  }
  if (rows.length > 0) yield await writeGroup();
  await writer.finish();
  yield take();
}

function schemaOf(columns: readonly ExportColumn[]): SchemaElement[] {
  return [
    { name: "root", num_children: columns.length },
    ...columns.map(({ name, kind }): SchemaElement =>
      kind === "number"
        ? { name, type: "DOUBLE", repetition_type: "OPTIONAL" }
        : { name, type: "BYTE_ARRAY", converted_type: "UTF8", repetition_type: "OPTIONAL" },
    ),
  ];
}
