/** A file's text with `\n` as its only line end, and the way back to where things stood. */
export interface SourceText {
  readonly text: string;
  /** The offset in the file's own text of an offset in `text`. */
  readonly toOriginal: (offset: number) => number;
  /** Where each line begins in `text`. */
  readonly lineStarts: readonly number[];
}

/** Reads a text so that `\r\n` and `\n` are the same to a search, while untouched line ends can be kept. */
export function readSource(original: string): SourceText {
  const text = unifyLineEnds(original);
  return { text, toOriginal: backFrom(original), lineStarts: lineStartsOf(text) };
}

/** A text with `\n` as its only line end and without a byte order mark. */
export function unifyLineEnds(text: string): string {
  return (text.startsWith("\uFEFF") ? text.slice(1) : text).replaceAll("\r\n", "\n");
}

/** The line, from 1, that an offset lies in. */
export function lineAt(source: Pick<SourceText, "lineStarts">, offset: number): number {
  const { lineStarts } = source;
  let low = 0;
  let high = lineStarts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((lineStarts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low + 1;
}

function lineStartsOf(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

function backFrom(original: string): (offset: number) => number {
  const mark = original.startsWith("\uFEFF") ? 1 : 0;
  // Offsets in `text` of the line ends that were two characters long.
  const widened: number[] = [];
  for (let at = original.indexOf("\r\n"); at !== -1; at = original.indexOf("\r\n", at + 2)) {
    widened.push(at - mark - widened.length);
  }
  if (widened.length === 0) return (offset) => offset + mark;
  return (offset) => {
    let low = 0;
    let high = widened.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((widened[middle] ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return offset + low + mark;
  };
}
