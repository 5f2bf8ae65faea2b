import { useVirtualizer } from "@tanstack/react-virtual";
import { memo, useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import { formatNumber } from "../../ui/format.ts";
import { Icon } from "../../ui/icon.tsx";
import { Badge, type Tone } from "../../ui/states.tsx";
import { sayCount } from "../../words/say-count.ts";
import { cellOf, nameOf, type WebsetColumn } from "./webset-columns.ts";
import type { GridEntry } from "./arrange-items.ts";
import type { EnrichmentResult, WebsetItem } from "./webset-shapes.ts";
import { say } from "../../words/say.ts";

const ROW_HEIGHT = 40;
const ROWS_BEYOND = 8;
const ROWS_LEFT = 50;
const VERDICT_TONES: Readonly<Record<string, Tone>> = { yes: "good", no: "bad", unclear: "warn" };

/** Items by columns: only the rows in sight exist, the first column stays, arrows move, Enter opens a cell, e puts it right, r fills it again, u undoes. */
export function WebsetGrid(props: {
  readonly entries: readonly GridEntry[];
  readonly columns: readonly WebsetColumn[];
  readonly sort: string | undefined;
  readonly isDescending: boolean;
  readonly onOpen: OpenCell;
  /** A column is filled again, wholly or for one item. */
  readonly onRun: (column: WebsetColumn, item?: WebsetItem) => void;
  readonly onSort: (key: string) => void;
  readonly onUndo: () => void;
  readonly onNearEnd: () => void;
}): ReactNode {
  const { entries, columns, onOpen, onNearEnd } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<Place>({ row: 0, column: 0 });
  const virtualizer = useVirtualizer({
    count: entries.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: ROWS_BEYOND,
    useFlushSync: false,
  });
  const rows = virtualizer.getVirtualItems();
  const last = rows.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= entries.length - ROWS_LEFT) onNearEnd();
  }, [last, entries.length, onNearEnd]);
  const act = (event: KeyboardEvent): void => {
    const isUndo = event.key === "u" || (event.key === "z" && (event.ctrlKey || event.metaKey));
    if (!isUndo && (event.ctrlKey || event.metaKey || event.altKey)) return;
    const entry = entries[at.row];
    const column = columns[at.column - 1];
    if (isUndo) props.onUndo();
    else if (entry?.kind !== "item" || column === undefined) return;
    else if (event.key === "e") onOpen(entry.item, column, { isEditing: true });
    else if (event.key === "r" && column.kind === "enrichment") props.onRun(column, entry.item);
    else return;
    event.preventDefault();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = STEPS[event.key];
    if (step === undefined) {
      act(event);
      return;
    }
    event.preventDefault();
    const next = {
      row: Math.max(0, Math.min(entries.length - 1, at.row + step[0])),
      column: Math.max(0, Math.min(columns.length, at.column + step[1])),
    };
    setAt(next);
    virtualizer.scrollToIndex(next.row);
    const cell = (): HTMLElement | null | undefined =>
      scroller.current?.querySelector<HTMLElement>(`[data-cell="${next.row}-${next.column}"]`);
    // At once, so that a key pressed within the same frame acts on the new cell; a row far away exists only once drawn.
    const there = cell();
    if (there) there.focus();
    else requestAnimationFrame(() => cell()?.focus());
  };
  return (
    <div
      ref={scroller}
      className="webset-grid"
      role="grid"
      aria-label={say("websets.items")}
      aria-rowcount={entries.length + 1}
      aria-colcount={columns.length + 1}
      tabIndex={-1}
      onKeyDown={onKeyDown}
    >
      <div className="webset-row webset-head" role="row" aria-rowindex={1}>
        <span role="columnheader" className="webset-cell pinned">
          {say("websets.item")}
        </span>
        {columns.map((column) => (
          <span
            key={column.key}
            role="columnheader"
            className="webset-cell"
            title={column.heading}
            aria-sort={props.sort === column.key ? (props.isDescending ? "descending" : "ascending") : undefined}
          >
            <span className="row tight">
              <button type="button" className="plain clip" onClick={() => props.onSort(column.key)}>
                {column.heading}
              </button>
              {props.sort === column.key ? <Icon name={props.isDescending ? "down" : "up"} /> : null}
              {column.kind === "enrichment" ? (
                <button
                  type="button"
                  className="plain"
                  aria-label={say("websets.runColumn", { column: column.heading })}
                  onClick={() => props.onRun(column)}
                >
                  <Icon name="again" />
                </button>
              ) : null}
            </span>
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
          const entry = entries[index];
          if (entry === undefined) return null;
          if (entry.kind === "group") {
            return <GroupRow key={`group ${entry.text}`} entry={entry} index={index} start={start} />;
          }
          return (
            <GridRow
              key={entry.item.id}
              item={entry.item}
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

/** Opens a cell. */
export type OpenCell = (item: WebsetItem, column: WebsetColumn, how?: { readonly isEditing: boolean }) => void;

function GroupRow(props: {
  readonly entry: Extract<GridEntry, { readonly kind: "group" }>;
  readonly index: number;
  readonly start: number;
}): ReactNode {
  const { entry, index, start } = props;
  return (
    <div
      className="webset-row group"
      role="row"
      aria-rowindex={index + 2}
      style={{ height: ROW_HEIGHT, transform: `translateY(${start}px)` }}
    >
      <span role="rowheader" className="webset-cell pinned">
        <span className="clip">{entry.text}</span>
        <span className="faint number">{formatNumber(entry.count)}</span>
      </span>
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
  readonly onOpen: OpenCell;
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
          href={/^https?:/.test(item.properties.url) ? item.properties.url : undefined}
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
          <span className={`sureness ${sureness(cell.result)}`} title={quotesOf(cell.result)} />
          <span className="clip">{cell.text}</span>
          {cell.result.quarry === undefined ? null : <HandMark />}
        </>
      );
  }
}

/** How sure a value is: a person's word, several quotes, one, or none. */
function sureness({ quarry, references }: EnrichmentResult): string {
  return quarry !== undefined || references.length > 1 ? "high" : references.length === 1 ? "fair" : "low";
}

function quotesOf({ quarry, references }: EnrichmentResult): string {
  return quarry === undefined ? sayCount("websets.quotesBehind", references.length) : say("websets.byHand");
}

function HandMark(): ReactNode {
  return (
    <span className="faint" title={say("websets.byHand")}>
      <Icon name="approvals" />
    </span>
  );
}

function describe(item: WebsetItem, column: WebsetColumn): string {
  const cell = cellOf(item, column);
  const byHand = (text: string, isByHand: boolean): string =>
    isByHand ? say("websets.valueByHand", { value: text }) : text;
  if (cell.kind === "verdict") return byHand(cell.evaluation.satisfied, cell.evaluation.quarry !== undefined);
  if (cell.kind === "value") return byHand(cell.text, cell.result.quarry !== undefined);
  return cell.kind === "pending" ? say("websets.toCome") : say("websets.nothing");
}
