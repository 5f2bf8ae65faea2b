import { readRole, type BlockRole } from "./block-role.ts";
import type { PageElement } from "./page-tree.ts";
import { FAR, landmarkDistance } from "./container.ts";
import type { TextBlock } from "./text-block.ts";
import type { KeptBlock } from "./write-text.ts";

/** The selected blocks; a data table or list of which most text is selected is kept whole: no cell or item is missing. */
export function keepWhole(blocks: readonly TextBlock[], selected: readonly boolean[]): readonly KeptBlock[] {
  const candidates: (KeptBlock & { readonly selected: boolean; readonly group: PageElement | undefined })[] = [];
  const groups = new Map<PageElement, { all: number; kept: number }>();
  blocks.forEach((block, index) => {
    const isSelected = selected[index] === true;
    const { container } = block;
    if (!isSelected && landmarkDistance(container, "table") >= FAR && landmarkDistance(container, "list") >= FAR)
      return;
    const role = readRole(block);
    const group = groupOf(role);
    if (!isSelected && group === undefined) return;
    candidates.push({ block, role, selected: isSelected, group });
    if (group === undefined) return;
    const sums = groups.get(group) ?? { all: 0, kept: 0 };
    sums.all += block.text.length;
    if (isSelected) sums.kept += block.text.length;
    groups.set(group, sums);
  });
  return candidates.filter(({ group, selected: isSelected }) => {
    if (isSelected) return true;
    const sums = group === undefined ? undefined : groups.get(group);
    return sums !== undefined && sums.kept * 2 > sums.all;
  });
}

/** What a block stands or falls with: its data table, or the list whose item it is alone. */
function groupOf(role: BlockRole): PageElement | undefined {
  return role.table ?? (role.kind === "item" ? role.item?.parent : undefined);
}
