import { linesOfItem, openItem, splitItems, type CodeItem } from "./code-items.ts";
import { isOmission } from "./omission.ts";
import { unifyLineEnds } from "./source-text.ts";

/** What became of an edit that leaves code out, as `// ... existing code ...`. */
export type LazyOutcome =
  | { readonly kind: "applied"; readonly text: string }
  /** It leaves nothing out, so it is a whole file. */
  | { readonly kind: "whole" }
  | { readonly kind: "refused"; readonly reason: string };

/**
 * Puts back what an edit leaves out. Definitions and statements are told by their names and depth; each line that
 * says "existing code" keeps what the file has between its neighbours. What would be lost without
 * being named, or could go to two places, refuses the whole edit.
 */
export function applyLazyEdit(original: string, edit: string): LazyOutcome {
  const wanted = unifyLineEnds(edit).split("\n");
  const inFile = unifyLineEnds(original).split("\n");
  const known = new Set(inFile.map((line) => line.trim()));
  if (!wanted.some((line) => isOmission(line) && !known.has(line.trim()))) return { kind: "whole" };
  try {
    const lines = mergeLevel(splitItems(inFile), splitItems(wanted), "the file");
    const end = original.endsWith("\n") ? "\n" : "";
    return { kind: "applied", text: trimEnds(lines).join("\n") + end };
  } catch (error) {
    if (error instanceof Doubt) return { kind: "refused", reason: error.message };
    throw error;
  }
}

/** Why an edit is refused. */
class Doubt extends Error {}

function mergeLevel(inFile: readonly CodeItem[], edit: readonly CodeItem[], where: string): readonly string[] {
  if (!edit.some(({ isOmission }) => isOmission)) return edit.flatMap((item) => fill(item, inFile));
  const matches = matchItems(inFile, edit, where);
  const named = edit.filter(({ isOmission }) => !isOmission);
  if (matches.size === 0 && named.length > 0) {
    const deeper = mergeDeeper(inFile, edit);
    if (deeper !== undefined) return deeper;
    // New items between things that stay could go anywhere, but not below the last of them.
    if (!edit[0]?.isOmission || edit.filter(({ isOmission }) => isOmission).length > 1) {
      throw new Doubt(`nothing that the edit names is in ${where}, so its place cannot be told`);
    }
  }
  const lines: string[] = [];
  let at = 0;
  let keeps = false;
  for (const [index, item] of edit.entries()) {
    if (item.isOmission) {
      keeps = true;
      continue;
    }
    const match = matches.get(item);
    // A new item goes behind all that the line before it keeps.
    const next = match ?? nextMatch(edit, index, matches) ?? inFile.length;
    const between = inFile.slice(at, match === undefined && !keeps ? at : next);
    if (between.length > 0 && !keeps) throw new Doubt(lost(between, where));
    lines.push(...between.flatMap(linesOfItem));
    at += between.length;
    if (match === undefined) lines.push(...spaced(item, lines));
    else {
      const old = inFile[match];
      if (old === undefined) throw new Error("a match is an item of the file");
      lines.push(...old.blanks, ...leadOf(item, old, keeps), ...inside(item, old));
      at = match + 1;
    }
    keeps = false;
  }
  const rest = inFile.slice(at);
  if (rest.length > 0 && !keeps) throw new Doubt(lost(rest, where));
  return [...lines, ...rest.flatMap(linesOfItem)];
}

/** An edit of one definition alone, between lines that keep all else, may mean one that lies deeper in the file. */
function mergeDeeper(inFile: readonly CodeItem[], edit: readonly CodeItem[]): readonly string[] | undefined {
  if (edit[0]?.isOmission !== true || edit.at(-1)?.isOmission !== true) return undefined;
  const named = edit.filter(({ isOmission }) => !isOmission);
  const homes = inFile.filter((item) => {
    const names = new Set(splitItems(openItem(item)?.body ?? []).map(({ name }) => name));
    return named.every(({ name }) => names.has(name));
  });
  const [home] = homes;
  if (home === undefined || homes.length > 1) return undefined;
  const opened = openItem(home);
  if (opened === undefined) return undefined;
  const body = mergeLevel(splitItems(opened.body), edit, home.name);
  return inFile.flatMap((item) =>
    item === home ? [...home.blanks, ...home.lead, opened.head, ...body, ...opened.tail] : linesOfItem(item),
  );
}

/** Pairs items by name, in order. A name that one side has more often than the other says not which is meant. */
function matchItems(
  inFile: readonly CodeItem[],
  edit: readonly CodeItem[],
  where: string,
): ReadonlyMap<CodeItem, number> {
  const matches = new Map<CodeItem, number>();
  for (const name of new Set(edit.filter(({ isOmission }) => !isOmission).map((item) => item.name))) {
    const places = inFile.flatMap((item, index) => (item.name === name ? [index] : []));
    const wanted = edit.filter((item) => item.name === name && !item.isOmission);
    if (places.length === 0) continue;
    if (places.length !== wanted.length) {
      throw new Doubt(`${name} stands ${places.length} times in ${where} and ${wanted.length} times in the edit`);
    }
    for (const [index, item] of wanted.entries()) matches.set(item, places[index] ?? 0);
  }
  const order = edit.flatMap((item) => matches.get(item) ?? []);
  if (order.some((place, index) => index > 0 && place < (order[index - 1] ?? 0))) {
    throw new Doubt(`the edit has the parts of ${where} in another order`);
  }
  return matches;
}

function nextMatch(
  edit: readonly CodeItem[],
  from: number,
  matches: ReadonlyMap<CodeItem, number>,
): number | undefined {
  return edit.slice(from).flatMap((item) => matches.get(item) ?? [])[0];
}

/** An item as the edit has it; what it leaves out inside comes from the item of that name. */
function fill(item: CodeItem, inFile: readonly CodeItem[]): readonly string[] {
  if (!item.lines.some(isOmission)) return linesOfItem(item);
  const same = inFile.filter(({ name }) => name === item.name);
  const [old] = same;
  if (old === undefined || same.length > 1) {
    throw new Doubt(`${item.name} leaves code out, and the file has ${same.length} of that name`);
  }
  return [...item.blanks, ...item.lead, ...inside(item, old)];
}

function inside(item: CodeItem, old: CodeItem): readonly string[] {
  if (!item.lines.some(isOmission)) return item.lines;
  const [opened, openedOld] = [openItem(item), openItem(old)];
  if (opened === undefined || openedOld === undefined) {
    throw new Doubt(`what ${item.name} leaves out cannot be told apart from the rest of it`);
  }
  const body = mergeLevel(splitItems(openedOld.body), splitItems(opened.body), item.name);
  return [opened.head, ...body, ...opened.tail];
}

/** Comments in front of an item that the edit kept by a line of its own stay. */
function leadOf(item: CodeItem, old: CodeItem, keeps: boolean): readonly string[] {
  return item.lead.length === 0 && keeps ? old.lead : item.lead;
}

/** A new item stands apart from what is before it, as it does in the edit. */
function spaced(item: CodeItem, before: readonly string[]): readonly string[] {
  return before.length === 0 ? [...item.lead, ...item.lines] : linesOfItem(item);
}

function lost(items: readonly CodeItem[], where: string): string {
  const names = items.map(({ name }) => name).slice(0, 5);
  return `${names.join(", ")} of ${where} would be lost, and the edit does not say so`;
}

function trimEnds(lines: readonly string[]): readonly string[] {
  const last = lines.findLastIndex((line) => line.trim() !== "");
  return lines.slice(0, last + 1);
}
