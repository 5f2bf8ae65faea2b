import type { BlockRole } from "./block-role.ts";
import { definitionLabel, findFootnotes, type Footnotes } from "./footnotes.ts";
import { writeTable } from "./write-table.ts";
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
    // a note's number may stand in an element of its own, before the text
    if (note !== undefined && isLabelOnly(one.block.text, note) && followsIn(kept[index + 1], note, footnotes))
      continue;
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
    const fence = fenceFor(code);
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

/** A fence that no line of the code can be taken for. */
function fenceFor(code: string): string {
  if (!code.includes("```")) return "```";
  const longest = Math.max(3, ...(code.match(/~+/g) ?? []).slice(0, 1_000).map((run) => run.length));
  return "~".repeat(longest + 1);
}

/** A note's text often begins with its own number, which Markdown writes by itself. */
function withoutLabel(inline: string, label: string): string {
  const lead = /^(?:\[?\\?\[?([0-9a-z*†‡]{1,3})\\?\]?[.):]?|\[\^([0-9a-z*†‡]{1,3})\])\s+(?=\S)/i.exec(inline);
  return lead !== null && (lead[1] ?? lead[2]) === label ? inline.slice(lead[0].length) : inline;
}

function isLabelOnly(text: string, label: string): boolean {
  return text.length < 8 && text.replace(/[[\]().:\s]/g, "") === label;
}

function followsIn(next: KeptBlock | undefined, label: string, footnotes: Footnotes): boolean {
  return next !== undefined && next.role.table === undefined && definitionLabel(next, footnotes) === label;
}

function quote(text: string, depth: number): string {
  return text.replace(/^/gm, `${">".repeat(depth)} `);
}
