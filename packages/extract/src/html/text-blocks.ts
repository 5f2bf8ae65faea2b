import type { ExtractLimits } from "../limits.ts";
import { HINT_GROUPS, readHints } from "./class-hints.ts";
import type { PageElement, PageNode } from "./page-tree.ts";
import { isFormula, isMathScript } from "./read-formula.ts";
import { readPhrases } from "./text-shape.ts";

/** Element names whose distance above a block tells something; see `Container.distances`. */
export const LANDMARK_TAGS = [
  "nav",
  "header",
  "footer",
  "aside",
  "main",
  "article",
  "section",
  "form",
  "table",
  "list",
  "dl",
  "figure",
  "blockquote",
  "details",
  "button",
  "heading",
  "hidden",
  "noscript",
] as const;

/** Further away than this counts as not there. */
export const FAR = 30;

/** A block-level element that holds text, with sums over all that is below it. */
export interface Container {
  readonly element: PageElement;
  readonly parent: Container | undefined;
  readonly depth: number;
  /** The depth of the nearest container of each hint group and landmark, shared with the parent where it is the same. */
  readonly nearest: Int32Array;
  /** The order among its siblings, and how many of them have the same tag and class. */
  readonly twins: { count: number; chars: number; linkChars: number };
  chars: number;
  linkChars: number;
  /** Characters in paragraphs: blocks of some length with few links. */
  paragraphChars: number;
  blockCount: number;
  /** Readability-like points given by the paragraphs close below. */
  points: number;
  headings: number;
}

/** A run of text between two block boundaries: what is kept or dropped as a whole. */
export interface TextBlock {
  readonly index: number;
  readonly container: Container;
  /** Text pieces and line breaks in reading order. */
  readonly nodes: readonly PageNode[];
  /** White space collapsed, except in preformatted text. */
  readonly text: string;
  readonly preformatted: boolean;
  readonly linkChars: number;
  readonly linkCount: number;
  readonly boldChars: number;
  /** The phrase groups its words touch; see `readPhrases`. */
  readonly phrases: number;
}

/** The blocks of a page and the containers they stand in, in document order. */
export interface PageBlocks {
  readonly blocks: readonly TextBlock[];
  readonly containers: readonly Container[];
  readonly limitsReached: readonly string[];
}

const SKIPPED_TAGS: ReadonlySet<string> = new Set(
  "script style template svg iframe object embed canvas video audio select datalist textarea input head map noembed noframes title meta link".split(
    " ",
  ),
);

const INLINE_TAGS: ReadonlySet<string> = new Set(
  (
    "a abbr acronym b bdi bdo big br cite code data del dfn em font i img ins kbd label mark math nobr picture q rb rp rt ruby s samp " +
    "small source span strike strong sub sup time tt u var wbr"
  ).split(" "),
);

const BOLD_TAGS: ReadonlySet<string> = new Set(["b", "strong", "em", "i", "u"]);
const HEADING = /^h[1-6]$/;
const HIDDEN_STYLE = /display\s*:\s*none|visibility\s*:\s*hidden/i;
const WHITE_SPACE = /[\s\u00a0]+/g;
const PARAGRAPH_CHARS = 60;

