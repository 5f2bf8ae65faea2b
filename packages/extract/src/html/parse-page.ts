import { decodeHTMLAttribute } from "entities";
import type { ExtractLimits } from "../limits.ts";
import type { PageElement, PageNode } from "./page-tree.ts";
import { isMathScript } from "./read-formula.ts";
import { scanHtml, type HtmlEvents } from "./scan-html.ts";

/** How a page is written. */
export type PageSyntax = "html" | "xhtml" | "xml";

/** A parsed page. */
export interface ParsedPage {
  readonly root: PageElement;
  readonly limitsReached: readonly string[];
}

interface OpenElement {
  readonly kind: "element";
  readonly parent: OpenElement | undefined;
  readonly tag: string;
  attributes: Record<string, string>;
  children: PageNode[];
  readonly start: number;
  end: number;
}

const NO_ATTRIBUTES: Record<string, string> = Object.freeze({});
const NO_CHILDREN: PageNode[] = [];

/** The attributes that extraction reads. */
const KEPT_ATTRIBUTES: readonly string[] = (
  "alt alttext aria-hidden aria-label aria-level charset class colspan content data data-lang data-language data-math " +
  "data-src datetime dir display encoding " +
  "headers hidden href hreflang http-equiv id itemid itemprop itemref itemscope itemtype lang media name open property " +
  "rel role rowspan shadowrootmode sizes src srcset start style title type value xml:lang"
).split(" ");
const MAX_ATTRIBUTE_NAME_CHARS = 16;

/** The same by length and first letter: most names of a page are none of them, and are passed over unread. */
const KEPT_BY_SHAPE: readonly (readonly string[] | undefined)[] = Array.from(
  { length: (MAX_ATTRIBUTE_NAME_CHARS + 1) * 32 },
  (_, shape) => {
    const names = KEPT_ATTRIBUTES.filter((name) => shapeOf(name.length, name.charCodeAt(0)) === shape);
    return names.length === 0 ? undefined : names;
  },
);

const VOID_TAGS: ReadonlySet<string> = new Set(
  "area base basefont br col command embed frame hr img input isindex keygen link meta param source track wbr".split(
    " ",
  ),
);

/** Elements whose content is text; in foreign content (svg) none is. */
const RAW_TAGS: ReadonlySet<string> = new Set(
  "script style title textarea iframe noembed noframes xmp plaintext".split(" "),
);

const CLOSES_P =
  "address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr main menu nav ol p pre section table ul";

/** Start tags that end an open element of these names at the top of the stack (HTML's optional end tags). */
const IMPLIES_END: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ...CLOSES_P.split(" ").map((tag): [string, ReadonlySet<string>] => [tag, new Set(["p"])]),
  ["li", new Set(["li", "p"])],
  ["dt", new Set(["dd", "dt", "p"])],
  ["dd", new Set(["dd", "dt", "p"])],
  ["tr", new Set(["tr", "td", "th", "p"])],
  ["td", new Set(["td", "th", "p"])],
  ["th", new Set(["td", "th", "p"])],
  ["tbody", new Set(["thead", "tbody", "tr", "td", "th"])],
  ["tfoot", new Set(["thead", "tbody", "tr", "td", "th"])],
  ["option", new Set(["option"])],
  ["optgroup", new Set(["option", "optgroup"])],
  ["body", new Set(["head"])],
  ["a", new Set(["a"])],
  ["button", new Set(["button"])],
  ["rt", new Set(["rt", "rp"])],
  ["rp", new Set(["rt", "rp"])],
]);

/** An end tag of something inside a cell must not close the table around it. */
const SCOPE_TAGS: ReadonlySet<string> = new Set(["table", "td", "th", "template"]);
const TABLE_TAGS: ReadonlySet<string> = new Set(["table", "tbody", "thead", "tfoot", "tr", "td", "th", "body", "html"]);

/**
 * Parses HTML into a light tree with source positions, however broken it is.
 * It never throws; time and memory are linear in the source up to the limits. As `xml` (the parts of office files and
 * books) every element may close itself and none is closed by another's start; as `xhtml` any element may close itself,
 * and all else is as in HTML.
 */
