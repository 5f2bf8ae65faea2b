import { headingLevelOf, type PageElement } from "./page-tree.ts";
import type { TextBlock } from "./text-block.ts";

/** What a block is in the structure of the text; decides its line breaks and its Markdown. */
export interface BlockRole {
  readonly kind: "heading" | "item" | "cell" | "code" | "paragraph" | "term" | "definition";
  /** 1 to 6 for a heading. */
  readonly level: number;
  /** The list item, and how deep its list is nested. */
  readonly item: PageElement | undefined;
  readonly listDepth: number;
  /** The number of an item of an ordered list; 0 in an unordered one. */
  readonly itemNumber: number;
  readonly quoteDepth: number;
  readonly row: PageElement | undefined;
  readonly cell: PageElement | undefined;
  readonly table: PageElement | undefined;
  readonly language: string;
}

const MAX_CLIMB = 400;

/** Finds the role of a block by the elements around it. */
export function readRole(block: TextBlock): BlockRole {
  let kind: BlockRole["kind"] = block.preformatted ? "code" : "paragraph";
  let level = 0;
  let item: PageElement | undefined;
  let listDepth = 0;
  let itemNumber = 0;
  let quoteDepth = 0;
  let row: PageElement | undefined;
  let cell: PageElement | undefined;
  let table: PageElement | undefined;
  let language = "";
  let element: PageElement | undefined = block.container.element;
  for (let climb = 0; element !== undefined && climb < MAX_CLIMB; climb += 1, element = element.parent) {
    const { tag, attributes } = element;
    const headingLevel = headingLevelOf(tag);
    if (headingLevel > 0 && level === 0 && kind !== "code") {
      kind = "heading";
      level = headingLevel;
    } else if (attributes["role"] === "heading" && level === 0 && kind === "paragraph") {
      kind = "heading";
      level = Math.min(6, Math.max(1, Number(attributes["aria-level"]) || 2));
    } else if (tag === "li" && table === undefined) {
      if (item === undefined) {
        item = element;
        if (kind === "paragraph") kind = "item";
        itemNumber = numberOf(element);
      }
      listDepth += 1;
    } else if (tag === "blockquote" && table === undefined) quoteDepth += 1;
    else if ((tag === "td" || tag === "th") && cell === undefined) cell = element;
    else if (tag === "tr" && cell !== undefined && row === undefined) row = element;
    else if (tag === "table" && row !== undefined && table === undefined && isDataTable(element)) table = element;
    else if (tag === "dt" && kind === "paragraph") kind = "term";
    else if (tag === "dd" && kind === "paragraph") kind = "definition";
    if (kind === "code" && language === "" && climb < 4) language = languageOf(element);
  }
  if (kind === "code" && language === "") language = languageInside(block);
  if (table !== undefined && kind !== "code") kind = "cell";
  return { kind, level, item, listDepth, itemNumber, quoteDepth, row, cell, table, language };
}

const itemNumbers = new WeakMap<PageElement, number>();

/** The number of an item; all items of its list are counted at once, since counting for each would be quadratic. */
function numberOf(item: PageElement): number {
  const list = item.parent;
  if (list?.tag !== "ol") return 0;
  const known = itemNumbers.get(item);
  if (known !== undefined) return known;
  const start = Number(list.attributes["start"] ?? "1");
  let number = Number.isInteger(start) ? start : 1;
  for (const child of list.children) {
    if (child.kind !== "element" || child.tag !== "li") continue;
    itemNumbers.set(child, number);
    number += 1;
  }
  return itemNumbers.get(item) ?? number;
}

const dataTables = new WeakMap<PageElement, boolean>();

/** A table with columns and short cells holds data; one with a single cell a row, or tables in it, lays out the page. */
function isDataTable(table: PageElement): boolean {
  const known = dataTables.get(table);
  if (known !== undefined) return known;
  let cells = 0;
  let rows = 0;
  let inner = 0;
  let nodes = 0;
  const queue: PageElement[] = [table];
  for (let element = queue.pop(); element !== undefined && nodes < 20_000; element = queue.pop()) {
    for (const child of element.children) {
      nodes += 1;
      if (child.kind === "text") continue;
      if (child.tag === "tr") rows += 1;
      else if (child.tag === "td" || child.tag === "th") cells += 1;
      else if (child.tag === "table" || child.tag === "article" || child.tag === "p")
        inner += child.tag === "p" ? 0.25 : 1;
      queue.push(child);
    }
  }
  const result = rows > 1 && cells > rows && inner <= cells * 0.25 && table.attributes["role"] !== "presentation";
  dataTables.set(table, result);
  return result;
}

function languageOf({ attributes }: PageElement): string {
  const named = attributes["data-lang"] ?? attributes["data-language"];
  if (named !== undefined) return cleanLanguage(named);
  const match = /\b(?:language|lang|highlight-source|highlight|brush:)[-: ]?\s*([a-z0-9+#]+)/i.exec(
    attributes["class"] ?? "",
  );
  return match === null ? "" : cleanLanguage(match[1] ?? "");
}

/** The language that the `<code>` inside a `<pre>` names. */
function languageInside(block: TextBlock): string {
  let element = block.nodes[0]?.parent;
  for (let climb = 0; element !== undefined && element !== block.container.element && climb < 8; climb += 1) {
    const language = languageOf(element);
    if (language !== "") return language;
    element = element.parent;
  }
  return "";
}

function cleanLanguage(name: string): string {
  const cleaned = name.toLowerCase().replace(/[^a-z0-9+#-]/g, "");
  return /^(?:none|text|plain|default|auto|source|true)$/.test(cleaned) ? "" : cleaned;
}
