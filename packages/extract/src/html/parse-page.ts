import { Tokenizer, type TokenizerCallbacks } from "htmlparser2";
import type { ExtractLimits } from "../limits.ts";
import type { PageElement, PageNode } from "./page-tree.ts";

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
  readonly children: PageNode[];
  readonly start: number;
  end: number;
}

const NO_ATTRIBUTES: Record<string, string> = Object.freeze({});

/** By name, to the one copy of the name that all elements share. */
const KEPT_ATTRIBUTES: ReadonlyMap<string, string> = new Map(
  (
    "alt aria-hidden aria-label aria-level charset class colspan content data-lang data-language data-src datetime dir " +
    "headers hidden href hreflang http-equiv id itemid itemprop itemref itemscope itemtype lang media name open property " +
    "rel role rowspan shadowrootmode sizes src srcset start style title type value xml:lang"
  )
    .split(" ")
    .map((name) => [name, name]),
);
const MAX_ATTRIBUTE_NAME_CHARS = 16;

const VOID_TAGS: ReadonlySet<string> = new Set(
  "area base basefont br col command embed frame hr img input isindex keygen link meta param source track wbr".split(
    " ",
  ),
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
 * books) every element may close itself and none is closed by another's start.
 */
export function parsePage(source: string, limits: ExtractLimits, syntax: "html" | "xml" = "html"): ParsedPage {
  const isXml = syntax === "xml";
  const limitsReached = new Set<string>();
  // in HTML a CDATA section is a comment up to the next ">"; the tokenizer would read on to "]]>"
  let html = source.includes("<![CDATA[") ? source.replaceAll("<![CDATA[", "<!~CDATA~") : source;
  if (html.length > limits.maxSourceChars) {
    html = html.slice(0, limits.maxSourceChars);
    limitsReached.add("maxSourceChars");
  }
  const root: OpenElement = openElement(undefined, "#root", 0);
  const stack: OpenElement[] = [root];
  let top = root;
  let nodeCount = 0;
  let overDepth = 0;
  let pending: OpenElement | undefined;
  let pendingName = "";
  let attributeName = "";
  let attributeValue = "";
  let foreignDepth = 0;
  /** Where the current tag began; the tokenizer only tells where its name does. */
  let tagStart = 0;

  const countNode = (): void => {
    nodeCount += 1;
    if (nodeCount <= limits.maxNodes) return;
    limitsReached.add("maxNodes");
    tokenizer.pause();
  };
  const addText = (data: string, start: number, end: number): void => {
    if (top.tag === "style" || (top.tag === "script" && !isDataScript(top))) return;
    countNode();
    top.children.push({ kind: "text", parent: top, data, start, end });
  };
  const pop = (end: number): void => {
    if (stack.length === 1) return;
    top.end = end;
    if (top.tag === "svg" || top.tag === "math") foreignDepth -= 1;
    stack.pop();
    top = stack[stack.length - 1] ?? root;
  };
  const finishStartTag = (end: number, selfClosing: boolean): void => {
    const element = pending;
    pending = undefined;
    if (element === undefined) return;
    element.end = end + 1;
    top.children.push(element);
    countNode();
    if (selfClosing && (isXml || foreignDepth > 0)) return;
    if (!isXml && VOID_TAGS.has(element.tag)) return;
    if (stack.length >= limits.maxDepth) {
      limitsReached.add("maxDepth");
      overDepth += 1;
      return;
    }
    if (element.tag === "svg" || element.tag === "math") foreignDepth += 1;
    stack.push(element);
    top = element;
  };

  const callbacks: TokenizerCallbacks = {
    ontext: (start, end) => {
      if (start < 0) return; // a page that ends inside a closing tag: there is no text, only the tokenizer's "nowhere"
      if (!isGap(html, start, end) || !isBetweenBlocks(top)) addText(html.slice(start, end), start, end);
    },
    ontextentity: (codepoint, end) => {
      const start = html.lastIndexOf("&", end - 1);
      addText(String.fromCodePoint(codepoint), Math.max(start, 0), end);
    },
    onopentagname: (start, end) => {
      tagStart = start - 1;
      pendingName = internTag(html.slice(start, end));
      const closes = isXml ? undefined : IMPLIES_END.get(pendingName);
      if (closes !== undefined) while (closes.has(top.tag)) pop(tagStart);
      pending = openElement(top, pendingName === "image" ? "img" : pendingName, tagStart);
    },
    onattribname: (start, end) => {
      attributeValue = "";
      attributeName = "";
      if (end - start > MAX_ATTRIBUTE_NAME_CHARS) return;
      const name = html.slice(start, end);
      const kept = KEPT_ATTRIBUTES.get(name) ?? KEPT_ATTRIBUTES.get(name.toLowerCase());
      if (kept !== undefined) attributeName = kept;
    },
    onattribdata: (start, end) => {
      if (attributeName !== "") attributeValue += html.slice(start, end);
    },
    onattribentity: (codepoint) => {
      if (attributeName !== "") attributeValue += String.fromCodePoint(codepoint);
    },
    onattribend: () => {
      if (pending === undefined || attributeName === "") return;
      if (pending.attributes === NO_ATTRIBUTES) pending.attributes = {};
      // the first of two attributes with one name counts
      pending.attributes[attributeName] ??= attributeValue;
    },
    onopentagend: (end) => finishStartTag(end, false),
    onselfclosingtag: (end) => finishStartTag(end, true),
    onclosetag: (start, end) => {
      const name = internTag(html.slice(start, end));
      if (overDepth > 0) {
        overDepth -= 1;
        return;
      }
      const position = findOpen(stack, name);
      if (position > 0) while (stack.length > position) pop(end + 1);
    },
    oncdata: () => undefined,
    oncomment: () => undefined,
    ondeclaration: () => undefined,
    onprocessinginstruction: () => undefined,
    onend: () => undefined,
    isInForeignContext: () => foreignDepth > 0,
  };
  const tokenizer = new Tokenizer({ decodeEntities: true, recognizeSelfClosing: isXml }, callbacks);
  tokenizer.write(html);
  tokenizer.end();
  while (stack.length > 1) pop(html.length);
  root.end = html.length;
  return { root, limitsReached: [...limitsReached] };
}

const tagNames = new Map<string, string>();
const MAX_TAG_NAMES = 1_000;

/** Lower case, with one copy of each usual name. */
function internTag(name: string): string {
  const known = tagNames.get(name);
  if (known !== undefined) return known;
  const lower = name.toLowerCase();
  if (tagNames.size < MAX_TAG_NAMES) tagNames.set(name, lower);
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
  return { kind: "element", parent, tag, attributes: NO_ATTRIBUTES, children: [], start, end: start };
}

function isDataScript(script: OpenElement): boolean {
  return (script.attributes["type"] ?? "").includes("json");
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
