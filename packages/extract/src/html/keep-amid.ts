import { readRole } from "./block-role.ts";
import { HINT_GROUPS } from "./class-hints.ts";
import { FAR, landmarkDistance, placeDistance, type Container } from "./container.ts";
import type { PageKind } from "./page-kind-names.ts";
import type { PageElement } from "./page-tree.ts";
import type { TextBlock } from "./text-block.ts";

/** A data table, a block of code or a list: its blocks, one after the other. */
interface Whole {
  readonly element: PageElement;
  readonly kind: "table" | "code" | "list";
  readonly first: number;
  last: number;
  chars: number;
  linkChars: number;
}

/** How far above a table its figure, its scrolling box and the like may lie. */
const MAX_WRAPPERS = 3;
const MAX_LINK_SHARE = { table: 0.6, code: 1, list: 0.3 };
const ASIDE_TAGS = ["nav", "aside", "footer", "form", "header", "button"] as const;
const ASIDE_HINTS = (
  [
    "comment",
    "navigation",
    "footer",
    "sidebar",
    "social",
    "promotion",
    "related",
    "filter",
    "dialog",
    "author",
  ] as const
).map((name) => HINT_GROUPS.indexOf(name));

/**
 * The selection, with the tables, code and lists that stand amid selected text: their short texts look like little, and a
 * reader of the text misses them all the same. A list must have text on both sides, as what follows a text is often a
 * list of other pages. On pages of many parts, such as a shop's, tables and lists between two texts are their own bet.
 */
export function keepAmid(
  blocks: readonly TextBlock[],
  selected: readonly boolean[],
  kind: PageKind,
): readonly boolean[] {
  const hasOneText = kind === "article" || kind === "documentation";
  const kept = [...selected];
  const neighbours = findNeighbours(selected);
  for (const whole of findWholes(blocks)) {
    if (!hasOneText && whole.kind !== "code") continue;
    if (whole.linkChars > whole.chars * MAX_LINK_SHARE[whole.kind]) continue;
    if (isAmid(blocks, neighbours, whole)) kept.fill(true, whole.first, whole.last + 1);
  }
  return kept;
}

function findWholes(blocks: readonly TextBlock[]): readonly Whole[] {
  const wholes: Whole[] = [];
  let open: Whole | undefined;
  blocks.forEach((block, index) => {
    const found = wholeOf(block);
    if (found === undefined) return;
    if (open?.element !== found.element || open.last !== index - 1) {
      open = { ...found, first: index, last: index, chars: 0, linkChars: 0 };
      wholes.push(open);
    }
    open.last = index;
    open.chars += block.text.length;
    open.linkChars += block.linkChars;
  });
  return wholes;
}

function wholeOf(block: TextBlock): Pick<Whole, "element" | "kind"> | undefined {
  const { container } = block;
  if (landmarkDistance(container, "table") < FAR) {
    const { table } = readRole(block);
    if (table !== undefined) return { element: table, kind: "table" };
  }
  if (landmarkDistance(container, "list") < FAR || landmarkDistance(container, "dl") < FAR) {
    const list = outermostList(container.element);
    if (list !== undefined) return { element: list, kind: "list" };
  }
  return block.preformatted ? { element: container.element, kind: "code" } : undefined;
}

const LIST_TAGS: ReadonlySet<string> = new Set(["ul", "ol", "dl"]);
const LIST_PARTS: ReadonlySet<string> = new Set(["li", "dt", "dd", "div", "p", "pre", "span", "a", ...LIST_TAGS]);

/** The list around an element, with all lists it is in; undefined when something else lies between. */
export function outermostList(element: PageElement): PageElement | undefined {
  let list: PageElement | undefined;
  for (let at: PageElement | undefined = element; at !== undefined && LIST_PARTS.has(at.tag); at = at.parent)
    if (LIST_TAGS.has(at.tag)) list = at;
  return list;
}

/** For each block the nearest selected ones. */
interface Neighbours {
  readonly before: readonly (number | undefined)[];
  readonly after: readonly (number | undefined)[];
}

/** All at once: looking from each table would read a page of tables as often as it has them. */
function findNeighbours(selected: readonly boolean[]): Neighbours {
  const before: (number | undefined)[] = [];
  const after = selected.map((): number | undefined => undefined);
  let near: number | undefined;
  selected.forEach((isSelected, index) => {
    before.push(near);
    if (isSelected) near = index;
  });
  near = undefined;
  for (let index = selected.length - 1; index >= 0; index -= 1) {
    after[index] = near;
    if (selected[index] === true) near = index;
  }
  return { before, after };
}

/** Whether an element close around the whole also holds selected text before it and, unless it is no list, after it. */
function isAmid(blocks: readonly TextBlock[], neighbours: Neighbours, whole: Whole): boolean {
  const { first, last, element, kind } = whole;
  const before = neighbours.before[first];
  const after = neighbours.after[last];
  if (before === undefined && after === undefined) return false;
  const holds = (around: PageElement, index: number | undefined): boolean => {
    const start = index === undefined ? undefined : blocks[index]?.container.element.start;
    return start !== undefined && start >= around.start && start < around.end;
  };
  let around = element.parent;
  for (let climb = 0; around !== undefined && climb <= MAX_WRAPPERS; climb += 1, around = around.parent) {
    const isBefore = holds(around, before);
    const isAfter = holds(around, after);
    if (!isBefore && !isAfter) continue;
    if (kind === "list" ? !isBefore || !isAfter : !isBefore) return false;
    const container = blocks[first]?.container;
    return container !== undefined && !isAside(container, around);
  }
  return false;
}

/** Whether something between a block and the element around it says that it is no part of the text. */
function isAside(container: Container, around: PageElement): boolean {
  let levels = 0;
  for (let at: Container | undefined = container; at !== undefined && at.element !== around; at = at.parent)
    levels += 1;
  return (
    ASIDE_TAGS.some((name) => landmarkDistance(container, name) < levels) ||
    ASIDE_HINTS.some((place) => placeDistance(container, place) < levels)
  );
}
