/** The candidate with the least edit distance to `name`; the first of equals, undefined for none. */
export function nearestName(name: string, candidates: readonly string[]): string | undefined {
  let best: { readonly candidate: string; readonly distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (best === undefined || distance < best.distance) best = { candidate, distance };
  }
  return best?.candidate;
}

/**
 * The Damerau-Levenshtein distance of two texts (optimal string alignment):
 * letters added, dropped, replaced, and neighbours swapped, each counting one.
 */
export function editDistance(from: string, to: string): number {
  let twoAbove: readonly number[] = [];
  let above: readonly number[] = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = at(above, column - 1) + (from[row - 1] === to[column - 1] ? 0 : 1);
      let least = Math.min(at(above, column) + 1, at(current, column - 1) + 1, replaced);
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (row > 1 && column > 1 && isSwap) least = Math.min(least, at(twoAbove, column - 2) + 1);
      current.push(least);
    }
    twoAbove = above;
    above = current;
  }
  return at(above, to.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
