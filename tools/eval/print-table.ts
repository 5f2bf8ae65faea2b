/** A table of figures; the first column names the row. */
export interface Table {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
}

/** Prints a table with aligned columns; fractions get three digits. */
export function printTable(table: Table): void {
  const lines = [table.columns, ...table.rows.map((row) => row.map(toCell))];
  const widths = table.columns.map((_, index) => Math.max(...lines.map((line) => (line[index] ?? "").length)));
  process.stdout.write(`\n${table.title}\n`);
  for (const line of lines) {
    const cells = line.map((cell, index) =>
      index === 0 ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0),
    );
    process.stdout.write(`  ${cells.join("  ")}\n`);
  }
}

function toCell(value: string | number): string {
  if (typeof value === "string") return value;
  return Number.isInteger(value) ? String(value) : value.toFixed(3);
}
