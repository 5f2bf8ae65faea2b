/** A piece of text: decoded, with the range of the source it stands for. */
export interface PageText {
  readonly kind: "text";
  readonly parent: PageElement;
  readonly data: string;
  readonly start: number;
  readonly end: number;
}

/** An element of the light tree; `end` is one past its end tag, or where its parent closed it. */
export interface PageElement {
  readonly kind: "element";
  readonly parent: PageElement | undefined;
  readonly tag: string;
  /** Only the attributes that extraction reads. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly PageNode[];
  readonly start: number;
  readonly end: number;
}

/** A node of the light tree. */
export type PageNode = PageElement | PageText;

/** 1 to 6 for a heading's tag, 0 for any other; asked of every element above every block, so it is no pattern. */
export function headingLevelOf(tag: string): number {
  if (tag.length !== 2 || tag.charCodeAt(0) !== 104) return 0;
  const level = tag.charCodeAt(1) - 48;
  return level >= 1 && level <= 6 ? level : 0;
}

/** Visits a subtree in document order, without recursion; `enter` returns false to skip what is below. */
export function walkTree(
  root: PageElement,
  enter: (node: PageNode) => boolean,
  leave?: (element: PageElement) => void,
): void {
  const elements: PageElement[] = [];
  const positions: number[] = [];
  if (!enter(root)) return;
  elements.push(root);
  positions.push(0);
  while (elements.length > 0) {
    const last = elements.length - 1;
    const element = elements[last];
    const position = positions[last] ?? 0;
    if (element === undefined) return;
    const child = element.children[position];
    if (child === undefined) {
      elements.pop();
      positions.pop();
      leave?.(element);
      continue;
    }
    positions[last] = position + 1;
    if (enter(child) && child.kind === "element") {
      elements.push(child);
      positions.push(0);
    }
  }
}

/** The text of a subtree with white space collapsed, cut at `maxChars`. */
export function textOf(root: PageElement, maxChars = 10_000): string {
  const only = root.children[0];
  if (root.children.length === 1 && only?.kind === "text") return collapseSpaces(only.data).slice(0, maxChars);
  const parts: string[] = [];
  let length = 0;
  walkTree(root, (node) => {
    if (length > maxChars) return false;
    if (node.kind === "element") {
      if (node.tag === "br" || node.tag === "p" || node.tag === "div" || node.tag === "li") parts.push(" ");
      return node.tag !== "script" && node.tag !== "style";
    }
    parts.push(node.data);
    length += node.data.length;
    return true;
  });
  return collapseSpaces(parts.join("")).slice(0, maxChars);
}

/**
 * White space other than one blank: the blanks between words, which are most of it, can stay where they are. Long runs
 * match in parts: a pattern remembers each character it may give back, and of millions it has no room for that.
 */
const UNEVEN_SPACE = /\s{2,4096}|[^\S ]/g;

/** White space runs become one space, at the ends too. */
export function evenSpaces(text: string): string {
  const even = text.replace(UNEVEN_SPACE, " ");
  return even.includes("  ") ? evenSpaces(even) : even;
}

/** White space runs become one space; none is left at the ends. */
export function collapseSpaces(text: string): string {
  if (isCollapsed(text)) return text;
  // most texts are uneven at their ends only, and cutting makes no copy
  const inner = text.trim();
  return isCollapsed(inner) ? inner : evenSpaces(inner);
}

/** Whether a text is sure to have no white space but single spaces between its words; a look is cheaper than a rewrite. */
function isCollapsed(text: string): boolean {
  let afterSpace = true;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 32) {
      if (afterSpace) return false;
      afterSpace = true;
    } else {
      if (code < 14 || (code >= 160 && !isLetterCode(code))) return false;
      afterSpace = false;
    }
  }
  return !afterSpace || text === "";
}

/** Accented Latin, Greek, Cyrillic and the like, among which there is no white space. */
function isLetterCode(code: number): boolean {
  return code > 160 && code < 0x1680;
}
