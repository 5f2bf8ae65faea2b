import {
  createSortedRowModel,
  rowSortingFeature,
  sortFn_alphanumeric,
  sortFn_basic,
  tableFeatures,
  useTable,
  type ColumnDef,
  type Header,
} from "@tanstack/react-table";
import { useMemo, type ReactNode } from "react";

/** One column: what it is sorted by, and how a cell looks when that is more than the value. */
export interface Column<Row> {
  readonly id: string;
  readonly heading: string;
  readonly isNumber?: boolean;
  /** Whether its cells hold text of any length, which is broken over lines; others stay on one. */
  readonly isText?: boolean;
  readonly value: (row: Row) => string | number;
  readonly cell?: (row: Row) => ReactNode;
}

const features = tableFeatures({
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
  sortFns: { alphanumeric: sortFn_alphanumeric, basic: sortFn_basic },
});

/** A table whose headings sort it; for hundreds of rows, not thousands. */
export function DataTable<Row extends object>(props: {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  readonly empty: ReactNode;
}): ReactNode {
  const { columns, rows, rowKey } = props;
  const definitions = useMemo(
    () =>
      columns.map(({ id, heading, value, isNumber = false }): ColumnDef<typeof features, Row> => ({
        id,
        header: heading,
        accessorFn: value,
        sortDescFirst: isNumber,
      })),
    [columns],
  );
  const table = useTable({ features, columns: definitions, data: rows, getRowId: rowKey });
  if (rows.length === 0) return <p className="card soft">{props.empty}</p>;
  return (
    <div className="table-scroll" role="region" aria-label={props.label} tabIndex={0}>
      <table>
        <thead>
          {table.getHeaderGroups().map((group) => (
            <tr key={group.id}>
              {group.headers.map((header, index) => (
                <Heading key={header.id} header={header} isNumber={columns[index]?.isNumber === true} />
              ))}
            </tr>
          ))}
        </thead>
        <tbody>
          {table.getRowModel().rows.map((row) => (
            <tr key={row.id}>
              {columns.map(({ id, cell, value, isNumber = false, isText = false }) => (
                <td key={id} className={isNumber ? "number" : isText ? "text" : undefined}>
                  {cell === undefined ? value(row.original) : cell(row.original)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Heading<Row extends object>(props: {
  readonly header: Header<typeof features, Row>;
  readonly isNumber: boolean;
}): ReactNode {
  const { column } = props.header;
  const sorted = column.getIsSorted();
  const heading = column.columnDef.header;
  return (
    <th
      scope="col"
      className={props.isNumber ? "number" : undefined}
      aria-sort={sorted === "asc" ? "ascending" : sorted === "desc" ? "descending" : "none"}
    >
      <button type="button" onClick={() => column.toggleSorting()}>
        {typeof heading === "string" ? heading : column.id}
        {sorted === false ? null : <span aria-hidden="true">{sorted === "asc" ? "↑" : "↓"}</span>}
      </button>
    </th>
  );
}
