import type { PageElement } from "./page-tree.ts";
import { isFormula, isMathScript } from "./read-formula.ts";

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

/** Whether an element stands within a line of text; a link or span around whole paragraphs (a card) does not. */
export function isInline(element: PageElement): boolean {
  return INLINE_TAGS.has(element.tag) && (element.children.length === 0 || !holdsBlocks(element));
}

/** Whether elements of this name stand within a line unless they hold blocks. */
export function isInlineTag(tag: string): boolean {
  return INLINE_TAGS.has(tag);
}

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

/** Whether nothing in an element is text that a reader sees. */
export function isSkipped(element: PageElement): boolean {
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
    case "img":
      return isFormulaPicture(element);
    default:
      return SKIPPED_TAGS.has(element.tag);
  }
}

/** MediaWiki shows a picture of the formula whose MathML stands before it. */
function isFormulaPicture({ attributes, parent }: PageElement): boolean {
  if (attributes["class"]?.includes("mwe-math-fallback-image") !== true) return false;
  const first = parent?.children[0];
  return first?.kind === "element" && first.attributes["class"]?.includes("mwe-math-mathml") === true;
}

/** The sign by which documentation links a heading to itself, and a note to where it is referred to. */
export function isAnchorSign({ tag, children }: PageElement): boolean {
  if (tag !== "a" || children.length !== 1) return false;
  const child = children[0];
  return child?.kind === "text" && /^\s*(?:[#¶§⌗∞↩⤴]|🔗)\ufe0e?\s*$/u.test(child.data);
}
