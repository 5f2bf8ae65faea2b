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
  const groups = new Map<PageElement, Map<string, Twins>>();
  for (const container of containers) {
    const above = container.parent?.element;
    if (above === undefined || container.chars === 0) continue;
    let bySignature = groups.get(above);
    if (bySignature === undefined) groups.set(above, (bySignature = new Map<string, Twins>()));
    const signature = `${container.element.tag}.${firstName(container.element)}`;
    let twins = bySignature.get(signature);
    if (twins === undefined) bySignature.set(signature, (twins = { count: 0, chars: 0, linkChars: 0 }));
    twins.count += 1;
    twins.chars += container.chars;
    twins.linkChars += container.linkChars;
    container.twins = twins;
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
