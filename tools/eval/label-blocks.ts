import { toWords } from "./extract-scores.ts";

/** For each block, the share of its words that the judged main text also has, in the same order. */
export function labelBlocks(blocks: readonly string[], mainText: string): readonly number[] {
  const gold = toWords(mainText.toLowerCase());
  const lines = new Set(mainText.split("\n").map((line) => toWords(line.toLowerCase()).join(" ")));
  const sequences = [1, 2, 3, 4].map((length) => toSequences(gold, length));
  const first = blocks.map((text) => {
    const words = toWords(text.toLowerCase());
    if (words.length === 0) return -1;
    if (lines.has(words.join(" "))) return 1;
    if (words.length >= 4) return coveredShare(words, sequences[3] ?? new Set());
    const found = sequences[words.length - 1]?.has(words.join(" ")) ?? false;
    if (words.length === 3) return found ? 1 : 0;
    return found ? -2 : 0; // one or two words may be there by chance: ask the neighbours
  });
  return first.map((label, index) => {
    if (label === -1) return neighbourLabel(first, index);
    if (label === -2) return neighbourLabel(first, index) > 0.5 ? 1 : 0;
    return label;
  });
}

function neighbourLabel(labels: readonly number[], index: number): number {
  const before = labels.slice(Math.max(0, index - 3), index).findLast((label) => label >= 0) ?? 0;
  const after = labels.slice(index + 1, index + 4).find((label) => label >= 0) ?? 0;
  return Math.min(before, after);
}

function toSequences(words: readonly string[], length: number): ReadonlySet<string> {
  const sequences = new Set<string>();
  for (let at = 0; at + length <= words.length; at += 1) sequences.add(words.slice(at, at + length).join(" "));
  return sequences;
}

function coveredShare(words: readonly string[], shingles: ReadonlySet<string>): number {
  const covered = new Uint8Array(words.length);
  for (let at = 0; at + 4 <= words.length; at += 1) {
    if (shingles.has(words.slice(at, at + 4).join(" "))) covered.fill(1, at, at + 4);
  }
  return covered.reduce((sum, one) => sum + one, 0) / words.length;
}
