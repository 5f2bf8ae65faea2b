import { formats, say } from "../../words/say.ts";
import { cellOf, hasWords, nameOf, type Cell, type WebsetColumn } from "./webset-columns.ts";
import type { WebsetItem } from "./webset-shapes.ts";

/** Which items the grid shows beside those with some words. */
export const SHOWN = ["all", "gaps", "by-hand", "pending"] as const;

/** One such choice. */
export type Shown = (typeof SHOWN)[number];

/** How the grid is arranged: which items, in which order, under which headings. */
export interface Arrangement {
  readonly words?: string | undefined;
  readonly show?: Shown | undefined;
  /** The key of a column, or "name"; the order in which the items came when absent. */
  readonly sort?: string | undefined;
  readonly isDescending?: boolean | undefined;
  /** The key of a column. */
  readonly group?: string | undefined;
}

/** A row of the grid. */
export type GridEntry =
  | { readonly kind: "item"; readonly item: WebsetItem }
  | { readonly kind: "group"; readonly text: string; readonly count: number };

const collator = new Intl.Collator(formats, { numeric: true, sensitivity: "base" });

/** The rows of the grid. Items without a value come last, whichever way it is sorted. */
export function arrangeItems(
  items: readonly WebsetItem[],
  columns: readonly WebsetColumn[],
  arrangement: Arrangement,
): readonly GridEntry[] {
  const { words = "", show = "all" } = arrangement;
  const isAll = words.trim() === "" && show === "all";
  const chosen = isAll ? items : items.filter((item) => isShown(item, columns, show) && hasWords(item, columns, words));
  const sorted = sortItems(chosen, columns, arrangement);
  const group = columns.find(({ key }) => key === arrangement.group);
  if (group === undefined) return sorted.map((item) => ({ kind: "item", item }));
  const groups = new Map<string, WebsetItem[]>();
  for (const item of sorted) {
    const text = textOfCell(cellOf(item, group));
    const members = groups.get(text);
    if (members === undefined) groups.set(text, [item]);
    else members.push(item);
  }
  return [...groups]
    .sort(([first], [second]) => compareTexts(first, second, false))
    .flatMap(([text, members]): readonly GridEntry[] => [
      { kind: "group", text: text === "" ? say("websets.nothing") : text, count: members.length },
      ...members.map((item): GridEntry => ({ kind: "item", item })),
    ]);
}

/** What stands in a cell, as one text. */
export function textOfCell(cell: Cell): string {
  return cell.kind === "value" ? cell.text : cell.kind === "verdict" ? cell.evaluation.satisfied : "";
}

function sortItems(
  items: readonly WebsetItem[],
  columns: readonly WebsetColumn[],
  { sort, isDescending = false }: Arrangement,
): readonly WebsetItem[] {
  const column = columns.find(({ key }) => key === sort);
  if (column === undefined && sort !== "name") return items;
  return items
    .map((item) => ({ item, text: column === undefined ? nameOf(item) : textOfCell(cellOf(item, column)) }))
    .sort((first, second) => compareTexts(first.text, second.text, isDescending))
    .map(({ item }) => item);
}

function compareTexts(first: string, second: string, isDescending: boolean): number {
  if (first === "" || second === "") return Number(first === "") - Number(second === "");
  return isDescending ? collator.compare(second, first) : collator.compare(first, second);
}

function isShown(item: WebsetItem, columns: readonly WebsetColumn[], show: Shown): boolean {
  const some = (test: (cell: Cell) => boolean): boolean => columns.some((column) => test(cellOf(item, column)));
  switch (show) {
    case "all":
      return true;
    case "gaps":
      return some(({ kind }) => kind === "empty");
    case "pending":
      return some(({ kind }) => kind === "pending");
    case "by-hand":
      return some(
        (cell) =>
          (cell.kind === "value" && cell.result.quarry !== undefined) ||
          (cell.kind === "verdict" && cell.evaluation.quarry !== undefined),
      );
  }
}