/** Cuts the page into blocks of text; everything a reader may see is in one, unless a limit is reached. */
export function findBlocks(root: PageElement, limits: ExtractLimits): PageBlocks {
  const blocks: TextBlock[] = [];
  const containers: Container[] = [];
  const hintCache = new Map<string, number>();
  const limitsReached: string[] = [];
  let nodes: PageNode[] = [];
  let rawChars = 0;
  let linkChars = 0;
  let linkCount = 0;
  let boldChars = 0;
  let linkDepth = 0;
  let boldDepth = 0;
  let preDepth = 0;
  let lineBreaks = 0;

  let current = makeContainer(root, undefined, hintCache);
  containers.push(current);

  const flush = (): void => {
    lineBreaks = 0;
    if (nodes.length === 0) return;
    const closed = nodes;
    nodes = [];
    if (rawChars === 0) {
      linkChars = linkCount = boldChars = 0;
      return;
    }
    const preformatted = preDepth > 0;
    const text = joinText(closed, preformatted);
    if (text !== "" && blocks.length < limits.maxBlocks) {
      const scale = Math.min(1, text.length / rawChars);
      blocks.push({
        index: blocks.length,
        container: current,
        nodes: closed,
        text,
        preformatted,
        linkChars: Math.round(linkChars * scale),
        linkCount,
        boldChars: Math.round(boldChars * scale),
        phrases: readPhrases(text),
      });
    } else if (text !== "" && limitsReached.length === 0) limitsReached.push("maxBlocks");
    rawChars = linkChars = linkCount = boldChars = 0;
  };

  const stack: {
    readonly element: PageElement;
    position: number;
    readonly inline: boolean;
    readonly isMath: boolean;
  }[] = [{ element: root, position: 0, inline: false, isMath: false }];
  for (let frame = stack.at(-1); frame !== undefined; frame = stack.at(-1)) {
    const { element } = frame;
    const child = element.children[frame.position];
    frame.position += 1;
    if (child === undefined) {
      stack.pop();
      if (!frame.inline) {
        flush();
        if (element.tag === "pre") preDepth -= 1;
        current = current.parent ?? current;
      } else if (element.tag === "a") linkDepth -= 1;
      else if (BOLD_TAGS.has(element.tag)) boldDepth -= 1;
      continue;
    }
    if (child.kind === "text") {
      nodes.push(child);
      const length = preDepth > 0 ? child.data.length : countVisible(child.data);
      if (length === 0) continue;
      lineBreaks = 0;
      rawChars += length;
      if (linkDepth > 0) linkChars += length;
      if (boldDepth > 0) boldChars += length;
      continue;
    }
    if (isSkipped(child) || isAnchorSign(child)) continue;
    if (child.tag === "br" && preDepth === 0) {
      lineBreaks += 1;
      if (lineBreaks > 1) flush();
      else nodes.push(child);
      continue;
    }
    const inline = frame.isMath || isFormula(child) || (INLINE_TAGS.has(child.tag) && !holdsBlocks(child));
    if (inline) {
      if (child.tag === "a") {
        linkDepth += 1;
        linkCount += 1;
      } else if (BOLD_TAGS.has(child.tag)) boldDepth += 1;
      if (child.tag === "br" || child.tag === "img") nodes.push(child);
    } else {
      flush();
      if (child.tag === "pre") preDepth += 1;
      current = makeContainer(child, current, hintCache);
      containers.push(current);
    }
    stack.push({ element: child, position: 0, inline, isMath: frame.isMath || (inline && isFormula(child)) });
  }
  flush();
  sumContainers(blocks, containers);
  return { blocks, containers, limitsReached };
}

/** The part of the text that a block shows, as one string. */
function joinText(nodes: readonly PageNode[], preformatted: boolean): string {
  let text = "";
  for (const node of nodes) {
    if (node.kind === "text") text += node.data;
    else if (node.tag === "br") text += "\n";
  }
  return preformatted ? text.replace(/^\s*\n|\s+$/g, "") : text.replace(WHITE_SPACE, " ").trim();
}

/** Characters that are not white space, plus single spaces between words: cheap and close enough. */
function countVisible(data: string): number {
  let count = 0;
  let space = true;
  for (let index = 0; index < data.length; index += 1) {
    const code = data.charCodeAt(index);
    if (code === 32 || (code >= 9 && code <= 13) || code === 160) {
      if (!space) count += 1;
      space = true;
    } else {
      count += 1;
      space = false;
    }
  }
  return count;
}

