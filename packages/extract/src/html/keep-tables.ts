import type { PageElement } from "./page-tree.ts";
import type { KeptBlock } from "./write-text.ts";

/** The selected blocks; a data table of which most text is selected is kept whole, so that no cell is missing. */
export function keepWholeTables(blocks: readonly KeptBlock[], selected: readonly boolean[]): readonly KeptBlock[] {
  const tables = new Map<PageElement, { all: number; kept: number }>();
  blocks.forEach(({ block, role }, index) => {
    if (role.table === undefined) return;
    const sums = tables.get(role.table) ?? { all: 0, kept: 0 };
    sums.all += block.text.length;
    if (selected[index] === true) sums.kept += block.text.length;
    tables.set(role.table, sums);
  });
  return blocks.filter(({ role }, index) => {
    if (selected[index] === true) return true;
    const sums = role.table === undefined ? undefined : tables.get(role.table);
    return sums !== undefined && sums.kept * 2 > sums.all;
  });
}
