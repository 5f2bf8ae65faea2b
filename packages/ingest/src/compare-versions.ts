import { createTwoFilesPatch, diffLines } from "diff";

/** How two texts of one page differ, by lines. */
export interface TextChange {
  readonly added: number;
  readonly removed: number;
  /** A unified diff; empty when the texts are equal. */
  readonly diff: string;
}

/** Past this many characters together only the counts are given: a diff of such texts helps nobody and takes long. */
const MAX_CHARACTERS = 4_000_000;
const TIMEOUT_MS = 2_000;

/** Compares two texts; `names` stand in the diff's header. */
export function compareTexts(
  from: string,
  to: string,
  names: { readonly from: string; readonly to: string },
): TextChange {
  if (from === to) return { added: 0, removed: 0, diff: "" };
  const parts = from.length + to.length > MAX_CHARACTERS ? undefined : diffLines(from, to, { timeout: TIMEOUT_MS });
  if (parts === undefined) return { added: countLines(to), removed: countLines(from), diff: "" };
  const count = (wanted: "added" | "removed"): number =>
    parts.filter((part) => part[wanted]).reduce((sum, part) => sum + part.count, 0);
  const diff = createTwoFilesPatch(names.from, names.to, from, to, undefined, undefined, {
    context: 3,
    timeout: TIMEOUT_MS,
  });
  return { added: count("added"), removed: count("removed"), diff: diff ?? "" };
}

function countLines(text: string): number {
  return text.split("\n").length;
}