/** A link or span around whole paragraphs (a card) is a container of its own. */
function holdsBlocks(element: PageElement): boolean {
  const queue: PageElement[] = [element];
  for (let visited = 0; visited < 40; visited += 1) {
    const next = queue.pop();
    if (next === undefined) return false;
    for (const child of next.children) {
      if (child.kind === "text" || SKIPPED_TAGS.has(child.tag) || isFormula(child)) continue;
      if (!INLINE_TAGS.has(child.tag)) return true;
      if (child.children.length > 0) queue.push(child);
    }
  }
  return false;
}

function isSkipped(element: PageElement): boolean {
  switch (element.tag) {
    case "template":
      return element.attributes["shadowrootmode"] === undefined;
    case "script":
      return !isMathScript(element.attributes["type"]);
    case "annotation":
    case "annotation-xml":
      return true; // the TeX of a formula whose symbols are read already
    case "span":
      // KaTeX shows a formula twice: once for machines, once for eyes
      return element.attributes["class"] === "katex-html" && element.parent?.children[0] !== element;
    default:
      return SKIPPED_TAGS.has(element.tag);
  }
}

/** The sign by which documentation links a heading to itself, and a note to where it is referred to. */
function isAnchorSign({ tag, children }: PageElement): boolean {
  if (tag !== "a" || children.length !== 1) return false;
  const child = children[0];
  return child?.kind === "text" && /^\s*(?:[#¶§⌗∞↩⤴]|🔗)\ufe0e?\s*$/u.test(child.data);
}

const PLACE_COUNT = HINT_GROUPS.length + LANDMARK_TAGS.length;
const HIDDEN_PLACE = HINT_GROUPS.length + LANDMARK_TAGS.indexOf("hidden");
const NOWHERE = -FAR;

function hintsOf({ attributes, tag }: PageElement, hintCache: Map<string, number>): number {
  const className = attributes["class"] ?? "";
  const id = attributes["id"] ?? "";
  if ((className === "" && id === "") || tag === "body" || tag === "html") return 0;
  const names = `${className} ${id}`;
  let hints = hintCache.get(names);
  if (hints === undefined) hintCache.set(names, (hints = readHints(names)));
  return hints;
}

function makeContainer(element: PageElement, parent: Container | undefined, hintCache: Map<string, number>): Container {
  const depth = parent === undefined ? 0 : parent.depth + 1;
  let nearest = parent?.nearest ?? new Int32Array(PLACE_COUNT).fill(NOWHERE);
  const hints = hintsOf(element, hintCache);
  const landmark = landmarkOf(element);
  const hidden = isHidden(element);
  if (hints !== 0 || landmark >= 0 || hidden) {
    nearest = nearest.slice();
    for (let group = 0, rest = hints; rest !== 0; group += 1, rest >>>= 1) if ((rest & 1) === 1) nearest[group] = depth;
    if (landmark >= 0) nearest[HINT_GROUPS.length + landmark] = depth;
    if (hidden) nearest[HIDDEN_PLACE] = depth;
  }
  return {
    element,
    parent,
    depth,
    nearest,
    twins: { count: 0, chars: 0, linkChars: 0 },
    chars: 0,
    linkChars: 0,
    paragraphChars: 0,
    blockCount: 0,
    points: 0,
    headings: 0,
  };
}

const LANDMARK_OF_TAG: ReadonlyMap<string, number> = new Map([
  ...LANDMARK_TAGS.map((tag, index): [string, number] => [tag, index]),
  ...["ul", "ol", "menu"].map((tag): [string, number] => [tag, LANDMARK_TAGS.indexOf("list")]),
  ...["h1", "h2", "h3", "h4", "h5", "h6"].map((tag): [string, number] => [tag, LANDMARK_TAGS.indexOf("heading")]),
]);

const LANDMARK_OF_ROLE: ReadonlyMap<string, number> = new Map([
  ["navigation", LANDMARK_TAGS.indexOf("nav")],
  ["menu", LANDMARK_TAGS.indexOf("nav")],
  ["menubar", LANDMARK_TAGS.indexOf("nav")],
  ["banner", LANDMARK_TAGS.indexOf("header")],
  ["contentinfo", LANDMARK_TAGS.indexOf("footer")],
  ["complementary", LANDMARK_TAGS.indexOf("aside")],
  ["main", LANDMARK_TAGS.indexOf("main")],
  ["article", LANDMARK_TAGS.indexOf("article")],
  ["form", LANDMARK_TAGS.indexOf("form")],
  ["search", LANDMARK_TAGS.indexOf("form")],
  ["button", LANDMARK_TAGS.indexOf("button")],
]);

function landmarkOf(element: PageElement): number {
  const role = element.attributes["role"];
  const byRole = role === undefined ? undefined : LANDMARK_OF_ROLE.get(role);
  return byRole ?? LANDMARK_OF_TAG.get(element.tag) ?? -1;
}

function isHidden({ attributes }: PageElement): boolean {
  if (attributes["hidden"] !== undefined || attributes["aria-hidden"] === "true") return true;
  const style = attributes["style"];
  return style !== undefined && HIDDEN_STYLE.test(style);
}

/** Adds each block to its containers, and tells each container how many twins it has. */
function sumContainers(blocks: readonly TextBlock[], containers: readonly Container[]): void {
  for (const block of blocks) {
    const { container } = block;
    const chars = block.text.length;
    container.chars += chars;
    container.linkChars += block.linkChars;
    container.blockCount += 1;
    if (HEADING.test(container.element.tag)) container.headings += 1;
    if (chars < PARAGRAPH_CHARS || block.linkChars * 2 > chars) continue;
    container.paragraphChars += chars;
    let points = 1 + Math.min(3, chars / 100) + countCommas(block.text);
    let above = container.parent;
    for (let level = 0; level < 3 && above !== undefined; level += 1) {
      above.points += points;
      points /= 2;
      above = above.parent;
    }
  }
  for (let index = containers.length - 1; index >= 0; index -= 1) {
    const container = containers[index];
    const parent = container?.parent;
    if (container === undefined || parent === undefined) continue;
    parent.chars += container.chars;
    parent.linkChars += container.linkChars;
    parent.paragraphChars += container.paragraphChars;
    parent.blockCount += container.blockCount;
    parent.headings += container.headings;
  }
  const groups = new Map<PageElement, Map<string, Container["twins"]>>();
  for (const container of containers) {
    const above = container.parent?.element;
    if (above === undefined || container.chars === 0) continue;
    let bySignature = groups.get(above);
    if (bySignature === undefined) groups.set(above, (bySignature = new Map<string, Container["twins"]>()));
    const signature = `${container.element.tag}.${firstName(container.element)}`;
    let twins = bySignature.get(signature);
    if (twins === undefined) bySignature.set(signature, (twins = { count: 0, chars: 0, linkChars: 0 }));
    twins.count += 1;
    twins.chars += container.chars;
    twins.linkChars += container.linkChars;
    Object.assign(container, { twins });
  }
}

function firstName(element: PageElement): string {
  const names = element.attributes["class"] ?? "";
  const space = names.indexOf(" ");
  return space > 0 ? names.slice(0, space) : names;
}

function countCommas(text: string): number {
  let count = 0;
  for (let at = text.indexOf(","); at >= 0 && count < 20; at = text.indexOf(",", at + 1)) count += 1;
  return count;
}

/** How far above a container the nearest landmark of this name is; FAR when there is none. */
export function landmarkDistance(container: Container, name: (typeof LANDMARK_TAGS)[number]): number {
  return placeDistance(container, HINT_GROUPS.length + LANDMARK_TAGS.indexOf(name));
}

/** The same by place: hint groups come first, then landmarks, each in the order of its list. */
export function placeDistance({ depth, nearest }: Container, place: number): number {
  return Math.min(FAR, depth - (nearest[place] ?? NOWHERE));
}
