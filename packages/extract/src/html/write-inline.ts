import type { PageElement, PageNode } from "./page-tree.ts";
import type { TextBlock } from "./text-blocks.ts";

/** Turns a link as written into an absolute http(s) address; undefined for anything else. */
export type ResolveLink = (href: string) => string | undefined;

interface Mark {
  readonly element: PageElement;
  readonly open: string;
  readonly close: string;
}

const MAX_CLIMB = 60;

/** The Markdown of what stands inside a block: emphasis, code, links, images. */
export function writeInline(block: TextBlock, resolve: ResolveLink): string {
  const parts: string[] = [];
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
    const wanted = marksOf(node, block.container.element, resolve);
    const shared = commonDepth(open, wanted);
    closeTo(shared);
    for (const mark of wanted.slice(shared)) parts.push(mark.open);
    open = wanted;
    const inCode = wanted.some(({ open: mark }) => mark === "`");
    const text = node.data.replace(/[\s\u00a0]+/g, " ");
    parts.push(inCode ? text.replaceAll("`", "ˋ") : escapeMarkdown(text));
  }
  closeTo(0);
  return parts
    .join("")
    .replace(/ *\n */g, "\n")
    .replace(/ {2,}/g, " ")
    .trim();
}

/** Characters that would change the meaning of running text get a backslash. */
export function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*[\]]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|<(?=[a-z/!])/giu, "\\$&");
}

function marksOf(node: PageNode, within: PageElement, resolve: ResolveLink): Mark[] {
  const marks: Mark[] = [];
  let element = node.parent;
  for (let climb = 0; element !== undefined && element !== within && climb < MAX_CLIMB; climb += 1) {
    const mark = markOf(element, resolve);
    if (mark !== undefined && !marks.some(({ open }) => open === mark.open)) marks.unshift(mark);
    element = element.parent;
  }
  if (within.tag === "a") {
    const mark = markOf(within, resolve);
    if (mark !== undefined) marks.unshift(mark);
  }
  return marks;
}

function markOf(element: PageElement, resolve: ResolveLink): Mark | undefined {
  switch (element.tag) {
    case "a": {
      const url = resolve(element.attributes["href"] ?? "");
      return url === undefined
        ? undefined
        : { element, open: "[", close: `](${url.replace(/[()\s]/g, encodeURIComponent)})` };
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
      return { element, open: "`", close: "`" };
    case "s":
    case "del":
    case "strike":
      return { element, open: "~~", close: "~~" };
    default:
      return undefined;
  }
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
  const alt = (attributes["alt"] ?? "").replace(/[\s[\]]+/g, " ").trim();
  return url === undefined || alt === "" ? "" : `![${alt}](${url.replace(/[()\s]/g, encodeURIComponent)})`;
}
