import type { Footnotes } from "./footnotes.ts";
import { collapseSpaces, evenSpaces, textOf, type PageElement, type PageNode } from "./page-tree.ts";
import { readFormula, type Formula } from "./read-formula.ts";
import type { TextBlock } from "./text-block.ts";

/** Turns a link as written into an absolute http(s) address; undefined for anything else. */
export type ResolveLink = (href: string) => string | undefined;

interface Mark {
  readonly element: PageElement;
  readonly open: string;
  readonly close: string;
}

const MAX_CLIMB = 60;

/** The Markdown of what stands inside a block: emphasis, code, links, images, formulas, references to notes. */
export function writeInline(block: TextBlock, resolve: ResolveLink, footnotes?: Footnotes): string {
  const parts: string[] = [];
  let written: PageElement | undefined;
  let open: Mark[] = [];
  const closeTo = (depth: number): void => {
    while (open.length > depth) closeMark(parts, open.pop());
  };
  for (const node of block.nodes) {
    if (node.kind === "element") {
      if (node.tag === "img") {
        closeTo(commonDepth(open, marksOf(node, block.container.element, resolve)));
        parts.push(writeImage(node, resolve));
      } else parts.push("\n");
      continue;
    }
    const special = readFormula(node, block.container.element) ?? readReference(node, block, footnotes);
    if (special !== undefined) {
      closeTo(0);
      open = [];
      if (special.element !== written) parts.push("tex" in special ? writeFormula(special) : `[^${special.label}]`);
      written = special.element;
      continue;
    }
    const wanted = marksOf(node, block.container.element, resolve);
    const shared = commonDepth(open, wanted);
    closeTo(shared);
    for (const mark of wanted.slice(shared)) parts.push(mark.open);
    open = wanted;
    const inCode = wanted.some(isCode);
    const text = evenSpaces(node.data);
    parts.push(inCode ? text : escapeMarkdown(text));
  }
  closeTo(0);
  return parts
    .join("")
    .replace(/ {2,}/g, " ") // first, so that no long run of blanks is left to look for a line break behind
    .replace(/ ?\n ?/g, "\n")
    .trim();
}

function writeFormula({ tex, isDisplay }: Formula): string {
  return isDisplay ? `\n$$${tex}$$\n` : `$${tex}$`;
}

/** The link to a note that a piece of text is a part of. */
function readReference(
  node: PageNode,
  block: TextBlock,
  footnotes: Footnotes | undefined,
): { readonly element: PageElement; readonly label: string } | undefined {
  if (footnotes === undefined || footnotes.references.size === 0) return undefined;
  let element = node.parent;
  for (let climb = 0; element !== undefined && element !== block.container.element && climb < 4; climb += 1) {
    const label = footnotes.references.get(element);
    if (label !== undefined) return { element, label };
    element = element.parent;
  }
  return undefined;
}

/** Most pieces of text have none of these, and the pattern that looks around each is dear. */
const MAY_BE_MARKDOWN = /[\\`*[\]_<]/;

/** Characters that would change the meaning of running text get a backslash. */
export function escapeMarkdown(text: string): string {
  return !MAY_BE_MARKDOWN.test(text)
    ? text
    : text.replace(/[\\`*[\]]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|<(?=[a-z/!]|$)/giu, "\\$&");
}

/** Parentheses and spaces would end the address. */
function escapeAddress(url: string): string {
  return url.replaceAll("(", "%28").replaceAll(")", "%29").replace(/\s/g, encodeURIComponent);
}

function marksOf(node: PageNode, within: PageElement, resolve: ResolveLink): Mark[] {
  const marks: Mark[] = [];
  let element = node.parent;
  for (let climb = 0; element !== undefined && element !== within && climb < MAX_CLIMB; climb += 1) {
    const mark = markOf(element, resolve);
    if (mark !== undefined && !marks.some((inner) => inner.open === mark.open || (isCode(inner) && isCode(mark))))
      marks.unshift(mark);
    element = element.parent;
  }
  if (within.tag === "a") {
    const mark = markOf(within, resolve);
    if (mark !== undefined) marks.unshift(mark);
  }
  const code = marks.find(isCode);
  return code === undefined ? marks : aroundCode(marks, code);
}

/** In code nothing is a mark: a link in it stands around its own part of the code, and emphasis is left out. */
function aroundCode(marks: readonly Mark[], code: Mark): Mark[] {
  const place = marks.indexOf(code);
  const links = marks.slice(place + 1).filter(({ element }) => element.tag === "a");
  return [...marks.slice(0, place), ...links, code];
}

function markOf(element: PageElement, resolve: ResolveLink): Mark | undefined {
  switch (element.tag) {
    case "a": {
      const url = resolve(element.attributes["href"] ?? "");
      return url === undefined ? undefined : { element, open: "[", close: `](${escapeAddress(url)})` };
    }
    case "b":
    case "strong":
      return { element, open: "**", close: "**" };
    case "i":
    case "em":
      return { element, open: "*", close: "*" };
    case "code":
    case "kbd":
    case "samp":
    case "tt":
      return codeMark(element);
    case "s":
    case "del":
    case "strike":
      return { element, open: "~~", close: "~~" };
    default:
      return undefined;
  }
}

function isCode({ open }: Mark): boolean {
  return open.startsWith("`");
}

const codeMarks = new WeakMap<PageElement, Mark>();

/** Code that holds backticks stands between more of them; each element is looked at once, however many pieces it has. */
function codeMark(element: PageElement): Mark {
  let mark = codeMarks.get(element);
  if (mark === undefined) {
    const runs = textOf(element).match(/`+/g) ?? [];
    const ticks = "`".repeat(Math.max(0, ...runs.slice(0, 1_000).map((run) => run.length)) + 1);
    mark = { element, open: runs.length === 0 ? "`" : `${ticks} `, close: runs.length === 0 ? "`" : ` ${ticks}` };
    codeMarks.set(element, mark);
  }
  return mark;
}

function commonDepth(one: readonly Mark[], other: readonly Mark[]): number {
  let depth = 0;
  while (depth < one.length && one[depth]?.element === other[depth]?.element) depth += 1;
  return depth;
}

/** Closes a mark before trailing white space, or takes it back when nothing stands in it. */
function closeMark(parts: string[], mark: Mark | undefined): void {
  if (mark === undefined) return;
  let text = "";
  while (parts.length > 0) {
    const last = parts.pop() ?? "";
    if (last === mark.open) {
      const inner = text.trim();
      if (inner === "") parts.push(text);
      else {
        const lead = text.length - text.trimStart().length;
        parts.push(text.slice(0, lead), mark.open + inner + mark.close, text.slice(lead + inner.length));
      }
      return;
    }
    text = last + text;
  }
  parts.push(text);
}

function writeImage({ attributes }: PageElement, resolve: ResolveLink): string {
  const url = resolve(attributes["src"] ?? attributes["data-src"] ?? "");
  const alt = collapseSpaces((attributes["alt"] ?? "").replaceAll(/[[\]]/g, " "));
  return url === undefined || alt === "" ? "" : `![${alt}](${escapeAddress(url)})`;
}
