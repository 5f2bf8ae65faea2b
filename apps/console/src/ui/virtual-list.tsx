import { useVirtualizer } from "@tanstack/react-virtual";
import { memo, useEffect, useRef, type ReactNode } from "react";

const ROWS_BEYOND = 6;
/** More than are ever in sight: a row that leaves gives its elements to one that comes. */
const POOL = 128;
const HEAD_HEIGHT = 34;
/** So many rows before the end, the next ones are asked for. */
const ROWS_LEFT = 200;

/** One column of a long list: its width as CSS grid wants it. */
export interface VirtualColumn<Row> {
  readonly heading: string;
  readonly width: string;
  readonly isNumber?: boolean;
  readonly cell: (row: Row) => ReactNode;
}

/** A list of any length: only the rows in sight exist, and the next thousand is fetched before one gets there. */
export function VirtualList<Row>(props: {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly VirtualColumn<Row>[];
  readonly rowHeight?: number;
  readonly onNearEnd?: (() => void) | undefined;
}): ReactNode {
  const { rows, columns, rowHeight = 40, onNearEnd } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: ROWS_BEYOND,
    useFlushSync: false,
  });
  const items = virtualizer.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= rows.length - ROWS_LEFT) onNearEnd?.();
  }, [last, rows.length, onNearEnd]);
  const template = toTemplate(columns);
  return (
    <div
      ref={scroller}
      className="virtual"
      role="table"
      aria-label={props.label}
      aria-rowcount={rows.length + 1}
      tabIndex={0}
      style={{ height: virtualizer.getTotalSize() + HEAD_HEIGHT + 2 }}
    >
      <div className="virtual-head" role="rowgroup">
        <div className="virtual-cells" role="row" aria-rowindex={1} style={{ ...template, height: HEAD_HEIGHT }}>
          {columns.map(({ heading, isNumber }) => (
            <span key={heading} role="columnheader" className={isNumber === true ? "number clip" : "clip"}>
              {heading}
            </span>
          ))}
        </div>
      </div>
      <div className="virtual-rows" role="rowgroup" style={{ height: virtualizer.getTotalSize() }}>
        {items.map(({ index, start }) => {
          const row = rows[index];
          return row === undefined ? null : (
            <RowView key={index % POOL} row={row} index={index} start={start} height={rowHeight} columns={columns} />
          );
        })}
      </div>
    </div>
  );
}

interface RowProps<Row> {
  readonly row: Row;
  readonly index: number;
  readonly start: number;
  readonly height: number;
  readonly columns: readonly VirtualColumn<Row>[];
}

const RowView = memo(function RowView<Row>(props: RowProps<Row>): ReactNode {
  const { row, index, start, height, columns } = props;
  return (
    <div
      className="virtual-row"
      role="row"
      aria-rowindex={index + 2}
      style={{ height, transform: `translateY(${start}px)` }}
    >
      <div className="virtual-cells" role="presentation" style={toTemplate(columns)}>
        {columns.map(({ heading, cell, isNumber }) => (
          <span key={heading} role="cell" className={isNumber === true ? "number clip" : "clip"}>
            {cell(row)}
          </span>
        ))}
      </div>
    </div>
  );
}) as <Row>(props: RowProps<Row>) => ReactNode; // memo loses the type parameter

function toTemplate(columns: readonly { readonly width: string }[]): { readonly gridTemplateColumns: string } {
  return { gridTemplateColumns: columns.map(({ width }) => width).join(" ") };
}
