import { textOf, walkTree, type PageElement, type PageNode } from "./page-tree.ts";

/** A formula as the page's author wrote it, and the element that shows it. */
export interface Formula {
  readonly element: PageElement;
  readonly tex: string;
  /** Whether it stands on a line of its own. */
  readonly isDisplay: boolean;
}

const MAX_CLIMB = 40;
const MAX_TEX_CHARS = 5_000;
const formulas = new WeakMap<PageElement, Formula | "none">();

/** The formula a piece of text is a part of; undefined when it is none's, or the page does not tell its TeX. */
export function readFormula(node: PageNode, within: PageElement): Formula | undefined {
  let found: Formula | undefined;
  let element: PageElement | undefined = node.kind === "element" ? node : node.parent;
  for (let climb = 0; element !== undefined && climb < MAX_CLIMB; climb += 1, element = element.parent) {
    if (isFormula(element)) found = formulaOf(element) ?? found;
    if (element === within) break;
  }
  return found;
}

/** Whether an element shows a formula: MathML, KaTeX, MediaWiki's, or the script that MathJax reads. */
export function isFormula({ tag, attributes }: PageElement): boolean {
  if (tag === "math" || attributes["data-math"] !== undefined) return true;
  if (tag === "script") return isMathScript(attributes["type"]);
  const names = tag === "span" || tag === "div" ? attributes["class"] : undefined;
  // asked of nearly every element: the pattern runs only where it may match
  if (names === undefined) return false;
  return (names.includes("katex") && /\bkatex(?:-display)?\b(?!-)/.test(names)) || names.includes("mwe-math-element");
}

/** Whether a script of this type holds TeX. */
export function isMathScript(type: string | undefined): boolean {
  return type !== undefined && /^math\/tex\b/i.test(type);
}

function formulaOf(element: PageElement): Formula | undefined {
  let known = formulas.get(element);
  if (known === undefined) formulas.set(element, (known = findFormula(element) ?? "none"));
  return known === "none" ? undefined : known;
}

function findFormula(element: PageElement): Formula | undefined {
  const { tag, attributes } = element;
  let tex = attributes["data-math"] ?? (tag === "math" ? attributes["alttext"] : undefined);
  let isDisplay =
    /mode\s*=\s*display/.test(attributes["type"] ?? "") || /display|block/.test(attributes["class"] ?? "");
  if (tag === "script") tex = textOf(element, MAX_TEX_CHARS);
  walkTree(element, (node) => {
    if (node.kind === "text") return false;
    if (node.attributes["display"] === "block") isDisplay = true;
    if (node.tag === "math") tex ??= node.attributes["alttext"];
    if (node.tag === "annotation" && node.attributes["encoding"] === "application/x-tex")
      tex ??= textOf(node, MAX_TEX_CHARS);
    return true;
  });
  const trimmed = tex?.replace(/\s+/g, " ").trim() ?? "";
  return trimmed === "" ? undefined : { element, tex: trimmed, isDisplay };
}
