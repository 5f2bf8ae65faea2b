import { makeTextBuilder, type OffsetMap, type TextBuilder } from "../offset-map.ts";
import type { BlockRole } from "./block-role.ts";
import type { PageNode, PageText } from "./page-tree.ts";
import type { TextBlock } from "./text-block.ts";

/** A kept block with its role. */
export interface KeptBlock {
  readonly block: TextBlock;
  readonly role: BlockRole;
}

/** The main text, where it comes from, and where each kept block begins and ends in it. */
export interface WrittenText {
  readonly text: string;
  readonly offsets: OffsetMap;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  readonly cutShort: boolean;
}

/** Writes the kept blocks as plain text: cells of a row on a line, items on lines of their own, blank lines between. */
export function writeText(kept: readonly KeptBlock[], maxChars: number): WrittenText {
  const builder = makeTextBuilder();
  const starts: number[] = [];
  const ends: number[] = [];
  let previous: KeptBlock | undefined;
  let cutShort = false;
  for (const one of kept) {
    if (builder.length() + one.block.text.length > maxChars) {
      cutShort = true;
      break;
    }
    if (previous !== undefined) builder.insert(separatorOf(previous.role, one.role));
    starts.push(builder.length());
    if (one.block.preformatted) writePreformatted(builder, one.block.nodes);
    else writeCollapsed(builder, one.block.nodes);
    ends.push(builder.length());
    previous = one;
  }
  return { ...builder.finish(), starts, ends, cutShort };
}

function separatorOf(before: BlockRole, after: BlockRole): string {
  if (before.table !== undefined && before.table === after.table) {
    if (before.row !== after.row) return "\n";
    return before.cell === after.cell ? " " : " | ";
  }
  if (before.kind === "item" && after.kind === "item") return "\n";
  if (before.kind === "term" || (before.kind === "definition" && after.kind === "definition")) return "\n";
  return "\n\n";
}

/**
 * White space that is more than the one blank between two words, or stands at an end of its piece. Long runs match in
 * parts: a pattern remembers each character it may give back, and of millions it has no room for that.
 */
const UNEVEN_SPACE = /\s{2,4096}|[^\S ]|^ | $| (?<=\s )/g;

/** Adds text pieces with white space collapsed to single spaces and none at the ends. */
function writeCollapsed(builder: TextBuilder, nodes: readonly PageNode[]): void {
  const first = builder.length();
  let space: { readonly start: number; readonly end: number } | undefined;
  const addWord = (text: string, start: number, length: number): void => {
    if (space !== undefined && builder.length() > first) builder.add(" ", space.start, space.end - space.start);
    space = undefined;
    builder.add(text, start, length);
  };
  const addSpace = (start: number, end: number): void => {
    space = { start: space?.start ?? start, end };
  };
  for (const node of nodes) {
    if (node.kind === "element") {
      if (node.tag === "br") addSpace(node.start, node.end);
      continue;
    }
    if (!isExact(node)) {
      if (node.data.trim() === "") addSpace(node.start, node.end);
      else addWord(node.data, node.start, node.end - node.start);
      continue;
    }
    let at = 0;
    UNEVEN_SPACE.lastIndex = 0;
    for (let match = UNEVEN_SPACE.exec(node.data); match !== null; match = UNEVEN_SPACE.exec(node.data)) {
      if (match.index > at) addWord(node.data.slice(at, match.index), node.start + at, match.index - at);
      at = match.index + match[0].length;
      addSpace(node.start + match.index, node.start + at);
    }
    if (at < node.data.length) addWord(node.data.slice(at), node.start + at, node.data.length - at);
  }
}

/** Adds preformatted text as it is, without the empty first line and the white space at the end. */
function writePreformatted(builder: TextBuilder, nodes: readonly PageNode[]): void {
  const whole = nodes.map((node) => (node.kind === "text" ? node.data : node.tag === "br" ? "\n" : "")).join("");
  const skip = whole.length - whole.replace(/^\s*\n/, "").length;
  const stop = whole.trimEnd().length;
  let at = 0;
  for (const node of nodes) {
    const data = node.kind === "text" ? node.data : node.tag === "br" ? "\n" : "";
    const from = Math.max(0, skip - at);
    const to = Math.min(data.length, stop - at);
    at += data.length;
    if (from >= to) continue;
    if (node.end === node.start) builder.insert(data.slice(from, to));
    else if (node.kind === "text" && isExact(node)) builder.add(data.slice(from, to), node.start + from, to - from);
    else builder.add(data.slice(from, to), node.start, node.end - node.start);
  }
}

/** Whether a piece is the source itself, character for character. */
function isExact(node: PageText): boolean {
  return node.data.length === node.end - node.start;
}
