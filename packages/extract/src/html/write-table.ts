import type { Footnotes } from "./footnotes.ts";
import type { PageElement } from "./page-tree.ts";
import { writeInline, type ResolveLink } from "./write-inline.ts";
import type { KeptBlock } from "./write-text.ts";

/** Rows of a wider table are left as long as they are, and no cell reaches further: both would take its square. */
const MAX_FILLED_COLUMNS = 100;

type CellTexts = ReadonlyMap<PageElement | undefined, readonly string[]>;

/** The rows of a `<thead>`, `<tbody>` or the like, those without text too, as far as their cells are placed. */
interface RowGroup {
  readonly rows: readonly PageElement[];
  placed: number;
  /** By column, the first row that no cell from above reaches into; a cell ends with its group at the latest. */
  readonly freeFrom: number[];
}

/**
 * A table in pipes; a row of headers is invented when the source has none, since the syntax needs one. A cell over several
 * columns or rows stands in the first of them, and the others are empty, so that every value is under its own header.
 */
export function writeTable(cells: readonly KeptBlock[], resolve: ResolveLink, footnotes: Footnotes): string {
  const rows = new Map<PageElement | undefined, Map<PageElement | undefined, string[]>>();
  for (const { block, role } of cells) {
    let row = rows.get(role.row);
    if (row === undefined) rows.set(role.row, (row = new Map<PageElement | undefined, string[]>()));
    const text = (block.preformatted ? `\`${block.text}\`` : writeInline(block, resolve, footnotes))
      .replaceAll("|", "\\|")
      .replaceAll("\n", " ");
    const cell = row.get(role.cell);
    if (cell === undefined) row.set(role.cell, [text]);
    else cell.push(text);
  }
  const groups = new Map<PageElement | undefined, RowGroup>();
  const lines = [...rows].map(([element, row]) => placeCells(element, row, groups));
  const width = lines.reduce((widest, line) => Math.max(widest, line.length), 0);
  if (width < 2) return lines.flat().join("\n\n");
  const filled = Math.min(width, MAX_FILLED_COLUMNS);
  const pad = (line: readonly string[]): string =>
    `| ${Array.from({ length: Math.max(line.length, filled) }, (_, index) => line[index] ?? "").join(" | ")} |`;
  const [first = [], ...rest] = lines;
  const [firstRow] = rows;
  const headed = firstRow !== undefined && isHead(...firstRow);
  const head = headed ? first : [];
  const body = headed ? rest : lines;
  return [pad(head), `|${" --- |".repeat(Math.max(head.length, filled))}`, ...body.map(pad)].join("\n");
}

/** Whether a row is the table's head, by its cells with text: the first of a row of values may be a header too. */
function isHead(row: PageElement | undefined, texts: CellTexts): boolean {
  if (row?.parent?.tag === "thead") return true;
  const [first, ...others] = [...texts.keys()].map((cell) => cell?.tag === "th");
  return others.length === 0 ? first === true : others.every((isHeader) => isHeader);
}

/** The texts of a row by column: to the right of what reaches down from rows above. */
function placeCells(
  row: PageElement | undefined,
  texts: CellTexts,
  groups: Map<PageElement | undefined, RowGroup>,
): readonly string[] {
  const parent = row?.parent;
  let group = groups.get(parent);
  if (group === undefined) {
    group = { rows: childrenOf(parent, ROW_TAGS), placed: 0, freeFrom: [] };
    groups.set(parent, group);
  }
  const { rows, freeFrom } = group;
  let line: readonly string[] = [];
  for (let isDone = false; !isDone && group.placed < rows.length; group.placed += 1) {
    isDone = rows[group.placed] === row;
    line = placeRow(childrenOf(rows[group.placed], CELL_TAGS), texts, { index: group.placed, freeFrom });
  }
  return line;
}

function placeRow(
  cells: readonly PageElement[],
  texts: CellTexts,
  { index, freeFrom }: { readonly index: number; readonly freeFrom: number[] },
): readonly string[] {
  const line: string[] = [];
  for (const cell of cells) {
    while ((freeFrom[line.length] ?? 0) > index) line.push("");
    const column = line.length;
    line.push((texts.get(cell) ?? []).join(" "));
    const end = Math.min(column + spanOf(cell, "colspan"), MAX_FILLED_COLUMNS);
    const free = index + spanOf(cell, "rowspan");
    for (let at = column; at < end; at += 1) freeFrom[at] = Math.max(freeFrom[at] ?? 0, free);
  }
  return line;
}

const ROW_TAGS: ReadonlySet<string> = new Set(["tr"]);
const CELL_TAGS: ReadonlySet<string> = new Set(["td", "th"]);

function childrenOf(parent: PageElement | undefined, tags: ReadonlySet<string>): readonly PageElement[] {
  return (parent?.children ?? []).filter(
    (child): child is PageElement => child.kind === "element" && tags.has(child.tag),
  );
}

/** How many columns or rows a cell has; no rows mean all that its group has left. */
function spanOf({ attributes }: PageElement, name: "colspan" | "rowspan"): number {
  const span = Number(attributes[name] ?? "1");
  if (span === 0 && name === "rowspan") return Infinity;
  return Number.isInteger(span) && span > 1 ? span : 1;
}