export function parsePage(source: string, limits: ExtractLimits, syntax: PageSyntax = "html"): ParsedPage {
  const isXml = syntax === "xml";
  const limitsReached = new Set<string>();
  let html = source;
  if (html.length > limits.maxSourceChars) {
    html = html.slice(0, limits.maxSourceChars);
    limitsReached.add("maxSourceChars");
  }
  const root: OpenElement = openElement(undefined, "#root", 0);
  const stack: OpenElement[] = [root];
  let top = root;
  let nodeCount = 0;
  let overDepth = 0;
  let pending = root;
  let attributeName = "";
  let foreignDepth = 0;
  let preDepth = 0;

  const countNode = (): void => {
    nodeCount += 1;
    if (nodeCount > limits.maxNodes) limitsReached.add("maxNodes");
  };
  const addText = (data: string, start: number, end: number): void => {
    if (top.tag === "style" || (top.tag === "script" && !isDataScript(top))) return;
    countNode();
    if (nodeCount > limits.maxNodes) return;
    addChild(top, { kind: "text", parent: top, data, start, end });
  };
  /**
   * Text in which line breaks count: CRLF and CR are LF, as the standard has it. It is cut after the CR of each CRLF, which
   * stands in none of the pieces, so that every piece is the source character for character.
   */
  const addLines = (start: number, end: number): void => {
    let from = start;
    for (const piece of html.slice(start, end).split("\r\n")) {
      // all but the first begin with the LF
      const begin = from === start ? from : from - 1;
      if (piece !== "" || begin < from)
        addText(html.slice(begin, from + piece.length).replaceAll("\r", "\n"), begin, from + piece.length);
      from += piece.length + 2;
    }
  };
  const pop = (end: number): void => {
    if (stack.length === 1) return;
    top.end = end;
    if (top.tag === "svg" || top.tag === "math") foreignDepth -= 1;
    if (top.tag === "pre") preDepth -= 1;
    stack.pop();
    top = stack[stack.length - 1] ?? root;
  };
  const events: HtmlEvents = {
    text: (start, end) => {
      // in code a <div> with a break alone is an empty line
      const isBreak = preDepth > 0 && top.children.length === 0;
      if (!isBreak && isGap(html, start, end) && isBetweenBlocks(top)) return;
      if (preDepth === 0) addText(html.slice(start, end), start, end);
      else addLines(start, end);
    },
    entity: addText,
    startTagName: (start, end) => {
      const tagStart = start - 1;
      attributeName = "";
      const name = internTag(html.slice(start, end));
      const closes = isXml ? undefined : IMPLIES_END.get(name);
      if (closes !== undefined) while (closes.has(top.tag)) pop(tagStart);
      pending = openElement(top, name === "image" ? "img" : name, tagStart);
    },
    attributeName: (start, end) => {
      if (attributeName !== "") addAttribute(pending, attributeName, "");
      attributeName = keptName(html, start, end);
    },
    attributeValue: (start, end, isPlain) => {
      if (attributeName === "") return;
      const value = html.slice(start, end);
      addAttribute(pending, attributeName, isPlain ? value : decodeHTMLAttribute(value));
      attributeName = "";
    },
    startTagEnd: (end, selfClosing) => {
      const element = pending;
      if (attributeName !== "") addAttribute(element, attributeName, "");
      attributeName = "";
      element.end = end;
      addChild(top, element);
      countNode();
      if (selfClosing && (syntax !== "html" || foreignDepth > 0)) return undefined;
      if (!isXml && VOID_TAGS.has(element.tag)) return undefined;
      const raw = foreignDepth === 0 && RAW_TAGS.has(element.tag) ? element.tag : undefined;
      if (stack.length >= limits.maxDepth) {
        limitsReached.add("maxDepth");
        overDepth += 1;
        return raw;
      }
      if (element.tag === "svg" || element.tag === "math") foreignDepth += 1;
      if (element.tag === "pre") preDepth += 1;
      stack.push(element);
      top = element;
      return raw;
    },
    endTag: (start, end) => {
      if (overDepth > 0) {
        overDepth -= 1;
        return;
      }
      const position = findOpen(stack, internTag(html.slice(start, end)));
      if (position > 0) while (stack.length > position) pop(end + 1);
    },
    goesOn: () => nodeCount <= limits.maxNodes,
  };
  scanHtml(html, events, syntax !== "html");
  while (stack.length > 1) pop(html.length);
  root.end = html.length;
  return { root, limitsReached: [...limitsReached] };
}

