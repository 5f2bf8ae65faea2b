import type { Container, Twins } from "./container.ts";
import { headingLevelOf, type PageElement } from "./page-tree.ts";
import type { TextBlock } from "./text-block.ts";

const PARAGRAPH_CHARS = 60;

/** Adds each block to its containers, and tells each container how many twins it has. */
export function sumContainers(blocks: readonly TextBlock[], containers: readonly Container[]): void {
  for (const block of blocks) {
    const { container } = block;
    const chars = block.text.length;
    container.chars += chars;
    container.linkChars += block.linkChars;
    container.blockCount += 1;
    if (headingLevelOf(container.element.tag) > 0) container.headings += 1;
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
  for (const container of containers) {
    const { parent } = container;
    if (parent === undefined || container.chars === 0) continue;
    const twins = twinsOf(parent, container.element);
    twins.count += 1;
    twins.chars += container.chars;
    twins.linkChars += container.linkChars;
    container.twins = twins;
  }
}

/** What is counted of the children of `parent` that look like `element`. */
function twinsOf(parent: Container, element: PageElement): Twins {
  const { tag } = element;
  const name = firstName(element);
  const groups = parent.childTwins;
  if (groups === undefined) {
    const twins = { count: 0, chars: 0, linkChars: 0 };
    parent.childTwins = { tag, name, twins, others: undefined };
    return twins;
  }
  if (groups.tag === tag && groups.name === name) return groups.twins;
  groups.others ??= new Map<string, Twins>();
  const signature = `${tag}.${name}`;
  let twins = groups.others.get(signature);
  if (twins === undefined) groups.others.set(signature, (twins = { count: 0, chars: 0, linkChars: 0 }));
  return twins;
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
