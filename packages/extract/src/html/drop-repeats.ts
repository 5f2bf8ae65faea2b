import type { PageElement } from "./page-tree.ts";
import type { KeptBlock } from "./write-text.ts";

/** Shorter texts may well stand twice on a page; a longer one that does is a copy for another screen size. */
const MIN_REPEAT_CHARS = 40;

/**
 * The kept blocks without those that repeat one before. Code and the cells of a table may say again what others say: of
 * tables only a whole one is a copy.
 */
export function dropRepeats(kept: readonly KeptBlock[]): readonly KeptBlock[] {
  const tables = new Map<PageElement, string[]>();
  for (const { block, role } of kept) {
    if (role.table === undefined) continue;
    const texts = tables.get(role.table);
    if (texts === undefined) tables.set(role.table, [block.text]);
    else texts.push(block.text);
  }
  const seen = new Set<string>();
  const isRepeat = (text: string): boolean => {
    if (text.length < MIN_REPEAT_CHARS) return false;
    const isKnown = seen.has(text);
    seen.add(text);
    return isKnown;
  };
  const copies = new Set<PageElement>();
  for (const [table, texts] of tables) if (isRepeat(texts.join("\n"))) copies.add(table);
  return kept.filter(({ block, role }) => {
    if (role.table !== undefined) return !copies.has(role.table);
    return role.kind === "code" || !isRepeat(block.text);
  });
}