function shapeOf(length: number, code: number): number {
  return length * 32 + (code & 31);
}

/** The one copy of a kept attribute's name that all elements share; empty for an attribute that nobody reads. */
function keptName(html: string, start: number, end: number): string {
  const length = end - start;
  if (length > MAX_ATTRIBUTE_NAME_CHARS) return "";
  const names = KEPT_BY_SHAPE[shapeOf(length, html.charCodeAt(start))];
  if (names === undefined) return "";
  for (const name of names) if (isNamed(html, start, name)) return name;
  return "";
}

/** Whether a name stands at a place of the source, in letters of either size. */
function isNamed(html: string, start: number, name: string): boolean {
  for (let index = 0; index < name.length; index += 1) {
    const code = html.charCodeAt(start + index);
    const lower = code >= 65 && code <= 90 ? code + 32 : code;
    if (lower !== name.charCodeAt(index)) return false;
  }
  return true;
}

/** A list that grows by push has room for many more: most elements have a child or two, and a page many elements. */
function addChild(parent: OpenElement, child: PageNode): void {
  const { children } = parent;
  const first = children[0];
  if (first === undefined) parent.children = [child];
  else if (children.length === 1) parent.children = [first, child];
  else children.push(child);
}

/** The first of two attributes with one name counts. */
function addAttribute(element: OpenElement, name: string, value: string): void {
  // begun empty: the engine leaves room for four in it, and makes a record with a computed name the slow way
  if (element.attributes === NO_ATTRIBUTES) element.attributes = {};
  const { attributes } = element;
  // by their own names: the engine remembers where those go
  if (name === "class") attributes["class"] ??= value;
  else if (name === "href") attributes["href"] ??= value;
  else if (name === "id") attributes["id"] ??= value;
  else if (name === "style") attributes["style"] ??= value;
  else if (name === "src") attributes["src"] ??= value;
  else attributes[name] ??= value;
}

const tagNames = new Map<string, string>();
const MAX_TAG_NAMES = 1_000;
/** The engine cuts longer strings as views of their source: keeping one would keep the whole page. */
const MAX_KEPT_NAME_CHARS = 12;

/** Lower case, with one copy of each usual name. */
function internTag(name: string): string {
  const known = tagNames.get(name);
  if (known !== undefined) return known;
  const lower = name.toLowerCase();
  if (tagNames.size < MAX_TAG_NAMES && name.length <= MAX_KEPT_NAME_CHARS) tagNames.set(name, lower);
  return lower;
}

/** Elements after which, and in which, white space shows nothing: half of all text pieces are of this kind. */
const BLOCK_TAGS: ReadonlySet<string> = new Set(
  `${CLOSES_P} html head body li dt dd tr td th tbody thead tfoot caption colgroup script style link meta noscript template select option #root`.split(
    " ",
  ),
);
const HOLDS_BLOCKS: ReadonlySet<string> = new Set(
  "html head body div section article main aside nav header footer ul ol dl table tbody thead tfoot tr form fieldset figure #root".split(
    " ",
  ),
);

function isGap(html: string, start: number, end: number): boolean {
  for (let index = start; index < end; index += 1) {
    const code = html.charCodeAt(index);
    if (code !== 32 && code !== 10 && code !== 9 && code !== 13) return false;
  }
  return true;
}

function isBetweenBlocks(parent: OpenElement): boolean {
  if (!HOLDS_BLOCKS.has(parent.tag)) return false;
  const before = parent.children[parent.children.length - 1];
  return before === undefined || (before.kind === "element" && BLOCK_TAGS.has(before.tag));
}

function openElement(parent: OpenElement | undefined, tag: string, start: number): OpenElement {
  return { kind: "element", parent, tag, attributes: NO_ATTRIBUTES, children: NO_CHILDREN, start, end: start };
}

function isDataScript(script: OpenElement): boolean {
  const type = script.attributes["type"] ?? "";
  return type.includes("json") || isMathScript(type);
}

/** The place on the stack of the element an end tag closes; -1 when it closes nothing. */
function findOpen(stack: readonly OpenElement[], name: string): number {
  for (let index = stack.length - 1; index > 0; index -= 1) {
    const tag = stack[index]?.tag ?? "";
    if (tag === name) return index;
    if (SCOPE_TAGS.has(tag) && !TABLE_TAGS.has(name)) return -1;
  }
  return -1;
}
