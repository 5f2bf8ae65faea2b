import { outermostList } from "./keep-amid.ts";
import type { PageElement } from "./page-tree.ts";
import type { TextBlock } from "./text-block.ts";
import type { KeptBlock } from "./write-text.ts";

const MIN_ENTRIES = 2;
const MAX_LABEL_CHARS = 40;
/** "Chapter 3. ", "3.2 ", "B. ": how headings are counted, in the list of contents or below. */
const COUNT = /^(?:\p{L}{4,9} )?(?:\d[\d.]{0,9}|[A-Z]\.)\.? +(?=\S)/u;

/** A list and the kept blocks it has, one after the other. */
interface List {
  readonly element: PageElement;
  readonly first: number;
  last: number;
}

/**
 * The kept blocks without the tables of contents that lead to the page's own sections, which it says again: lists of
 * nothing but links to places on the page, most of them called as its headings are, with the line that announces each.
 */
export function dropContents(kept: readonly KeptBlock[]): readonly KeptBlock[] {
  const lists = findLists(kept);
  if (lists.length === 0) return kept;
  const headings = new Set(kept.filter(({ role }) => role.kind === "heading").map(({ block }) => nameOf(block)));
  const dropped = new Set<number>();
  for (const { element, first, last } of lists) {
    const entries = kept.slice(first, last + 1).map(({ block }) => nameOf(block));
    const known = entries.filter((name) => headings.has(name)).length;
    if (entries.length < MIN_ENTRIES || known * 2 < entries.length) continue;
    for (let index = first; index <= last; index += 1) dropped.add(index);
    if (isLabel(kept, first - 1, { element, next: last + 1 })) dropped.add(first - 1);
  }
  return dropped.size === 0 ? kept : kept.filter((_, index) => !dropped.has(index));
}

/** The lists all of whose entries are links to places on the page. */
function findLists(kept: readonly KeptBlock[]): readonly List[] {
  const lists: List[] = [];
  const others = new Set<PageElement>();
  let open: List | undefined;
  kept.forEach(({ block }, index) => {
    const element = outermostList(block.container.element);
    if (element === undefined) return;
    if (!leadsWithin(block)) others.add(element);
    else if (open?.element === element && open.last === index - 1) open.last = index;
    else lists.push((open = { element, first: index, last: index }));
  });
  return lists.filter(({ element }) => !others.has(element));
}

function leadsWithin(block: TextBlock): boolean {
  if (block.linkCount === 0 || block.linkChars < block.text.length * 0.8) return false;
  return block.nodes.every(({ parent }) => {
    for (let at = parent; at !== undefined && at !== block.container.element; at = at.parent)
      if (at.tag === "a") return at.attributes["href"]?.startsWith("#") === true;
    return true;
  });
}

/** Whether a block stands alone with the list in an element, or is a heading with nothing below it but the list. */
function isLabel(
  kept: readonly KeptBlock[],
  index: number,
  { element, next }: { readonly element: PageElement; readonly next: number },
): boolean {
  const label = kept[index];
  if (label === undefined || label.block.text.length > MAX_LABEL_CHARS) return false;
  const { parent } = element;
  if (parent === undefined || label.block.container.element.parent !== parent) return false;
  const after = kept[next];
  if (label.role.kind === "heading" && (after?.role.kind ?? "heading") === "heading")
    return (after?.role.level ?? 0) <= label.role.level;
  const startOf = (one: KeptBlock | undefined): number | undefined => one?.block.container.element.start;
  return (startOf(kept[index - 1]) ?? -1) < parent.start && (startOf(after) ?? parent.end) >= parent.end;
}

function nameOf({ text }: TextBlock): string {
  return text.replace(COUNT, "").toLowerCase();
}
