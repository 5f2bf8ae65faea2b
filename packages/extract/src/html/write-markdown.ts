import type { BlockRole } from "./block-role.ts";
import { definitionLabel, findFootnotes, type Footnotes } from "./footnotes.ts";
import type { PageElement } from "./page-tree.ts";
import { writeInline, type ResolveLink } from "./write-inline.ts";
import type { KeptBlock } from "./write-text.ts";

/** Writes the kept blocks as Markdown: headings, lists, tables, code, quotes, links. */
export function writeMarkdown(kept: readonly KeptBlock[], resolve: ResolveLink, maxChars: number): string {
  const parts: string[] = [];
  const footnotes = findFootnotes(kept);
  let length = 0;
  let previous: BlockRole | undefined;
  let lastNote: string | undefined;
  for (let index = 0; index < kept.length && length < maxChars; index += 1) {
    const one = kept[index];
    if (one === undefined) break;
    let part: string;
    const { role } = one;
    const label = definitionLabel(one, footnotes);
    const note = label === lastNote ? undefined : label;
    lastNote = label;
    if (role.table !== undefined) {
      const cells: KeptBlock[] = [];
      for (let next = kept[index]; next?.role.table === role.table; next = kept[index]) {
        cells.push(next);
        index += 1;
      }
      index -= 1;
      part = writeTable(cells, resolve, footnotes);
    } else part = writeBlock(one, previous, { resolve, footnotes, note, isNote: label !== undefined });
    if (part === "") continue;
    if (role.quoteDepth > 0) part = quote(part, role.quoteDepth);
    if (parts.length > 0) parts.push(note === undefined && isTight(previous, role) ? "\n" : gapOf(previous, role));
    parts.push(part);
    length += part.length;
    previous = role;
  }
  return parts.join("").slice(0, maxChars);
}

function isTight(before: BlockRole | undefined, after: BlockRole): boolean {
  if (before === undefined) return false;
  if (before.kind === "term" && after.kind === "definition") return true;
  return (
    before.kind === "item" &&
    after.kind === "item" &&
    before.item !== after.item &&
    before.quoteDepth === after.quoteDepth
  );
}

function gapOf(before: BlockRole | undefined, after: BlockRole): string {
  const quotes = Math.min(before?.quoteDepth ?? 0, after.quoteDepth);
  return quotes === 0 ? "\n\n" : `\n${">".repeat(quotes)}\n`;
}

interface BlockContext {
  readonly resolve: ResolveLink;
  readonly footnotes: Footnotes;
  /** The label of the note that the block begins, and whether it is in one at all. */
  readonly note: string | undefined;
  readonly isNote: boolean;
}

function writeBlock({ block, role }: KeptBlock, previous: BlockRole | undefined, context: BlockContext): string {
  const { resolve, footnotes, note, isNote } = context;
  const continues = role.item !== undefined && previous?.item === role.item;
  const indent = "    ".repeat(Math.max(0, role.listDepth - 1));
  if (role.kind === "code") {
    const code = block.text;
    const fence = code.includes("```") ? "~~~~" : "```";
    const lead = role.item === undefined ? "" : `${indent}    `;
    return `${fence}${role.language}\n${code}\n${fence}`.replace(/^/gm, lead);
  }
  const inline = writeInline(block, resolve, footnotes);
  if (inline === "") return "";
  if (note !== undefined) return `[^${note}]: ${withoutLabel(inline, note).replaceAll("\n", "\n    ")}`;
  if (isNote) return `    ${inline.replaceAll("\n", "\n    ")}`;
  switch (role.kind) {
    case "heading":
      return `${"#".repeat(role.level)} ${inline.replaceAll("\n", " ")}`;
    case "item": {
      const hanging = inline.replaceAll("\n", `\n${indent}    `);
      if (continues) return `${indent}    ${hanging}`;
      return `${indent}${role.itemNumber > 0 ? `${role.itemNumber}.` : "-"} ${hanging}`;
    }
    case "term":
      return `**${inline.replaceAll("**", "").replaceAll("\n", " ")}**`;
    case "definition":
      return `: ${inline.replaceAll("\n", "\n  ")}`;
    case "cell":
    case "paragraph":
      return inline.replaceAll("\n", "  \n").replace(/^(?:(?=#{1,6} |[-+>] )|(\d{1,9})(?=[.)] ))/, "$1\\");
    default:
      return inline;
  }
}

/** A note's text often begins with its own number, which Markdown writes by itself. */
function withoutLabel(inline: string, label: string): string {
  const lead = /^(?:\[?\\?\[?([0-9a-z*†‡]{1,3})\\?\]?[.):]?|\[\^([0-9a-z*†‡]{1,3})\])\s+(?=\S)/i.exec(inline);
  return lead !== null && (lead[1] ?? lead[2]) === label ? inline.slice(lead[0].length) : inline;
}

/** A table in pipes; a row of headers is invented when the source has none, since the syntax needs one. */
function writeTable(cells: readonly KeptBlock[], resolve: ResolveLink, footnotes: Footnotes): string {
  const rows = new Map<PageElement | undefined, Map<PageElement | undefined, string[]>>();
  let headed = false;
  for (const { block, role } of cells) {
    let row = rows.get(role.row);
    if (row === undefined) rows.set(role.row, (row = new Map<PageElement | undefined, string[]>()));
    const text = (block.preformatted ? `\`${block.text}\`` : writeInline(block, resolve, footnotes))
      .replaceAll("|", "\\|")
      .replaceAll("\n", " ");
    const cell = row.get(role.cell);
    if (cell === undefined) row.set(role.cell, [text]);
    else cell.push(text);
    if (rows.size === 1 && role.cell?.tag === "th") headed = true;
  }
  const lines = [...rows].map(([element, row]) =>
    (element?.children ?? [])
      .filter((child) => child.kind === "element" && (child.tag === "td" || child.tag === "th"))
      .map((cell) => (row.get(cell as PageElement) ?? []).join(" ")),
  );
  const width = Math.max(...lines.map((line) => line.length));
  if (width < 2) return lines.flat().join("\n\n");
  const pad = (line: readonly string[]): string =>
    `| ${Array.from({ length: width }, (_, index) => line[index] ?? "").join(" | ")} |`;
  const [first = [], ...rest] = lines;
  const head = headed ? first : [];
  const body = headed ? rest : lines;
  return [pad(head), `|${" --- |".repeat(width)}`, ...body.map(pad)].join("\n");
}

function quote(text: string, depth: number): string {
  return text.replace(/^/gm, `${">".repeat(depth)} `);
}
