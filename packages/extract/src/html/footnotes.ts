import { textOf, type PageElement } from "./page-tree.ts";
import type { KeptBlock } from "./write-text.ts";

/** The footnotes of a text: the links that refer to them, and the elements that hold them, by label. */
export interface Footnotes {
  readonly references: ReadonlyMap<PageElement, string>;
  readonly definitions: ReadonlyMap<PageElement, string>;
}

const LABEL = /^\[?\(?([0-9]{1,3}|[a-z*†‡])\)?\]?$/i;
const MAX_CLIMB = 6;

/** Finds the notes among the kept blocks: a raised number that links to another kept block, and that block. */
export function findFootnotes(kept: readonly KeptBlock[]): Footnotes {
  const targets = new Map<string, string>();
  const links = new Map<PageElement, string>();
  for (const { block } of kept) {
    if (block.linkCount === 0) continue;
    for (const node of block.nodes) {
      const link = linkAround(node.parent, block.container.element);
      const href = link?.attributes["href"] ?? "";
      if (link === undefined || links.has(link) || !href.startsWith("#") || href.length < 2) continue;
      const label = LABEL.exec(textOf(link, 20))?.[1];
      if (label === undefined || !isRaised(link)) continue;
      const id = href.slice(1);
      if (!targets.has(id)) targets.set(id, label);
      links.set(link, id);
    }
  }
  if (links.size === 0) return { references: new Map(), definitions: new Map() };
  const definitions = new Map<PageElement, string>();
  const defined = new Set<string>();
  for (const { block } of kept) {
    const holder = holderOf(block.container.element, block.nodes[0]?.parent, targets);
    if (holder === undefined || defined.has(holder.id)) continue;
    defined.add(holder.id);
    definitions.set(holder.element, targets.get(holder.id) ?? "");
  }
  const references = new Map(
    [...links].filter(([, id]) => defined.has(id)).map(([link, id]) => [link, targets.get(id) ?? ""]),
  );
  return { references, definitions };
}

/** The label of the note that a block begins; undefined when it begins none. */
export function definitionLabel({ block }: KeptBlock, { definitions }: Footnotes): string | undefined {
  if (definitions.size === 0) return undefined;
  let element: PageElement | undefined = block.container.element;
  for (let climb = 0; element !== undefined && climb < MAX_CLIMB; climb += 1, element = element.parent) {
    const label = definitions.get(element);
    if (label !== undefined) return label;
  }
  return undefined;
}

function linkAround(element: PageElement | undefined, within: PageElement): PageElement | undefined {
  let around = element;
  for (let climb = 0; around !== undefined && around !== within && climb < MAX_CLIMB; climb += 1) {
    if (around.tag === "a") return around;
    around = around.parent;
  }
  return undefined;
}

/** Raised numbers stand in `<sup>`, or say what they are. */
function isRaised(link: PageElement): boolean {
  if (link.parent?.tag === "sup" || link.parent?.parent?.tag === "sup") return true;
  if (link.children.some((child) => child.kind === "element" && child.tag === "sup")) return true;
  return /noteref|footnote|\bfn/i.test(`${link.attributes["role"] ?? ""} ${link.attributes["class"] ?? ""}`);
}

/** The nearest element around a block, or the anchor at its beginning, that a reference points at. */
function holderOf(
  container: PageElement,
  first: PageElement | undefined,
  targets: ReadonlyMap<string, string>,
): { readonly element: PageElement; readonly id: string } | undefined {
  let element: PageElement | undefined = first ?? container;
  for (let climb = 0; element !== undefined && climb < MAX_CLIMB; climb += 1, element = element.parent) {
    const id = element.attributes["id"] ?? element.attributes["name"];
    if (id === undefined || !targets.has(id)) continue;
    // an anchor inside the block marks the block
    return { element: element.start > container.start ? container : element, id };
  }
  return undefined;
}
