import type { ExtractLimits } from "../limits.ts";
import { makeContainer, type Container } from "./container.ts";
import { isLineNumbers, readCodeLines } from "./code-lines.ts";
import { isHidden } from "./is-hidden.ts";
import { collapseSpaces, type PageElement, type PageNode } from "./page-tree.ts";
import { isFormula } from "./read-formula.ts";
import { sumContainers } from "./sum-containers.ts";
import type { TextBlock } from "./text-block.ts";
import { isAnchorSign, isInline, isSkipped } from "./text-flow.ts";
import { readPhrases } from "./text-shape.ts";

/** The blocks of a page and the containers they stand in, in document order. */
export interface PageBlocks {
  readonly blocks: readonly TextBlock[];
  readonly containers: readonly Container[];
  readonly limitsReached: readonly string[];
}

const BOLD_TAGS: ReadonlySet<string> = new Set(["b", "strong", "em", "i", "u"]);
/** How an element stands on the page. */
const IN_BLOCK = 0;
const IN_LINE = 1;
const IN_MATH = 2;

/** Cuts the page into blocks of text; everything a reader may see is in one, unless a limit is reached. */
export function findBlocks(root: PageElement, limits: ExtractLimits): PageBlocks {
  const blocks: TextBlock[] = [];
  const containers: Container[] = [];
  const hintCache = new Map<string, number>();
  const limitsReached: string[] = [];
  /** The nodes of the block being read; a list of its own for each would keep room for many more than it has. */
  const nodes: PageNode[] = [];
  let nodeCount = 0;
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
    if (nodeCount === 0) return;
    if (rawChars === 0) {
      nodeCount = linkChars = linkCount = boldChars = 0;
      return;
    }
    const closed = nodes.slice(0, nodeCount);
    nodeCount = 0;
    const preformatted = preDepth > 0;
    const text = joinText(closed, preformatted);
    const isText = text !== "" && !(preformatted && isLineNumbers(text, current.element));
    if (isText && blocks.length < limits.maxBlocks) {
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
    } else if (isText && limitsReached.length === 0) limitsReached.push("maxBlocks");
    rawChars = linkChars = linkCount = boldChars = 0;
  };

  // the way down, as three lists side by side: a page has too many elements for an object each
  const elements: PageElement[] = [root];
  const positions: number[] = [0];
  const flows: number[] = [IN_BLOCK];
  while (elements.length > 0) {
    const last = elements.length - 1;
    const element = elements[last] ?? root;
    const position = positions[last] ?? 0;
    const flow = flows[last] ?? IN_BLOCK;
    const child = element.children[position];
    positions[last] = position + 1;
    if (child === undefined) {
      elements.pop();
      positions.pop();
      flows.pop();
      if (flow === IN_BLOCK) {
        flush();
        if (element.tag === "pre") preDepth -= 1;
        current = current.parent ?? current;
      } else if (element.tag === "a") linkDepth -= 1;
      else if (BOLD_TAGS.has(element.tag)) boldDepth -= 1;
      continue;
    }
    if (child.kind === "text") {
      nodes[nodeCount] = child;
      nodeCount += 1;
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
      else {
        nodes[nodeCount] = child;
        nodeCount += 1;
      }
      continue;
    }
    const isMath = flow === IN_MATH || isFormula(child);
    const inline = isMath || isInline(child);
    if (inline && isHidden(child)) continue;
    if (inline) {
      if (child.tag === "a") {
        linkDepth += 1;
        linkCount += 1;
      } else if (BOLD_TAGS.has(child.tag)) boldDepth += 1;
      if (child.tag === "br" || child.tag === "img") {
        nodes[nodeCount] = child;
        nodeCount += 1;
      }
    } else {
      flush();
      if (child.tag === "pre") preDepth += 1;
      current = makeContainer(child, current, hintCache);
      containers.push(current);
      const lines = child.tag === "pre" ? readCodeLines(child) : undefined;
      if (lines !== undefined) {
        for (const node of lines) {
          nodes[nodeCount] = node;
          nodeCount += 1;
          rawChars += node.kind === "text" ? node.data.length : 0;
        }
        flush();
        preDepth -= 1;
        current = current.parent ?? current;
        continue;
      }
    }
    elements.push(child);
    positions.push(0);
    flows.push(isMath ? IN_MATH : inline ? IN_LINE : IN_BLOCK);
  }
  flush();
  sumContainers(blocks, containers);
  return { blocks, containers, limitsReached };
}

/** The part of the text that a block shows, as one string. */
function joinText(nodes: readonly PageNode[], preformatted: boolean): string {
  const only = nodes[0];
  let text = "";
  if (nodes.length === 1 && only?.kind === "text") text = only.data;
  else
    for (const node of nodes) {
      if (node.kind === "text") text += node.data;
      else if (node.tag === "br") text += "\n";
    }
  // a pattern for the end would try every blank of a long run anew
  return preformatted ? text.trimEnd().replace(/^\s*\n/, "") : collapseSpaces(text);
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
