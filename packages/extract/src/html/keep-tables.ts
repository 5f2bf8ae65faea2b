import { readRole } from "./block-role.ts";
import type { PageElement } from "./page-tree.ts";
import { FAR, landmarkDistance, type TextBlock } from "./text-blocks.ts";
import type { KeptBlock } from "./write-text.ts";

/** The selected blocks; a data table of which most text is selected is kept whole, so that no cell is missing. */
export function keepWholeTables(blocks: readonly TextBlock[], selected: readonly boolean[]): readonly KeptBlock[] {
  const candidates: (KeptBlock & { readonly selected: boolean })[] = [];
  const tables = new Map<PageElement, { all: number; kept: number }>();
  blocks.forEach((block, index) => {
    const isSelected = selected[index] === true;
    if (!isSelected && landmarkDistance(block.container, "table") >= FAR) return;
    const role = readRole(block);
    if (!isSelected && role.table === undefined) return;
    candidates.push({ block, role, selected: isSelected });
    if (role.table === undefined) return;
    const sums = tables.get(role.table) ?? { all: 0, kept: 0 };
    sums.all += block.text.length;
    if (isSelected) sums.kept += block.text.length;
    tables.set(role.table, sums);
  });
  return candidates.filter(({ role, selected: isSelected }) => {
    if (isSelected) return true;
    const sums = role.table === undefined ? undefined : tables.get(role.table);
    return sums !== undefined && sums.kept * 2 > sums.all;
  });
}
