import { walkTree, type PageElement, type PageNode } from "./page-tree.ts";
import { isHidden } from "./is-hidden.ts";
import { isAnchorSign, isInlineTag, isSkipped } from "./text-flow.ts";

/** Elements that highlighters put around the lines of a block of code, or beside them. */
const LINE_TAGS: ReadonlySet<string> = new Set("div p ol ul li table tbody thead tr td th".split(" "));
/** Cells of a line stand beside each other. */
const CELL_TAGS: ReadonlySet<string> = new Set(["td", "th"]);

/**
 * The text of a `<pre>` whose lines are elements of their own, with a break between two lines; undefined for one whose
 * lines are plain text, and for one that was never closed and holds the rest of the page.
 */
export function readCodeLines(pre: PageElement): readonly PageNode[] | undefined {
  const wrappers = findWrappers(pre);
  if (wrappers === undefined) return undefined;

  const nodes: PageNode[] = [];
  let isBreakDue = false;
  const endLine = (element: PageElement): void => {
    if (LINE_TAGS.has(element.tag) && !CELL_TAGS.has(element.tag)) isBreakDue = nodes.length > 0;
  };
  walkTree(
    pre,
    (node) => {
      if (node.kind === "element" && node.tag !== "br") {
        if (isSkipped(node) || isAnchorSign(node) || (node !== pre && isHidden(node))) return false;
        endLine(node);
        return true;
      }
      const isBreak = node.kind === "element";
      if (!isBreak && node.data === "") return false;
      // a break between two lines is theirs; one that begins a line is an empty line
      const isBetween = !isBreak && node.data.startsWith("\n") && wrappers.has(lineAround(node, pre));
      if (isBreakDue && !isBetween && !endsLine(nodes.at(-1))) nodes.push(makeBreak(pre, node.start));
      isBreakDue = false;
      nodes.push(node);
      return false;
    },
    endLine,
  );
  return nodes;
}

/** The elements of a block of code that hold its lines; undefined when it has no lines that are elements. */
function findWrappers(pre: PageElement): ReadonlySet<PageElement> | undefined {
  const wrappers = new Set<PageElement>([pre]);
  const open: PageElement[] = [];
  const found = { lines: false, others: false };
  walkTree(
    pre,
    (node) => {
      if (node.kind === "text" || isSkipped(node)) return false;
      if (LINE_TAGS.has(node.tag)) {
        const around = open.at(-1);
        if (around !== undefined) wrappers.add(around);
        open.push(node);
        found.lines = true;
      } else if (node !== pre && !isInlineTag(node.tag)) found.others = true;
      return !found.others;
    },
    (element) => {
      if (LINE_TAGS.has(element.tag)) open.pop();
    },
  );
  return found.lines && !found.others ? wrappers : undefined;
}

/** The nearest element around a piece of code that is a line or holds lines. */
function lineAround(node: PageNode, pre: PageElement): PageElement {
  let at = node.parent ?? pre;
  while (at !== pre && !LINE_TAGS.has(at.tag)) at = at.parent ?? pre;
  return at;
}

function endsLine(node: PageNode | undefined): boolean {
  return node?.kind === "element" || node?.data.endsWith("\n") === true;
}

function makeBreak(parent: PageElement, place: number): PageElement {
  return { kind: "element", parent, tag: "br", attributes: {}, children: [], start: place, end: place };
}

/** Whether a preformatted text is the numbers that a highlighter sets beside the lines of the code, and nothing else. */
export function isLineNumbers(text: string, element: PageElement): boolean {
  const lines = text.trim().split("\n");
  const first = Number(lines[0]);
  if (lines.length < 2) return false;
  if (!lines.every((line, index) => /^\s*\d{1,6}\s*$/.test(line) && Number(line) === first + index)) return false;
  let at: PageElement | undefined = element;
  for (let climb = 0; at !== undefined && climb < MAX_CLIMB; climb += 1, at = at.parent) {
    if (GUTTER_NAME.test(at.attributes["class"] ?? "")) return true;
    if (isBesideCode(at, lines.length)) return true;
  }
  return false;
}

/** How far above the numbers their cell or column may be. */
const MAX_CLIMB = 4;
/** Names of the numbers alone. */
const GUTTER_NAME = /(?:^|[\s_-])(?:gutter|linenos?|lnt)(?![a-z])/i;
/** A name of the numbers, and of code that has them. */
const NUMBERS_NAME = /line-?numbers?/i;
/** Between two cells may stand white space. */
const MAX_NODES_ASIDE = 4;

/** Whether an element is the first of two, of which the other holds code of as many lines. */
function isBesideCode(element: PageElement, lineCount: number): boolean {
  const { tag, attributes, parent } = element;
  if (!CELL_TAGS.has(tag) && !NUMBERS_NAME.test(attributes["class"] ?? "")) return false;
  const nodes = (parent?.children ?? []).slice(0, MAX_NODES_ASIDE);
  const [first, second] = nodes.filter((node) => node.kind === "element");
  return first === element && second !== undefined && Math.abs(countCodeLines(second) - lineCount) <= 1;
}

const codeLineCounts = new WeakMap<PageElement, number>();

/** The lines of the code in an element, counted once however many numbers stand beside it; none without code. */
function countCodeLines(element: PageElement): number {
  const known = codeLineCounts.get(element);
  if (known !== undefined) return known;
  let code: PageElement | undefined;
  walkTree(element, (node) => {
    if (node.kind === "element" && (node.tag === "pre" || node.tag === "code")) code ??= node;
    return code === undefined;
  });
  const count = code === undefined ? 0 : rawText(code).replace(/^\n/, "").replace(/\n$/, "").split("\n").length;
  codeLineCounts.set(element, count);
  return count;
}

function rawText(code: PageElement): string {
  const parts: string[] = [];
  const add = (node: PageNode): boolean => {
    if (node.kind === "text") parts.push(node.data);
    else if (node.tag === "br") parts.push("\n");
    return true;
  };
  const lines = readCodeLines(code);
  if (lines === undefined) walkTree(code, add);
  else lines.forEach(add);
  return parts.join("");
}
