/** How far two lines that stand for each other may be apart in count, where one side has lines the other lacks. */
const MAX_SHIFT = 3;
/** Longer lines are compared by what they begin with. */
const MAX_LINE_CHARACTERS = 400;

/**
 * How alike two runs of lines are, from 0 to 1: the share of characters that need no change, white space at the
 * ends of lines aside. Lines may be missing on either side.
 */
export function similarityOf(left: readonly string[], right: readonly string[]): number {
  const a = left.map(shorten);
  const b = right.map(shorten);
  const total = Math.max(sizeOf(a), sizeOf(b));
  if (total === 0) return 1;
  return Math.max(0, 1 - leastCost(a, b) / total);
}

/** How alike two lines are, from 0 to 1. */
export function lineSimilarity(left: string, right: string): number {
  return similarityOf([left], [right]);
}

function leastCost(a: readonly string[], b: readonly string[]): number {
  const shift = Math.max(MAX_SHIFT, Math.abs(a.length - b.length) + 1);
  let above = [0];
  for (const line of b) above.push((above.at(-1) ?? 0) + line.length + 1);
  for (const [row, line] of a.entries()) {
    const current = new Array<number>(b.length + 1).fill(Number.POSITIVE_INFINITY);
    current[0] = (above[0] ?? 0) + line.length + 1;
    const from = Math.max(1, row + 1 - shift);
    const to = Math.min(b.length, row + 1 + shift);
    for (let column = from; column <= to; column += 1) {
      const other = b[column - 1] ?? "";
      const replaced = (above[column - 1] ?? Number.POSITIVE_INFINITY) + (line === other ? 0 : distance(line, other));
      const dropped = (above[column] ?? Number.POSITIVE_INFINITY) + line.length + 1;
      const added = (current[column - 1] ?? Number.POSITIVE_INFINITY) + other.length + 1;
      current[column] = Math.min(replaced, dropped, added);
    }
    above = current;
  }
  return above[b.length] ?? Number.POSITIVE_INFINITY;
}

/** How many characters must change; lines of very different lengths are not worth counting out. */
function distance(a: string, b: string): number {
  const most = Math.max(a.length, b.length);
  if (Math.abs(a.length - b.length) > most / 2) return most;
  let head = 0;
  while (head < a.length && head < b.length && a.charCodeAt(head) === b.charCodeAt(head)) head += 1;
  let [left, right] = [a.length, b.length];
  while (left > head && right > head && a.charCodeAt(left - 1) === b.charCodeAt(right - 1)) {
    left -= 1;
    right -= 1;
  }
  return levenshtein(a.slice(head, left), b.slice(head, right));
}

const row = new Uint16Array(MAX_LINE_CHARACTERS + 1);

/** One row, used again for each pair: this runs some thousand times for one search. */
function levenshtein(a: string, b: string): number {
  if (a === "" || b === "") return a.length + b.length;
  for (let column = 0; column <= b.length; column += 1) row[column] = column;
  for (let line = 1; line <= a.length; line += 1) {
    let diagonal = line - 1;
    let least = line;
    row[0] = line;
    const code = a.charCodeAt(line - 1);
    for (let column = 1; column <= b.length; column += 1) {
      const above = row[column] ?? 0;
      const replaced = diagonal + (code === b.charCodeAt(column - 1) ? 0 : 1);
      least = Math.min(least + 1, above + 1, replaced);
      row[column] = least;
      diagonal = above;
    }
  }
  return row[b.length] ?? 0;
}

function shorten(line: string): string {
  return line.trim().slice(0, MAX_LINE_CHARACTERS);
}

function sizeOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0);
}
