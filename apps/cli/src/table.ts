import type { Output } from "./cli-context.ts";
import { paint } from "./paint.ts";

/** One column: its heading and how a row fills it. */
export interface Column<Row> {
  readonly heading: string;
  readonly text: (row: Row) => string;
  readonly align?: "right";
}

/** Rows under headings, columns aligned by spaces; the last column is not padded. */
export function renderTable<Row>(output: Output, columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const cells = rows.map((row) => columns.map((column) => toCell(column.text(row))));
  const widths = columns.map((column, index) =>
    Math.max(widthOf(column.heading), ...cells.map((line) => widthOf(line[index] ?? ""))),
  );
  const alignLine = (line: readonly string[]): string =>
    line
      .map((cell, index) => {
        const padding = " ".repeat((widths[index] ?? 0) - widthOf(cell));
        return columns[index]?.align === "right" ? padding + cell : cell + padding;
      })
      .join("  ")
      .trimEnd();
  const heading = paint(output, "dim", alignLine(columns.map((column) => column.heading)));
  return [heading, ...cells.map(alignLine)].join("\n");
}

/** Labels and values, one pair per line, values aligned. */
export function renderPairs(output: Output, pairs: readonly (readonly [string, string])[]): string {
  const width = Math.max(...pairs.map(([label]) => widthOf(label)));
  return pairs
    .map(([label, value]) => {
      const padding = " ".repeat(width - widthOf(label));
      return `${paint(output, "dim", label)}${padding}  ${toCell(value)}`.trimEnd();
    })
    .join("\n");
}

/** A text from outside may carry escape sequences that drive a terminal: show it as one harmless line. */
function toCell(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, " ");
}

const graphemes = new Intl.Segmenter();
const WIDE = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}]/u;

/** Columns on a terminal. */
function widthOf(text: string): number {
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += WIDE.test(segment) ? 2 : 1;
  return width;
}
