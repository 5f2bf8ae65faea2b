import { send } from "../../api/send.ts";
import { ownPath } from "./use-websets.ts";
import { cellOf, type WebsetColumn } from "./webset-columns.ts";
import type { WebsetItem } from "./webset-shapes.ts";

/** A value for a cell: a verdict for a criterion, a text or nothing for an answer. */
export interface CellChange {
  readonly websetId: string;
  readonly itemId: string;
  readonly column: WebsetColumn;
  readonly value: string;
  readonly note?: string;
}

const undoable: CellChange[] = [];
const MOST_KEPT = 100;

/** Puts a person's value into a cell and remembers the one before. */
export async function putCell(item: WebsetItem, change: CellChange): Promise<void> {
  const before = cellOf(item, change.column);
  await sendCell(change);
  if (before.kind === "pending") return; // there is nothing to go back to
  undoable.push({
    websetId: change.websetId,
    itemId: change.itemId,
    column: change.column,
    value: before.kind === "verdict" ? before.evaluation.satisfied : before.kind === "value" ? before.text : "",
  });
  if (undoable.length > MOST_KEPT) undoable.shift();
}

/** Puts back what stood in the cell that was changed last; undefined when nothing was changed since the page was loaded. */
export async function undoLast(websetId: string, note: string): Promise<CellChange | undefined> {
  const at = undoable.findLastIndex((change) => change.websetId === websetId);
  const change = undoable[at];
  if (change === undefined) return undefined;
  await sendCell({ ...change, note });
  undoable.splice(at, 1);
  return change;
}

function sendCell({ websetId, itemId, column, value, note }: CellChange): Promise<unknown> {
  const path = `${ownPath(websetId)}/items/${encodeURIComponent(itemId)}`;
  const said = note === undefined || note === "" ? {} : { note };
  return column.kind === "criterion"
    ? send(`${path}/verdict`, { method: "PUT", body: { criterion: column.key, satisfied: value, ...said } })
    : send(`${path}/cells/${encodeURIComponent(column.key)}`, {
        method: "PUT",
        body: { result: value.trim() === "" ? null : [value.trim()], ...said },
      });
}
