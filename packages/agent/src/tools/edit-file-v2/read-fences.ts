const SHORTEST_FENCE = 3;

/**
 * What stands in the code blocks of a Markdown text. A block ends at the next bare fence as long as the one it began
 * with, or failing that at a shorter one. Time is linear in the text, also when no block ends.
 */
export function readFences(text: string): readonly string[] {
  const fences = [...text.matchAll(/^(`{3,}|~{3,})(?:[ \t]*($)|)/gm)].map(({ index, 1: fence = "", 2: rest }) => ({
    index,
    fence,
    isBare: rest !== undefined,
  }));
  const ends = new Map<string, { next: number; readonly places: number[] }>();
  for (const { index, fence, isBare } of fences) {
    if (!isBare) continue;
    const key = keyOf(fence, fence.length);
    const known = ends.get(key);
    if (known === undefined) ends.set(key, { next: 0, places: [index] });
    else known.places.push(index);
  }
  const blocks: string[] = [];
  let done = 0;
  let newline = -1;
  for (const { index, fence } of fences) {
    if (index < done) continue;
    if (newline < index) newline = text.indexOf("\n", index);
    if (newline < 0) break;
    for (let length = fence.length; length >= SHORTEST_FENCE; length -= 1) {
      const end = nextPlace(ends.get(keyOf(fence, length)), newline + 1);
      if (end === undefined) continue;
      blocks.push(text.slice(newline + 1, end));
      done = end + length;
      break;
    }
  }
  return blocks;
}

function keyOf(fence: string, length: number): string {
  return `${fence.charAt(0)}${length}`;
}

/** The first place from `from` on; `from` never falls, so that all looking together passes each place once. */
function nextPlace(ends: { next: number; readonly places: number[] } | undefined, from: number): number | undefined {
  if (ends === undefined) return undefined;
  while ((ends.places[ends.next] ?? Infinity) < from) ends.next += 1;
  return ends.places[ends.next];
}
