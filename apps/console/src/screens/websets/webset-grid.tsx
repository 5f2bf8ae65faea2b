import { useVirtualizer } from "@tanstack/react-virtual";
import { memo, useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import { Badge, type Tone } from "../../ui/states.tsx";
import { cellOf, nameOf, type WebsetColumn } from "./webset-columns.ts";
import type { WebsetItem } from "./webset-shapes.ts";
import { say } from "../../words/say.ts";

const ROW_HEIGHT = 40;
const ROWS_BEYOND = 8;
const ROWS_LEFT = 50;
const VERDICT_TONES: Readonly<Record<string, Tone>> = { yes: "good", no: "bad", unclear: "warn" };

/** Items by columns: only the rows in sight exist, the first column stays, arrows move and Enter opens a cell. */
export function WebsetGrid(props: {
  readonly items: readonly WebsetItem[];
  readonly columns: readonly WebsetColumn[];
  readonly onOpen: (item: WebsetItem, column: WebsetColumn) => void;
  readonly onNearEnd: () => void;
}): ReactNode {
  const { items, columns, onOpen, onNearEnd } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<Place>({ row: 0, column: 0 });
  const virtualizer = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: ROWS_BEYOND,
    useFlushSync: false,
  });
  const rows = virtualizer.getVirtualItems();
  const last = rows.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= items.length - ROWS_LEFT) onNearEnd();
  }, [last, items.length, onNearEnd]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = STEPS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = {
      row: Math.max(0, Math.min(items.length - 1, at.row + step[0])),
      column: Math.max(0, Math.min(columns.length, at.column + step[1])),
    };
    setAt(next);
    virtualizer.scrollToIndex(next.row);
    // The row may exist only after the scroll has been drawn.
    requestAnimationFrame(() =>
      scroller.current?.querySelector<HTMLElement>(`[data-cell="${next.row}-${next.column}"]`)?.focus(),
    );
  };
  return (
    <div
      ref={scroller}
      className="webset-grid"
      role="grid"
      aria-label={say("websets.items")}
      aria-rowcount={items.length + 1}
      aria-colcount={columns.length + 1}
      tabIndex={-1}
      onKeyDown={onKeyDown}
    >
      <div className="webset-row webset-head" role="row" aria-rowindex={1}>
        <span role="columnheader" className="webset-cell pinned">
          {say("websets.item")}
        </span>
        {columns.map((column) => (
          <span key={column.key} role="columnheader" className="webset-cell" title={column.heading}>
            <span className="clip">{column.heading}</span>
            {column.kind === "criterion" ? (
              <span className="rate">
                <span className="meter thin" aria-hidden="true">
                  <span style={{ width: `${column.successRate}%` }} />
                </span>
                <span className="number">{Math.round(column.successRate)} %</span>
              </span>
            ) : (
              <span className="faint">{column.format}</span>
            )}
          </span>
        ))}
      </div>
      <div className="webset-rows" role="presentation" style={{ height: virtualizer.getTotalSize() }}>
        {rows.map(({ index, start }) => {
          const item = items[index];
          return item === undefined ? null : (
            <GridRow
              key={item.id}
              item={item}
              index={index}
              start={start}
              columns={columns}
              active={at.row === index ? at.column : undefined}
              onOpen={onOpen}
              onFocus={setAt}
            />
          );
        })}
      </div>
    </div>
  );
}

interface Place {
  readonly row: number;
  readonly column: number;
}

const STEPS: Readonly<Record<string, readonly [row: number, column: number]>> = {
  ArrowDown: [1, 0],
  ArrowUp: [-1, 0],
  ArrowRight: [0, 1],
  ArrowLeft: [0, -1],
};

const GridRow = memo(function GridRow(props: {
  readonly item: WebsetItem;
  readonly index: number;
  readonly start: number;
  readonly columns: readonly WebsetColumn[];
  readonly active: number | undefined;
  readonly onOpen: (item: WebsetItem, column: WebsetColumn) => void;
  readonly onFocus: (place: Place) => void;
}): ReactNode {
  const { item, index, start, columns, active, onOpen, onFocus } = props;
  const name = nameOf(item);
  return (
    <div
      className="webset-row"
      role="row"
      aria-rowindex={index + 2}
      style={{ height: ROW_HEIGHT, transform: `translateY(${start}px)` }}
    >
      <span role="rowheader" className="webset-cell pinned">
        <a
          className="clip"
          href={item.properties.url}
          target="_blank"
          rel="noreferrer noopener"
          title={item.properties.url}
          data-cell={`${index}-0`}
          tabIndex={active === 0 ? 0 : -1}
          onFocus={() => onFocus({ row: index, column: 0 })}
        >
          {name}
        </a>
      </span>
      {columns.map((column, place) => (
        <span key={column.key} role="gridcell" className="webset-cell">
          <button
            type="button"
            data-cell={`${index}-${place + 1}`}
            tabIndex={active === place + 1 ? 0 : -1}
            aria-label={say("websets.of", { heading: column.heading, name, item: describe(item, column) })}
            onFocus={() => onFocus({ row: index, column: place + 1 })}
            onClick={() => onOpen(item, column)}
          >
            <CellView item={item} column={column} />
          </button>
        </span>
      ))}
    </div>
  );
});

function CellView({ item, column }: { readonly item: WebsetItem; readonly column: WebsetColumn }): ReactNode {
  const cell = cellOf(item, column);
  switch (cell.kind) {
    case "pending":
      return <span className="skeleton" />;
    case "empty":
      return <span className="faint">–</span>;
    case "verdict":
      return (
        <>
          <Badge tone={VERDICT_TONES[cell.evaluation.satisfied] ?? "idle"}>{cell.evaluation.satisfied}</Badge>
          {cell.evaluation.quarry === undefined ? null : <HandMark />}
        </>
      );
    case "value":
      return (
        <>
          <span className="clip">{cell.text}</span>
          {cell.result.quarry === undefined ? null : <HandMark />}
        </>
      );
  }
}

function HandMark(): ReactNode {
  return <span className="badge plain">{say("websets.byHand")}</span>;
}

function describe(item: WebsetItem, column: WebsetColumn): string {
  const cell = cellOf(item, column);
  if (cell.kind === "verdict") return cell.evaluation.satisfied;
  if (cell.kind === "value") return cell.text;
  return cell.kind === "pending" ? say("websets.toCome") : say("websets.nothing");
}
